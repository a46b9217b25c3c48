import { TRANSPORT_ERRORS } from "../../fetch/transport-error.ts";
import { FailureCodes } from "../../stats/failure-counts.ts";

/**
 * Every stable code in the fields `error` of logs/crawl.jsonl and `reason` of reports/skipped.jsonl, with what it means.
 * docs/outcomes.md lists them, and a test compares the two with the sources.
 */
export const ERROR_CODES: Readonly<Record<string, string>> = {
  ...TRANSPORT_ERRORS,
  too_slow: "the response came more slowly than --min-rate",
  dns_not_found: "the host name does not exist, or has no address",
  dns_failure: "the name servers gave no usable answer",
  dns_timeout: "the name servers did not answer in time",
  dns_not_asked: "without --contact no host name leaves this machine, so no name server was asked",
  contact_required: "a crawl without --contact does not leave this machine",
  blocked_private_address:
    "the address is private, loopback or link-local: type its URL, or use --allow-private",
  blocked_port: "browsers and crawlers do not ask this port for web pages",
  blocked_scheme: "only http and https are crawled",
  bad_url: "it is not a valid URL",
  url_too_long: "it is longer than a URL may be",
  out_of_scope: "it lies outside what the seeds and --scope, --include allow",
  excluded: "it matches --exclude",
  should_visit: "the hook shouldVisit does not want it",
  max_depth: "it is further from a seed than --max-depth",
  max_depth_dynamic: "it has a query and is further from a seed than --max-depth-dynamic",
  max_pages_per_site: "its site has as many pages as --max-pages-per-site allows",
  robots: "robots.txt forbids it",
  host_blocked: "its host was blocked while the crawl ran",
  tdm_reserved: "its rights to text and data mining are reserved, and --obey-tdm is on",
  crawl_delay_too_long: "robots.txt asks for a longer pause than 5 minutes",
  content_type: "its type is not one that --accept keeps",
  handler_failed: "the handler threw an error, or answered what it may not",
  handler_timeout: "the handler took longer than --handler-timeout",
  handler_hung: "the handler never returned, and its thread had to be replaced",
  handler_skipped: "the handler does not want it kept",
  not_html: "it calls itself HTML and is something else",
  host_unavailable: "its host made the crawl wait longer than --max-wait; a resume tries again",
  bad_redirect: "the redirect leads to no URL that can be asked",
  redirect_loop: "the redirects lead in a circle",
  too_many_redirects: "there are more redirects than --max-redirects",
  body_too_large: "the body was cut at --max-body",
  encoding_error: "the content coding of the body is damaged; what could be decoded was read",
  decode_budget: "the body is too costly to decode to its end; what was decoded was read",
  parse_budget: "the page is too costly to parse to its end",
  sitemap_unknown: "it is neither a sitemap nor a feed",
  sitemap_bad_gzip: "the compressed sitemap is damaged",
  sitemap_dtd: "the sitemap has a document type definition, which is never read",
  sitemap_too_large: "the sitemap was cut at the largest size that is read",
  sitemap_too_many_urls: "the sitemap lists more URLs than are read",
  sitemap_depth: "an index of sitemaps names a further index",
  too_many_sitemaps: "robots.txt files of its site name more sitemaps than are read",
  trap_calendar: "it belongs to an endless calendar",
  trap_deep_path: "its path is deeper than those of honest pages",
  trap_endless: "it belongs to a family of URLs without an end",
  trap_growing_path: "its path grows with every page",
  trap_query: "it belongs to ever new combinations of query parameters",
  trap_repeated_path: "its path repeats itself",
  trap_same_text:
    "nearly all pages of its site have the same text, under ever new URLs or subdomains",
  trap_same_content: "its like bring the same content under ever new URLs",
};

/** All codes that a URL can end with, for counting; those of HTTP statuses included. */
export const FAILURE_CODES = new FailureCodes([
  ...Object.keys(ERROR_CODES),
  ...statusCodes("http_"),
  ...statusCodes("robots_status_"),
]);

function statusCodes(prefix: string): string[] {
  return Array.from({ length: 500 }, (_, i) => `${prefix}${100 + i}`);
}

const HTTP = /^http_(\d+)$/;
const ROBOTS_STATUS = /^robots_status_(\d+)$/;

/** What a stable code means, in words; an unknown one stays as it is. */
export function meaningOf(code: string): string {
  const status = HTTP.exec(code)?.[1];
  if (status !== undefined) return `the server answered with status ${status}`;
  const robots = ROBOTS_STATUS.exec(code)?.[1];
  if (robots !== undefined)
    return `robots.txt was answered with status ${robots}, so nothing may be asked`;
  return Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code]! : code;
}
