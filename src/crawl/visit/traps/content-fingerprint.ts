import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import { numberlessFingerprint } from "../../../hash/url-fingerprint.ts";
import type { ParsedPage } from "../../../parse/page.ts";
import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { isVariable } from "./url-shape.ts";

const DIGITS = /\d+/g;
const SESSION_VALUE = /([?&;](?:[a-z_]*sess[a-z_]*|sid|token|s)=)[^&;/]*/gi;
const MAX_LINKS = 200;

/**
 * Of title, first words, and the numbers of words and links: equal for pages that differ only in digits and their own address.
 * `hasVariable` is false when no segment of the path is variable (`isVariable`).
 */
export function looseFingerprint(page: ParsedPage, url: CrawlUrl, hasVariable: boolean): number {
  let { title } = page;
  let first = page.firstText ?? page.firstWords.join(" ");
  // Without a slash a text holds no path. Not `includes`, which V8 neither inlines nor has in machine code.
  if (hasVariable || title.indexOf("/") >= 0 || first.indexOf("/") >= 0) {
    title = withoutAddress(title, url);
    first = withoutAddress(first, url);
  }
  // The hash of one is the seed of the other: joining them costs more.
  numberlessFingerprint(title, page.words, page.linkCount);
  numberlessFingerprint(first, lastFingerprint.low, lastFingerprint.high);
  return lastFingerprint.low;
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
  let folder = looseFingerprint(page, url, true);
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
