/** Explains a reason for not fetching a URL; unknown reasons are returned as they are. */
export function refusalText(code: string): string {
  return MEANINGS.get(code) ?? code;
}

const MEANINGS = new Map([
  ["bad_url", "it is not a valid URL"],
  ["blocked_scheme", "only http and https are crawled"],
  ["url_too_long", "it is longer than a URL may be"],
  ["blocked_port", "browsers and crawlers do not ask this port for web pages"],
  ["out_of_scope", "it lies outside what the seeds and --scope, --include allow"],
  ["excluded", "it matches --exclude"],
]);
