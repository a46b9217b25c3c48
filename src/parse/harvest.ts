import type { PageText } from "./page-text.ts";
import { ALL_ROBOTS, addDirectives, OWN_NAME, type RobotsDirectives } from "./robots-meta.ts";
import { ATTR, type AttributeName, type TagReader } from "./tag-reader.ts";
import { bytesById, T, tagName } from "./tags.ts";

/** A place in a page that names another resource. */
export interface FoundLink {
  /** Element in lower case, "a" also for the one of SVG. */
  element: string;
  attribute: AttributeName;
  /** The attribute's value with references replaced, otherwise as written. */
  value: string;
  /** The rel attribute of a, area and link as written, empty when absent. */
  rel: string;
  /** The type attribute of link or the method of form, empty when absent. */
  type: string;
}

/** The names of meta elements whose first content is kept. */
const KEPT_METAS = new Set([
  ...["description", "keywords", "content-language"],
  ...["tdm-reservation", "tdm-policy"],
]);
const MAX_TITLE_BYTES = 4096;
/** Longer values are cut: no URL that is followed is as long, however it is escaped. */
const MAX_VALUE_BYTES = 64 * 1024;

// What is taken from an element.
const NONE = 0;
const HYPERLINK = 1; // href and rel
const FRAME = 2; // src
const BASE = 3;
const META = 4;
const ROOT = 5;
const ASSET = 6;

/** What is taken from an element, by tag. */
export const TREATMENT: Uint8Array = bytesById([
  ["a area link", HYPERLINK],
  ["frame iframe", FRAME],
  ["audio embed form image img input object script source track video", ASSET],
  ["base", BASE],
  ["meta", META],
  ["html", ROOT],
]);

const ASSET_ATTRIBUTES: AttributeName[] = ["src", "srcset", "data", "poster", "action"];
/** Where lazy-loading scripts keep the later values of src, srcset, href and poster. */
const LAZY_ATTRIBUTES: AttributeName[] = [
  "data-src",
  "data-srcset",
  "data-original",
  "data-lazy-src",
  "data-href",
  "data-poster",
];

/** What to collect besides links. */
export interface HarvestOptions {
  /** Also images, scripts, media and form actions. */
  assets?: boolean | undefined;
  /** Also what scripts would load later: `data-src` and its like. */
  lazy?: boolean | undefined;
  /** The crawler's name, which robots meta elements may address. */
  agent?: string | undefined;
}

/** Further links are only counted; a page this long repeats itself, so hardly any target is lost. */
const MAX_FOUND = 50_000;

/** Collects links, title and metadata while a scanner walks over the tags of a page. */
export class Harvest {
  /** In order of arrival: links, frames, base elements, refreshes, and assets when asked for. */
  readonly links: FoundLink[] = [];
  /** Content of the first meta element of each kept name. */
  readonly metas = new Map<string, string>();
  /** All robots directives of the page, added up. */
  readonly robots: RobotsDirectives = { noindex: false, nofollow: false };
  /** Links that were not kept. */
  dropped = 0;
  title: string | undefined;
  language: string | undefined;
  readonly #reader: TagReader;
  readonly #text: PageText;
  readonly #assets: boolean;
  readonly #lazy: boolean;
  readonly #agent: string;

  constructor(reader: TagReader, text: PageText, options: HarvestOptions) {
    this.#reader = reader;
    this.#text = text;
    this.#assets = options.assets === true;
    this.#lazy = options.lazy === true;
    this.#agent = agentName(options.agent);
  }

  /** Takes what the current start tag holds as an HTML element. */
  element(): void {
    const { id } = this.#reader;
    const treatment = TREATMENT[id]!;
    if (treatment === NONE) return;
    if (treatment === HYPERLINK || treatment === BASE) this.#link(ATTR.href, "href");
    else if (treatment === FRAME) this.#link(ATTR.src, "src");
    else if (treatment === META) this.#meta();
    else if (treatment === ROOT) this.language ??= this.value(ATTR.lang);
    else if (this.#assets) {
      for (const attribute of ASSET_ATTRIBUTES) this.#link(ATTR[attribute], attribute);
    }
    if (this.#lazy && treatment !== META && treatment !== ROOT && treatment !== BASE) {
      for (const attribute of LAZY_ATTRIBUTES) this.#link(ATTR[attribute], attribute);
    }
  }

