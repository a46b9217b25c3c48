import { addDirective, OWN_NAME, type RobotsDirectives } from "./robots-meta.ts";

/** Directives that carry a value behind a colon, which therefore names no crawler. */
const WITH_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

/**
 * Reads `X-Robots-Tag` headers, one value per header line. A name before a colon addresses one crawler, up to the next
 * name or the end of the line; other directives address all. All directives for us add up, so that the strictest wins.
 * One pass, whatever the number of directives.
 */
export function robotsTag(lines: readonly string[], agent: string = OWN_NAME): RobotsDirectives {
  const directives: RobotsDirectives = { noindex: false, nofollow: false };
  const own = agent.toLowerCase();
  for (const line of lines) {
    let concernsUs = true;
    for (const part of line.toLowerCase().split(",")) {
      let directive = part;
      for (let colon = directive.indexOf(":"); colon >= 0; colon = directive.indexOf(":")) {
        const name = directive.slice(0, colon).trim();
        if (WITH_VALUE.test(name)) break;
        concernsUs = name === own || name === "*" || name === "robots";
        directive = directive.slice(colon + 1);
      }
      if (concernsUs) addDirective(directives, directive.trim());
    }
  }
  return directives;
}
