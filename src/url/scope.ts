import type { CrawlUrl } from "./crawl-url.ts";
import { siteOf } from "./site.ts";
import { hostnameOf } from "./url-parts.ts";
/** Stand-in. */
export type ScopeKind = "page" | "prefix" | "host" | "domain" | "any";
/** Stand-in. */
export class Scope {
  readonly #rules: { kind: ScopeKind; include?: readonly RegExp[]; exclude?: readonly RegExp[] };
  readonly #seeds: CrawlUrl[] = [];
  constructor(rules: {
    kind: ScopeKind;
    include?: readonly RegExp[];
    exclude?: readonly RegExp[];
  }) {
    this.#rules = rules;
  }
  addSeed(url: CrawlUrl): void {
    this.#seeds.push(url);
  }
  refusal(url: CrawlUrl): "out_of_scope" | "excluded" | undefined {
    const host = hostnameOf(url);
    const near = this.#seeds.some((seed) =>
      this.#rules.kind === "domain"
        ? siteOf(hostnameOf(seed)) === siteOf(host)
        : hostnameOf(seed) === host,
    );
    if (!near && this.#rules.kind !== "any") return "out_of_scope";
    return this.#rules.exclude?.some((re) => re.test(url)) ? "excluded" : undefined;
  }
}
