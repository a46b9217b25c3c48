import type { FoundMeta } from "./harvest.ts";

/** What a page allows to be done with it. */
export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** The names of meta elements that speak to us. */
const NAMES = new Set(["robots", "orbweaver"]);

/** Adds up the robots directives of a page; of contradicting ones the strictest wins. */
export function robotsOf(metas: readonly FoundMeta[]): RobotsDirectives {
  const directives: RobotsDirectives = { noindex: false, nofollow: false };
  for (const { name, content } of metas) {
    if (!NAMES.has(name)) continue;
    for (const written of content.toLowerCase().split(",")) {
      const directive = written.trim();
      if (directive === "noindex" || directive === "none") directives.noindex = true;
      if (directive === "nofollow" || directive === "none") directives.nofollow = true;
    }
  }
  return directives;
}
