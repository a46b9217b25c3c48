// Resolves the plain links of a page as src/url/fast-path.ts does, makes their fingerprints and leaves out repeats. On any
// doubt JavaScript decides about a link.
import {
  BASE,
  CELLS,
  LINES,
  LINK,
  LINKS,
  MAX_LINES,
  MAX_ORIGINS,
  MAX_RECORDS,
  MAX_URL,
  MET,
  ORIGINS,
  PAGE,
  PATH_BYTE,
  PLAIN,
  QUERY_BYTE,
  RECORD,
  RECORDS,
} from "./engine-layout";
import { mayBeLicense, mayCount, mayLead } from "./asked-elements";
import { hostEnd, isSame, knownOrigin, learnOrigin } from "./link-origins";
import { nextByte } from "./scan-markup";
import { urlHash } from "./url-hash";

/** Asks JavaScript about a record; it writes the URL to an address and returns its length, 0 when it leads nowhere. */
// @ts-ignore: decorator
@external("env", "ask")
declare function ask(record: i32, at: i32): i32;

/** Longer values are left to JavaScript; so are URLs, but those are known only in the end. */
const MAX_VALUE: i32 = 2048;

// Classes of bytes in a path: 0 is left to JavaScript.
const NAME: u8 = 1;
const SLASH: u8 = 2;
const DOT: u8 = 3;
const PERCENT: u8 = 4;
const QUERY: u8 = 5;
const HASH: u8 = 6;

// The parts of the base, all of them beginnings of it: with and without what is behind its last slash, its query.
let baseLength: i32 = 0;
let originLength: i32 = 0;
let folderLength: i32 = 0;
let pageLength: i32 = 0;

/** 1 when the base contains "%". */
let baseMark: i32 = 0;

/** A page's number, so that nothing has to be cleared between pages. */
let pageNumber: i32 = 0;
let mask: i32 = 0;
let links: i32 = 0;
let all: i32 = 0;
let out: i32 = 0;
let origins: i32 = 0;
/** 1 when the URL that was made last contains "%" or ends with "?". */
let mark: i32 = 0;
/** Whether it begins with the origin of the base, and the number of that origin on this page; -1 before it has one. */
let isOwn: bool = false;
let ownOrigin: i32 = -1;

// In the table of elements that JavaScript is asked about: meta elements only if they may count, link elements only if
// they may lead somewhere. Any other number: always.
const ASKED_BY_NAME: u8 = 2;
const ASKED_BY_REL: u8 = 3;

/**
 * Goes through the records of the page. `tagsAsked` tells which elements JavaScript wants to see; with `asksRel` also every
 * one with a rel attribute, without it those that may be links to a licence. `metaLengths` has a bit for the length of each
 * name of a meta element that counts. Returns 1, or 0 when there is too much.
 */
export function resolve(
  base: i32,
  origin: i32,
  folder: i32,
  page: i32,
  tagsAsked: i32,
  asksRel: i32,
  metaLengths: i32,
): i32 {
  baseLength = base;
  originLength = origin;
  folderLength = folder;
  pageLength = page;
  baseMark = 0;
  let b = 0;
  while (b < base) {
    if (load<u8>(<usize>(BASE + b)) == 0x25) baseMark = 1;
    b++;
  }
  const records = load<i32>(<usize>CELLS);
  links = 0;
  all = 0;
  out = LINES;
  origins = 0;
  ownOrigin = -1;
  mask = 255;
  while (mask < 2 * records) mask = 2 * mask + 1;
  nextPage();
  let i = 0;
  while (i < records) {
    if (out > LINES + MAX_LINES - MAX_URL - 64) return 0;
    const at = <usize>(RECORDS + RECORD * i);
    const id = load<u8>(at);
    const asked = load<u8>(<usize>(tagsAsked + id));
    const isWanted =
      asked == ASKED_BY_NAME ? mayCount(at, metaLengths) : asked != ASKED_BY_REL || mayLead(at);
    if (isWanted) {
      const rel = load<i32>(at, 12);
      const isAsked =
        asked != 0 || (rel >= 0 && (asksRel == 1 || mayBeLicense(rel, load<i32>(at, 16))));
      mark = 0;
      isOwn = false;
      let length = isAsked ? 0 : plain(load<i32>(at, 4), load<i32>(at, 8));
      if (length == 0 || length > MAX_URL) {
        // What began like a link to the own origin may lead elsewhere ("\\/host/").
        isOwn = false;
        length = ask(i, out + 9);
        if (length > 0) {
          inspect(length);
          const value = load<i32>(at, 4);
          learnOrigin(<usize>(PAGE + value), load<i32>(at, 8) - value, <usize>(out + 9), length);
        }
      }
      if (length > 0) meet(length);
    }
    i++;
  }
  store<i32>(<usize>CELLS, links, 28);
  store<i32>(<usize>CELLS, all, 32);
  store<i32>(<usize>CELLS, out - LINES, 36);
  store<i32>(<usize>CELLS, origins, 40);
  return 1;
}