  /** Takes the link of an SVG `a` element: href, else the older xlink:href. */
  svgLink(): void {
    if (this.#reader.has(ATTR.href)) this.#link(ATTR.href, "href");
    else this.#link(ATTR["xlink:href"], "xlink:href");
  }

  /** Takes the text of a title element; the first one counts. */
  titleText(start: number, end: number): void {
    this.title ??= this.#text.text(start, Math.min(end, start + MAX_TITLE_BYTES));
  }

  /** The value of an attribute of the current tag. */
  value(attribute: number): string | undefined {
    const reader = this.#reader;
    if (!reader.has(attribute)) return undefined;
    const start = reader.valueStart(attribute);
    return this.#text.attribute(
      start,
      Math.min(reader.valueEnd(attribute), start + MAX_VALUE_BYTES),
    );
  }

  #link(attribute: number, name: AttributeName): void {
    if (this.links.length >= MAX_FOUND) {
      if (this.#reader.has(attribute)) this.dropped++;
      return;
    }
    const value = this.value(attribute);
    if (value === undefined) return;
    const { id } = this.#reader;
    this.links.push({
      element: tagName(id),
      attribute: name,
      value,
      rel: this.value(ATTR.rel) ?? "",
      type: this.#typeOf(id),
    });
  }

  #typeOf(id: number): string {
    if (id === T.link) return this.value(ATTR.type) ?? "";
    return id === T.form ? (this.value(ATTR.method) ?? "") : "";
  }

  #meta(): void {
    if (!this.#reader.has(ATTR.content)) return;
    const value = (attribute: number) => this.value(attribute);
    const equivalent = value(ATTR["http-equiv"]);
    const name = metaName(equivalent, equivalent ?? value(ATTR.name));
    const content = () => value(ATTR.content) ?? "";
    if (name === REFRESH)
      this.links.push({
        element: "meta",
        attribute: "content",
        value: content(),
        rel: "",
        type: "",
      });
    else noteMeta(this, name, this.#agent, content);
  }
}

/** What a page says about itself in meta elements. */
export interface MetaNotes {
  /** Content of the first meta element of each kept name. */
  readonly metas: Map<string, string>;
  /** All robots directives, added up. */
  readonly robots: RobotsDirectives;
}

/** Stands for the name of a meta element that leads elsewhere; in capitals, because real names are in small letters. */
export const REFRESH = "REFRESH";

/** The name of a meta element, of what it has: the http-equiv attribute goes before the name. */
export function metaName(equivalent: string | undefined, name: string | undefined): string {
  if (equivalent === undefined) return name?.trim().toLowerCase() ?? "";
  const lower = equivalent.toLowerCase();
  return lower === "refresh" ? REFRESH : lower;
}

/** Notes what a meta element of that name says, if it is one of those that count. */
export function noteMeta(
  { metas, robots }: MetaNotes,
  name: string,
  agent: string,
  content: () => string,
): void {
  if (name === ALL_ROBOTS || name === agent) addDirectives(robots, content());
  else if (KEPT_METAS.has(name) && !metas.has(name)) metas.set(name, content());
}

/** A bit for the length of each name that `noteMeta` notes. */
export function metaLengths(agent: string): number {
  let lengths = 0;
  for (const name of [...KEPT_METAS, ALL_ROBOTS, agent]) lengths |= 1 << name.length;
  return lengths;
}

/** The name under which robots meta elements address this crawler. */
export function agentName(agent: string | undefined): string {
  return agent?.toLowerCase() ?? OWN_NAME;
}
