// What `orbweaver/url` exports.
export { type CrawlUrl, canonicalize, type LinkRefusal, refusalOf } from "./crawl-url.ts";
export { type DedupPolicy, dedupKey } from "./dedup-key.ts";
export { Scope, type ScopeKind, type ScopeRules } from "./scope.ts";
export { isPublicSuffix, siteOf } from "./site.ts";
export { surtKey } from "./surt.ts";
export { hostnameOf, originOf, partsOf, type UrlParts } from "./url-parts.ts";