function nextPage(): void {
  pageNumber++;
  if (pageNumber == i32.MAX_VALUE) {
    memory.fill(<usize>MET, 0, <usize>(16 * 4 * MAX_RECORDS));
    pageNumber = 1;
  }
}

/** What a URL from JavaScript looks like. */
function inspect(length: i32): void {
  const url = <usize>(out + 9);
  mark = load<u8>(url + length - 1) == 0x3f ? 1 : 0;
  let i = 0;
  while (i < length) {
    if (load<u8>(url + i) == 0x25) mark = 1;
    i++;
  }
}

/** The URL behind `out`: written down if the page did not have it yet. */
function meet(length: i32): void {
  all++;
  const url = <usize>(out + 9);
  const hash = urlHash(url, length);
  let slot = <i32>hash & mask;
  let at = <usize>(MET + 16 * slot);
  while (load<i32>(at, 8) == pageNumber) {
    if (load<u64>(at) == hash) return;
    slot = (slot + 1) & mask;
    at = <usize>(MET + 16 * slot);
  }
  store<u64>(at, hash);
  store<i32>(at, pageNumber, 8);
  const link = <usize>(LINKS + LINK * links);
  store<u64>(link, hash);
  store<i32>(link, <i32>url, 8);
  store<i32>(link, <i32>url + length, 12);
  store<i32>(link, mark, 16);
  store<i32>(link, originOf(url, length), 20);
  links++;
  store<u64>(<usize>out, 0x3a6b6e696c74756f); // "outlink:"
  store<u8>(<usize>out, 0x20, 8);
  store<u16>(url + length, 0x0a0d);
  out = <i32>url + length + 2;
}

/** The number of the link's origin on this page; MAX_ORIGINS when there are more. */
function originOf(url: usize, length: i32): i32 {
  if (!isOwn) return otherOrigin(url, length);
  if (ownOrigin < 0) ownOrigin = otherOrigin(url, length);
  return ownOrigin;
}

function otherOrigin(url: usize, length: i32): i32 {
  let size = 8;
  while (size < length && load<u8>(url + size) != 0x2f) size++;
  let i = origins - 1;
  while (i >= 0) {
    const link = <usize>(LINKS + LINK * load<i32>(<usize>(ORIGINS + 4 * i)));
    const other = <usize>load<i32>(link, 8);
    // With the slash behind it, so that a longer name is another.
    if (load<u8>(other + size) == 0x2f && isSame(other, url, size)) return i;
    i--;
  }
  if (origins == MAX_ORIGINS) return MAX_ORIGINS;
  store<i32>(<usize>(ORIGINS + 4 * origins), links);
  origins++;
  return origins - 1;
}

/** Makes the URL of a plain value behind `out`; its length, 0 when JavaScript must decide. */
function plain(from: i32, to: i32): i32 {
  if (to - from > MAX_VALUE) return 0;
  const start = <usize>(PAGE + from);
  const end = <usize>(PAGE + to);
  return nextByte(0x26, from, to) < to ? unescaped(start, end) : link(start, end);
}

/** The same for a value with "&amp;" or a "&" that begins no reference; any other reference is left to JavaScript. */
function unescaped(start: usize, end: usize): i32 {
  let p = start;
  let to = <usize>PLAIN;
  while (p < end) {
    const byte = load<u8>(p);
    store<u8>(to, byte);
    to++;
    p++;
    if (byte == 0x26) {
      const next: u8 = p < end ? load<u8>(p) : 0x3d;
      if (p + 4 <= end && load<u32>(p) == 0x3b706d61) p += 4; // "amp;"
      else if (next != 0x3d && next != 0x26) return 0;
    }
  }
  return link(<usize>PLAIN, to);
}

/** In blocks: behind `out` there is room, and a call of `memory.copy` costs more than a short beginning. */
function copyBase(length: i32): void {
  mark = baseMark;
  const to = <usize>(out + 9);
  let i = 0;
  while (i < length) {
    v128.store(to + i, v128.load(<usize>(BASE + i)));
    i += 16;
  }
}

