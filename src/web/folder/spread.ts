import { mixText } from "../seeded-random.ts";
import { decodeReferences, linkAttributes } from "./html-links.ts";

/** Which of n hosts a path belongs to when a folder is spread over them; the query does not count. */
export function hostOfPath(path: string, n: number): number {
  return mixText(path) % n;
}

/** The URL of a link in HTML read as latin1, resolved; undefined when it leads nowhere. */
export function resolveLink(html: string, from: number, to: number, base: string): URL | undefined {
  let value = html.slice(from, to);
  // The page was read byte by byte; a link with other letters is UTF-8 in nearly all pages.
  if (/[\x80-\xff]/.test(value)) value = Buffer.from(value, "latin1").toString("utf8");
  const link = decodeReferences(value);
  return URL.canParse(link, base) ? new URL(link, base) : undefined;
}

/**
 * Rewrites every href and src within the spread folder to the absolute URL of its owner. `html` and the
 * result are latin1, `base` is the page's URL; links elsewhere and links to a place in the page stay.
 */
export function rewriteLinks(html: string, base: string, hosts: readonly string[]): string {
  const baseUrl = new URL(base);
  let resolveAgainst = base;
  let out = "";
  let copied = 0;
  for (const { tag, from, to, quoted } of linkAttributes(html)) {
    if (/^\s*#/.test(html.slice(from, to))) continue;
    const url = resolveLink(html, from, to, resolveAgainst);
    if (!url) continue;
    if (tag === "base") resolveAgainst = url.href;
    if (url.protocol !== "http:" || !(url.host === baseUrl.host || hosts.includes(url.host)))
      continue;
    const owner = hosts[hostOfPath(url.pathname, hosts.length)]!;
    const target = `http://${owner}${url.pathname}${url.search}${url.hash}`.replaceAll(
      "&",
      "&amp;",
    );
    const escaped = target.replaceAll("'", "&#39;"); // URL leaves these alone in paths
    out += html.slice(copied, from) + (quoted ? escaped : `"${escaped}"`);
    copied = to;
  }
  return out + html.slice(copied);
}
