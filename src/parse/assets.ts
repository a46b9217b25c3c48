import type { FoundLink } from "./harvest.ts";
import { relWords } from "./navigation.ts";
import { parseSrcset } from "./srcset.ts";

/** Link elements that name a part of the page rather than another page. */
const PARTS = new Set(["stylesheet", "icon", "preload", "modulepreload", "manifest", "mask-icon"]);
PARTS.add("apple-touch-icon").add("prefetch").add("image_src");

/** The links of a page's assets: images, media, scripts, style sheets; none for other elements. */
export function assetLinks(found: FoundLink): string[] {
  const { element, attribute, value } = found;
  if (attribute.endsWith("srcset")) return parseSrcset(value).map(({ link }) => link);
  switch (element) {
    case "link":
      return relWords(found.rel).some((word) => PARTS.has(word)) ? [value] : [];
    case "a":
    case "area":
    case "base":
    case "meta":
    case "frame":
    case "iframe":
    case "form":
      return [];
    default:
      return attribute === "action" ? [] : [value];
  }
}

/** True for pages that a page loads into itself or requests only by script or form. */
export function leadsToHiddenPage(found: FoundLink, forms: boolean): boolean {
  const { element, attribute, type } = found;
  // A form that does not send by GET changes something on the server.
  if (element === "form")
    return forms && attribute === "action" && !/^\s*(post|dialog)/i.test(type);
  if (attribute === "data-href") return element === "a" || element === "area";
  return attribute === "data-src" && (element === "iframe" || element === "frame");
}
