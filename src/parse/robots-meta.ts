/** What a page asks of crawlers. */
export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
  /** Not to be used to train models: neither the text, nor the images. Present only when it stands there. */
  noai?: true;
  noimageai?: true;
}

/** The name of the meta element that addresses every crawler; the one for us is our product token. */
export const ALL_ROBOTS = "robots";

/** Our name in pages, unless the user agent was changed. */
export const OWN_NAME = "orbweaver";

/** Adds the directives of one meta element; of contradicting ones the strictest wins. */
export function addDirectives(directives: RobotsDirectives, content: string): void {
  for (const written of content.toLowerCase().split(",")) addDirective(directives, written.trim());
}

/** Adds one directive in lower case; permissions and those about snippets change nothing. */
export function addDirective(directives: RobotsDirectives, directive: string): void {
  if (directive === "noindex" || directive === "none") directives.noindex = true;
  if (directive === "nofollow" || directive === "none") directives.nofollow = true;
  if (directive === "noai") directives.noai = true;
  if (directive === "noimageai") directives.noimageai = true;
}

/** The directives in words, as logs and records hold them; "" when there is none. */
export function directivesText({ noindex, nofollow }: RobotsDirectives): string {
  if (noindex) return nofollow ? "noindex, nofollow" : "noindex";
  return nofollow ? "nofollow" : "";
}
