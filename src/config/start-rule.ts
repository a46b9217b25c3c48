import { isIP } from "node:net";
import { UsageError } from "../errors.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { hostnameOf } from "../url/url-parts.ts";
import { isLoopbackHost, parseResolve } from "./network-values.ts";

/**
 * The start rule: a crawl beyond this machine does not start without a contact. Seeds are only the visible
 * part of it; `loopbackOnly` of the configuration holds for links and redirects.
 */
export function requireContact(
  seeds: readonly CrawlUrl[],
  settings: { readonly contact?: string | undefined; readonly resolve: readonly string[] },
): void {
  if (settings.contact !== undefined) return;
  // The last word about a host counts, as it does where connections are opened.
  const fixed = new Map<string, string>();
  for (const word of settings.resolve) {
    const entry = parseResolve(word);
    if (typeof entry !== "string") fixed.set(entry.host, entry.address);
  }
  for (const seed of seeds) {
    const hostname = hostnameOf(seed);
    const name = hostname.replace(/^\[(.*)\]$/, "$1");
    const address = fixed.get(name) ?? (isIP(name) === 0 ? fixed.get("*") : undefined);
    if (isLoopbackHost(address ?? hostname)) continue;
    throw new UsageError(
      `a crawl of ${hostname} needs --contact: whoever runs the site must be able to reach you when ` +
        "your crawl causes trouble; use an e-mail address or a web page, for example --contact you@example.org",
    );
  }
}
