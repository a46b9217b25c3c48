/** What a page allows to be done with it. */
export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** The names of meta elements that speak to us. */
export const ROBOTS_NAMES: ReadonlySet<string> = new Set(["robots", "orbweaver"]);

/** Adds the directives of one meta element; of contradicting ones the strictest wins. */
export function addDirectives(directives: RobotsDirectives, content: string): void {
  for (const written of content.toLowerCase().split(",")) {
    const directive = written.trim();
    if (directive === "noindex" || directive === "none") directives.noindex = true;
    if (directive === "nofollow" || directive === "none") directives.nofollow = true;
  }
}
