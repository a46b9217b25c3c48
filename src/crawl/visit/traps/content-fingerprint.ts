import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { ParsedPage } from "../../../parse/page.ts";
import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { isVariable } from "./url-shape.ts";

const DIGITS = /\d+/g;
const SESSION_VALUE = /([?&;](?:[a-z_]*sess[a-z_]*|sid|token|s)=)[^&;/]*/gi;
const MAX_LINKS = 200;

/** Of title, first words, and the numbers of words and links: equal for pages that differ only in digits and their own address. */
export function looseFingerprint(page: ParsedPage, url: CrawlUrl): number {
  const text = textOf(page);
  const loose = addWithoutDigits(FIRST_STATE, withoutAddress(text, url));
  const sized = add(add(loose, page.words), page.linkCount);
  return add(sized, SEPARATOR) >>> 0;
}

const FIRST_STATE = 0x2545f491;
const SEPARATOR = 0x110000;
const NUMBER_SIGN = 35;

function add(state: number, code: number): number {
  const mixed = Math.imul(state ^ code, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The characters of a text, every run of digits as one "#": without another text, since nearly every page comes here. */
function addWithoutDigits(start: number, text: string): number {
  let state = start;
  let inNumber = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = code >= 48 && code <= 57;
    if (!isDigit) state = add(state, code);
    else if (!inNumber) state = add(state, NUMBER_SIGN);
    inNumber = isDigit;
  }
  return state;
}

/** Equal only for pages with the same text whose links lead to the same places, session ids aside. */
export function exactFingerprint(page: ParsedPage): number {
  let exact = fingerprintOf(textOf(page) + sizeOf(page));
  for (const link of page.links.slice(0, MAX_LINKS)) {
    exact = (Math.imul(exact, 31) + fingerprintOf(plainLink(link))) >>> 0;
  }
  return exact;
}

/** The loose fingerprint and the links relative to the page: equal for folders that look the same from inside. */
export function folderFingerprint(page: ParsedPage, url: CrawlUrl): number {
  let folder = looseFingerprint(page, url);
  const start = url.slice(0, url.lastIndexOf("/") + 1);
  for (const link of page.links.slice(0, MAX_LINKS)) {
    const below = link.startsWith(start) ? link.slice(start.length) : link;
    folder = (Math.imul(folder, 31) + fingerprintOf(below.replace(DIGITS, "#"))) >>> 0;
  }
  return folder;
}

/** Many pages contain their own address: its path, or the id in it, would make each of them different. */
function withoutAddress(text: string, url: CrawlUrl): string {
  const path = url.slice(url.indexOf("/", 8));
  if (path.length < 2) return text;
  let plain = text.includes(path) ? text.replaceAll(path, "@") : text;
  const mark = path.indexOf("?");
  const end = mark < 0 ? path.length : mark;
  // Cut one by one: nearly every page comes here.
  for (let from = 1; from <= end; ) {
    const slash = path.indexOf("/", from);
    const to = slash < 0 || slash > end ? end : slash;
    const segment = to - from >= 4 ? path.slice(from, to) : "";
    if (segment !== "" && isVariable(segment)) plain = plain.replaceAll(segment, "@");
    from = to + 1;
  }
  return plain;
}

function textOf(page: ParsedPage): string {
  return `${page.title}\n${page.firstText ?? page.firstWords.join(" ")}`;
}

function sizeOf(page: ParsedPage): string {
  return `\n${page.words} ${page.linkCount}`;
}

function plainLink(link: string): string {
  const path = link.indexOf("/", 8);
  const segments = link.slice(path + 1).split("/");
  const last = segments.length - 1;
  const plain = segments.map((segment, i) => {
    // The number of an item comes last; a long one in the middle belongs to a session.
    const isNumber = /^\d+$/.test(segment);
    return isVariable(segment) && (!isNumber || (i < last && segment.length >= 4)) ? "*" : segment;
  });
  return plain.join("/").replace(SESSION_VALUE, "$1*");
}

function fingerprintOf(text: string): number {
  fingerprint(text, 0, 0);
  return lastFingerprint.low;
}