/** As `resolveFast`. */
function link(start: usize, end: usize): i32 {
  if (start == end) return self();
  const first = load<u8>(start);
  if (first == 0x23) return self();
  if (first == 0x3f) {
    copyBase(pageLength);
    return own(query(start, end, out + 9 + pageLength));
  }
  if (first == 0x2f) {
    if (start + 1 < end && load<u8>(start, 1) == 0x2f) return 0;
    copyBase(originLength);
    return own(path(start, end, out + 9 + originLength));
  }
  if (first == 0x2e) return dotted(start, end);
  const colon = schemeEnd(start, end);
  if (colon == 0) return 0;
  if (colon > 0) return absolute(start, end);
  copyBase(folderLength);
  return own(path(start, end, out + 9 + folderLength));
}

function own(length: i32): i32 {
  isOwn = true;
  return length;
}

function self(): i32 {
  // Node drops an empty query here, others keep it.
  if (load<u8>(<usize>(BASE + baseLength - 1)) == 0x3f) return 0;
  copyBase(baseLength);
  inspect(baseLength);
  return own(baseLength);
}

/** Where the colon of a scheme is; -1 when there surely is none, 0 when in doubt. */
function schemeEnd(start: usize, end: usize): i32 {
  let p = start;
  while (p < end) {
    const code = load<u8>(p);
    const lower = code | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    if (!isLetter) {
      if (code == 0x3a) return <i32>(p - start);
      if (code == 0x2f || code == 0x3f || code == 0x23) return -1;
      const isInside = (code >= 0x30 && code <= 0x39) || code == 0x2b || code == 0x2d || code == 0x2e;
      if (p == start || !isInside) return code > 0x20 ? -1 : 0;
    }
    p++;
  }
  return -1;
}

/** Leading "./" and "../"; any other dot segment is left to JavaScript. */
function dotted(start: usize, end: usize): i32 {
  let folder = folderLength;
  let p = start;
  while (p < end && load<u8>(p) == 0x2e) {
    const isUp = p + 1 < end && load<u8>(p, 1) == 0x2e;
    p += isUp ? 2 : 1;
    const code: u8 = p < end ? load<u8>(p) : 0x23;
    if (code != 0x2f && code != 0x3f && code != 0x23) return 0;
    if (isUp) {
      let slash = folder - 2;
      while (slash >= originLength && load<u8>(<usize>(BASE + slash)) != 0x2f) slash--;
      if (slash >= originLength) folder = slash + 1;
    }
    if (code == 0x2f) p++;
  }
  copyBase(folder);
  return own(path(p, end, out + 9 + folder));
}

/** A link with a scheme: on the origin of the base, or of a host whose name is plain. */
function absolute(start: usize, end: usize): i32 {
  const length = <i32>(end - start);
  const to = out + 9;
  let size = originLength;
  if (
    length > originLength &&
    load<u8>(start + originLength) == 0x2f &&
    isSame(start, <usize>BASE, originLength)
  )
    isOwn = true;
  else {
    size = hostEnd(start, end);
    if (size == 0) size = knownOrigin(start, end);
    if (size == 0) return 0;
  }
  memory.copy(<usize>to, start, <usize>size);
  return path(start + size, end, to + size);
}

/** Copies path and query up to "#"; returns the length of the whole URL, or 0. */
function path(start: usize, end: usize, to: i32): i32 {
  let q = <usize>to;
  let p = start;
  let isStart = true;
  while (p < end) {
    const byte = load<u8>(p);
    const kind = load<u8>(<usize>(PATH_BYTE + byte));
    if (kind == NAME) isStart = false;
    else if (kind == SLASH) isStart = true;
    else if (kind == DOT) {
      if (isStart) return 0;
    } else if (kind == PERCENT) {
      // "%2e" is a dot.
      if (p + 2 < end && load<u8>(p, 1) == 0x32 && (load<u8>(p, 2) | 0x20) == 0x65) return 0;
      isStart = false;
      mark = 1;
    } else if (kind == QUERY) return query(p, end, <i32>q);
    else if (kind == HASH) return <i32>q - out - 9;
    else return 0;
    store<u8>(q, byte);
    q++;
    p++;
  }
  return <i32>q - out - 9;
}

/** The same from "?" on. */
function query(start: usize, end: usize, to: i32): i32 {
  let q = <usize>to;
  let p = start;
  let byte: u8 = 0;
  while (p < end && load<u8>(p) != 0x23) {
    byte = load<u8>(p);
    if (load<u8>(<usize>(QUERY_BYTE + byte)) == 0) return 0;
    if (byte == 0x25) mark = 1;
    store<u8>(q, byte);
    q++;
    p++;
  }
  if (byte == 0x3f) mark = 1;
  return <i32>q - out - 9;
}
