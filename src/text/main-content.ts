import type { Article, DomDocument, DomElement, TextLibraries } from "./dom.ts";
import { renderContent } from "./render-content.ts";

/** What was found in a page. */
export interface MainContent {
  readonly title: string;
  readonly author: string;
  /** As the page gives it. */
  readonly published: string;
  readonly text: string;
  readonly markdown: string | undefined;
}

/** Below this part of what the page says outside of its furniture, the article is a fragment. */
const MIN_SHARE = 0.5;
/** Of an article that lies elsewhere than the page's `main` element, less than this is in there. */
const MIN_OVERLAP = 0.5;
const MIN_MAIN_CHARACTERS = 80;

/** Menus and the like, by what they are. */
const FURNITURE = new Set(["nav", "aside", "footer", "form", "dialog"]);
const FURNITURE_ROLES = new Set(
  "navigation banner contentinfo search dialog complementary menu".split(" "),
);
/** And by what they are called. */
const FURNITURE_NAMES =
  /(?:^|[-_ ])(?:nav|navbar|navigation|navheader|navfooter|menu|mainmenu|submenu|sidebar|footer|masthead|breadcrumbs?|cookies?|consent|share|social|related|recommendations?|comments?|newsletter|toc|pager|pagination|ads?|advert|banner|noprint|nosearch|promo|popup|modal|widget|editsection|catlinks)(?:[-_ ]|$)/i;
const NEVER_BY_NAME = /^(?:body|main|article|h[1-6]|code|pre|p|td|th|span|a|em|strong)$/;
/** Short blocks that are links for the most part lead elsewhere. */
const LISTS = /^(?:ul|ol|div|table|header|center|section|dl)$/;
const MAX_LINK_LIST = 3000;
const MAX_LINK_SHARE = 0.7;

/**
 * The main content of a page: the article that Readability finds; or everything but menus, footers and the like, where
 * that article is a fragment of it, or lies outside of the element that the page calls its main one.
 */
export function mainContent(
  libraries: TextLibraries,
  html: string,
  base: string,
  isMarkdown: boolean,
): MainContent | undefined {
  const document = libraries.parse(html);
  if (document.documentElement === null) return undefined;
  const facts = factsOf(document);
  const { root, isNamed } = rootOf(document);
  const options = { isMarkdown: false, base };
  const isLeftOut = isFurniture;
  const rest = root === undefined ? "" : renderContent(root, { ...options, isLeftOut });
  const article = read(libraries, document);
  const content = article?.content ?? undefined;
  const text = content === undefined ? "" : renderContent(content, options);
  const isRest = isFragment(text, rest) || (isNamed && liesElsewhere(text, rest));
  const markdown = () => {
    if (!isRest) return content && renderContent(content, { isMarkdown, base });
    // The extractor has taken the document apart.
    const again = rootOf(libraries.parse(html)).root;
    return again && renderContent(again, { isMarkdown, base, isLeftOut });
  };
  return {
    title: oneLine(article?.title ?? facts.title),
    author: oneLine(article?.byline ?? facts.author),
    published: oneLine(article?.publishedTime ?? facts.published),
    text: isRest ? rest : text,
    markdown: isMarkdown ? (markdown() ?? "") : undefined,
  };
}

/** A page that the extractor cannot take, for its size or its shape, is rendered without it. */
function read(libraries: TextLibraries, document: DomDocument): Article | null {
  try {
    return libraries.read(document);
  } catch (fault) {
    if (fault instanceof RangeError) throw fault; // out of stack: the page is too deep for rendering as well
    return null;
  }
}

/** Where the content is for certain: the only main element, or the only article; else somewhere in the body. */
function rootOf(document: DomDocument): { root: DomElement | undefined; isNamed: boolean } {
  for (const selector of ["main, [role=main]", "article"]) {
    const found = document.querySelectorAll(selector);
    if (found.length === 1) return { root: found[0]!, isNamed: true };
  }
  return { root: document.body ?? document.documentElement ?? undefined, isNamed: false };
}

function isFragment(text: string, rest: string): boolean {
  return letters(text) < MIN_SHARE * letters(rest);
}

function liesElsewhere(text: string, main: string): boolean {
  if (letters(main) < MIN_MAIN_CHARACTERS) return false;
  let inside = 0;
  for (const line of text.split("\n")) if (main.includes(line)) inside += letters(line);
  return inside < MIN_OVERLAP * letters(text);
}

function letters(text: string): number {
  return text.replace(/\s+/g, "").length;
}

function isFurniture(element: DomElement): boolean {
  const name = element.localName;
  if (FURNITURE.has(name) || element.hasAttribute("hidden")) return true;
  if (element.getAttribute("aria-hidden") === "true") return true;
  if (FURNITURE_ROLES.has(element.getAttribute("role") ?? "")) return true;
  const names = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`;
  if (names !== " " && !NEVER_BY_NAME.test(name) && FURNITURE_NAMES.test(names)) return true;
  return LISTS.test(name) && isLinkList(element);
}

function isLinkList(element: DomElement): boolean {
  const all = lengthOf(element);
  if (all === 0 || all > MAX_LINK_LIST) return false;
  let linked = 0;
  for (const link of Array.from(element.querySelectorAll("a"))) linked += lengthOf(link);
  return linked > MAX_LINK_SHARE * all;
}

function lengthOf(element: DomElement): number {
  return (element.textContent ?? "").replace(/\s+/g, " ").length;
}

/** What the page says about itself where the extractor finds nothing. */
function factsOf(document: DomDocument): { title: string; author: string; published: string } {
  const meta = (...names: readonly string[]) => {
    for (const name of names) {
      const found = document.querySelector(`meta[name="${name}"], meta[property="${name}"]`);
      const content = found?.getAttribute("content");
      if (content) return content;
    }
    return "";
  };
  return {
    title: document.querySelector("title")?.textContent ?? "",
    author: meta("author", "article:author", "dc.creator"),
    published:
      meta("article:published_time", "date", "dc.date", "dcterms.created") ||
      (document.querySelector("time[datetime]")?.getAttribute("datetime") ?? ""),
  };
}

const MAX_FACT = 1000;

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_FACT);
}
