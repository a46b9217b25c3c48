import type { FoundLink } from "./harvest.ts";

/** The rel values of link elements that lead to pages rather than to parts or services of a page. */
const NAVIGATIONAL = new Set([
  "alternate",
  "amphtml",
  "appendix",
  "author",
  "begin",
  "bookmark",
  "canonical",
  "chapter",
  "child",
  "contents",
  "copyright",
  "end",
  "first",
  "glossary",
  "help",
  "home",
  "index",
  "last",
  "license",
  "next",
  "parent",
  "prev",
  "previous",
  "section",
  "shortlink",
  "sibling",
  "start",
  "subsection",
  "toc",
  "top",
  "up",
]);

/** One of these beside a navigational value means something else, such as an alternate style sheet. */
const NEVER = new Set([
  "stylesheet",
  "icon",
  "preload",
  "prefetch",
  "modulepreload",
  "preconnect",
  "dns-prefetch",
  "manifest",
  "search",
  "edituri",
  "pingback",
  "mask-icon",
]);

const FEED_TYPE = /^application\/(?:rss|atom|rdf)\+xml\b/i;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)\b/i;

/** The words of a rel attribute in lower case. */
export function relWords(rel: string): string[] {
  return rel
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((word) => word !== "");
}

/** True for the links a crawler follows as pages; base and refresh are not decided here. */
export function leadsToPage(link: FoundLink): boolean {
  if (link.element !== "link") {
    if (link.attribute.startsWith("data-")) return false;
    return (
      link.element === "a" ||
      link.element === "area" ||
      link.element === "frame" ||
      link.element === "iframe"
    );
  }
  if (link.attribute !== "href") return false;
  if (link.type !== "" && !HTML_TYPE.test(link.type.trim())) return false;
  const words = relWords(link.rel);
  return words.some((word) => NAVIGATIONAL.has(word)) && !words.some((word) => NEVER.has(word));
}

/** True for a feed that a page announces. */
export function leadsToFeed(link: FoundLink): boolean {
  if (link.element !== "link" || link.attribute !== "href") return false;
  return FEED_TYPE.test(link.type.trim()) && relWords(link.rel).includes("alternate");
}
