import { type CrawlUrl, canonicalize } from "../url/crawl-url.ts";
import type { FoundLink } from "./harvest.ts";
import { leadsToPage } from "./navigation.ts";

/** One link of an HTTP `Link` header (RFC 8288). */
export interface HeaderLink {
  /** The target as written between the angle brackets. */
  target: string;
  /** Where it leads; undefined when it is not followed. */
  url: CrawlUrl | undefined;
  /** The relation types in lower case. */
  rel: string[];
  /** The announced media type; empty when there is none. */
  type: string;
  /** The link belongs to another resource than this response. */
  anchored: boolean;
}

const MAX_LINKS = 1000;

/** The pages a `Link` header leads to, by the rules for link elements: distinct, in order. */
export function headerPages(value: string, base: CrawlUrl): CrawlUrl[] {
  const pages = new Set<CrawlUrl>();
  for (const { target, url, rel, type, anchored } of parseLinkHeader(value, base)) {
    const link = { element: "link", attribute: "href", value: target, rel: rel.join(" "), type };
    if (url !== undefined && !anchored && leadsToPage(link as FoundLink)) pages.add(url);
  }
  return [...pages];
}

/** The licences that a `Link` header names for the response. */
export function headerLicenses(value: string, base: CrawlUrl): CrawlUrl[] {
  return parseLinkHeader(value, base).flatMap(({ url, rel, anchored }) =>
    url !== undefined && !anchored && rel.includes("license") ? [url] : [],
  );
}

/** Reads the value of a `Link` header, repeated ones joined by commas; what is malformed is skipped. */
export function parseLinkHeader(value: string, base: CrawlUrl): HeaderLink[] {
  const links: HeaderLink[] = [];
  const cursor = new Cursor(value);
  while (links.length < MAX_LINKS) {
    // Skip anything but "<" between links instead of giving up (RFC 8288, B.2).
    if (!cursor.skipTo("<")) return links;
    const target = cursor.until(">");
    if (target === undefined) return links;
    const parameters = readParameters(cursor);
    const anchor = parameters.get("anchor");
    links.push({
      target,
      url: canonicalize(target, base),
      rel: (parameters.get("rel") ?? "").toLowerCase().split(/\s+/).filter(Boolean),
      type: parameters.get("type") ?? "",
      anchored: anchor !== undefined && canonicalize(anchor, base) !== base,
    });
  }
  return links;
}

/** Reads `;name=value` pairs up to the comma that ends the link; the first of equal names counts. */
function readParameters(cursor: Cursor): Map<string, string> {
  const found = new Map<string, string>();
  for (;;) {
    cursor.skipSpace();
    if (!cursor.take(";")) {
      // Malformed: the next link begins after the next comma.
      if (cursor.atEnd || cursor.take(",")) return found;
      cursor.skipWord(",;");
      if (cursor.atEnd) return found;
      continue;
    }
    cursor.skipSpace();
    const name = cursor.skipWord("=;, \t").toLowerCase();
    cursor.skipSpace();
    let value = "";
    if (cursor.take("=")) {
      cursor.skipSpace();
      value = cursor.take('"') ? cursor.quoted() : cursor.skipWord(";, \t");
    }
    if (name !== "" && !found.has(name)) found.set(name, value);
  }
}

/** A position in a text that only moves forward. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Skips the character if it is next. */
  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Skips up to and including the next such character. */
  skipTo(character: string): boolean {
    const found = this.#text.indexOf(character, this.#at);
    this.#at = found < 0 ? this.#text.length : found + 1;
    return found >= 0;
  }

  /** The text before the next such character, which is skipped. */
  until(character: string): string | undefined {
    const start = this.#at;
    return this.skipTo(character) ? this.#text.slice(start, this.#at - 1) : undefined;
  }

  skipSpace(): void {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }

  /** The characters up to one of the given or the end. */
  skipWord(ends: string): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !ends.includes(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** The rest of a quoted string, escapes resolved; a missing quote ends with the text. */
  quoted(): string {
    let value = "";
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at++]!;
      if (character === '"') break;
      value += character === "\\" ? (this.#text[this.#at++] ?? "") : character;
    }
    return value;
  }
}
