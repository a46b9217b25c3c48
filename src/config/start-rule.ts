import { UsageError } from "../errors.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { hostnameOf } from "../url/url-parts.ts";
import { isLoopbackHost, parseResolve } from "./values/network-values.ts";

/**
 * The start rule: a crawl beyond this machine does not start without a contact. Only seeds are checked here; for links
 * and redirects `loopbackOnly` of the configuration does the same.
 */
export function requireContact(
  seeds: readonly CrawlUrl[],
  settings: { readonly contact?: string | undefined; readonly resolve: readonly string[] },
): void {
  if (settings.contact !== undefined) return;
  const here = new Set<string>();
  for (const word of settings.resolve) {
    const fixed = parseResolve(word);
    if (typeof fixed !== "string" && isLoopbackHost(fixed.address)) here.add(fixed.host);
  }
  for (const seed of seeds) {
    const hostname = hostnameOf(seed);
    if (isLoopbackHost(hostname) || here.has(hostname)) continue;
    throw new UsageError(
      `a crawl of ${hostname} needs --contact: whoever runs the site must be able to reach you when ` +
        "your crawl causes trouble; use an e-mail address or a web page, for example --contact you@example.org",
    );
  }
}
