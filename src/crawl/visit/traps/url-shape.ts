import { type CrawlUrl, MAX_URL_LENGTH } from "../../../url/crawl-url.ts";

/** What the spelling of a URL says about the family it belongs to. */
export interface UrlShape {
  /** Path with its variable parts left out: URLs with one pattern are one family of their host. */
  readonly pattern: string;
  /** How often a group of segments is repeated: 4 for /a/b/a/b/a/b/a/b. */
  readonly repeats: number;
  readonly segments: number;
  readonly parameters: number;
  /** The year of a date in the URL. */
  readonly year: number | undefined;
}

const DIGITS = /\d+/g;
const LONGEST_GROUP = 4;
const DATES = [
  /(?:^|\D)(\d{4})[-/](?:0?[1-9]|1[0-2])(?=\D|$)/,
  /(?:^|\D)((?:1[5-9]|2\d)\d\d)(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?=\D|$)/,
  /[?&](?:y|yr|year|date|month|day|from|start|cal)[a-z_]*=(\d{4})(?=\D|$)/i,
];

/** The part of a shape that makes a URL suspicious whatever its family; computed for every link. */
export function spellingOf(url: CrawlUrl): Pick<UrlShape, "repeats" | "segments"> {
  const segments = findSegments(url);
  return { repeats: repeatsOf(url, segments), segments };
}

/** Where segments begin; each ends one before the next. */
const starts = new Int32Array(MAX_URL_LENGTH + 2);

/** Writes the positions of the path's segments to `starts`; returns how many there are. */
function findSegments(url: CrawlUrl): number {
  const path = url.indexOf("/", 8);
  const mark = url.indexOf("?", path);
  const end = mark < 0 ? url.length : mark;
  let count = 0;
  for (let slash = path; slash >= 0 && slash < end; slash = url.indexOf("/", slash + 1)) {
    starts[count++] = slash + 1;
  }
  starts[count] = end + 1;
  return count;
}

/** Splits a URL into what stays the same and what varies within its family. */
export function shapeOf(url: CrawlUrl): UrlShape {
  return new Shape(url);
}

/** For most pages only the segments are asked for, so the rest is computed then. */
class Shape implements UrlShape {
  readonly repeats: number;
  readonly segments: number;
  readonly parameters: number;
  readonly #url: CrawlUrl;
  readonly #path: number;
  readonly #mark: number;

  constructor(url: CrawlUrl) {
    this.#url = url;
    this.#path = url.indexOf("/", 8);
    this.#mark = url.indexOf("?", this.#path);
    this.segments = findSegments(url);
    this.repeats = repeatsOf(url, this.segments);
    this.parameters = parametersOf(url);
  }

  get pattern(): string {
    const end = this.#mark < 0 ? this.#url.length : this.#mark;
    return patternOf(this.#url.slice(this.#path + 1, end).split("/"), this.#mark >= 0);
  }

  get year(): number | undefined {
    return yearOf(this.#url.slice(this.#path));
  }
}

/** How many parameters the query of a URL has; 1 for an empty query. */
export function parametersOf(url: CrawlUrl): number {
  let parameters = 0;
  for (let at = url.indexOf("?"); at >= 0; at = url.indexOf("&", at + 1)) parameters++;
  return parameters;
}

/** Up to the first segment that is all variable; without one and without a query, the folder. */
function patternOf(segments: readonly string[], hasQuery: boolean): string {
  let pattern = "";
  let before: string | undefined;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    if (isVariable(segment)) return `${pattern}/*`;
    // A segment that repeats the one before adds nothing: /a/a/a is the family of /a.
    if (segment === before) continue;
    const isLast = i === segments.length - 1;
    const digits = digitsIn(segment);
    if (isLast && !hasQuery && digits === 0) return `${pattern}/`;
    pattern += digits === 0 ? `/${segment}` : `/${segment.replace(DIGITS, "#")}`;
    before = segment;
  }
  return hasQuery ? `${pattern}?` : pattern;
}

/** Numbers, session ids and other names that no person chose. */
export function isVariable(segment: string): boolean {
  const digits = digitsIn(segment);
  if ((digits > 0 && digits === segment.length) || segment.startsWith("(")) return true;
  const equals = segment.indexOf("=");
  if (equals > 0) return isVariable(segment.slice(equals + 1));
  if (segment.includes(";")) return true;
  if (segment.length < 8 || digits === 0 || !/[a-z]/i.test(segment)) return false;
  return /^[0-9a-f-]+$/i.test(segment) || (segment.length >= 12 && isScrambled(segment));
}

/** Letters and digits alternate too often for a sequence of words and numbers. */
function isScrambled(text: string): boolean {
  let changes = 0;
  for (let i = 1; i < text.length; i++) {
    if (isDigit(text.charCodeAt(i)) !== isDigit(text.charCodeAt(i - 1))) changes++;
  }
  return changes >= 4 && /^[0-9a-z_-]+$/i.test(text);
}

function digitsIn(text: string): number {
  let digits = 0;
  for (let i = 0; i < text.length; i++) if (isDigit(text.charCodeAt(i))) digits++;
  return digits;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function repeatsOf(url: CrawlUrl, segments: number): number {
  let most = 1;
  for (let group = 1; group <= LONGEST_GROUP; group++) {
    let run = 0;
    for (let i = group; i < segments; i++) {
      run = isSameSegment(url, i, i - group) ? run + 1 : 0;
      most = Math.max(most, Math.floor(run / group) + 1);
    }
  }
  return most;
}

/** False for empty ones. */
function isSameSegment(url: CrawlUrl, a: number, b: number): boolean {
  const from = starts[a]!;
  const other = starts[b]!;
  const length = starts[a + 1]! - from;
  if (length === 1 || length !== starts[b + 1]! - other) return false;
  for (let i = 0; i < length - 1; i++) {
    if (url.charCodeAt(from + i) !== url.charCodeAt(other + i)) return false;
  }
  return true;
}

function yearOf(target: string): number | undefined {
  for (const form of DATES) {
    const year = form.exec(target)?.[1];
    if (year !== undefined) return Number(year);
  }
  return undefined;
}
