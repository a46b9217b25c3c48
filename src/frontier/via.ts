/** Every way a URL can be found. The journal stores their positions, so new ones go to the end. */
export const VIAS = [
  "seed",
  "link",
  "redirect",
  "refresh",
  /** Listed by a sitemap or a feed. */
  "sitemap",
  /** A sitemap that robots.txt names, or that lies at the usual place. */
  "robots",
  /** A sitemap that an index of sitemaps names. */
  "index",
  /** A feed that a page announces. */
  "feed",
  /** An image, script or style sheet that a page needs. */
  "asset",
] as const;

/** How a URL was found. */
export type Via = (typeof VIAS)[number];

/** True for documents that only list pages: sitemaps and feeds. They are read for their entries and are no pages. */
export function isList(via: Via): boolean {
  return via === "robots" || via === "index" || via === "feed";
}
