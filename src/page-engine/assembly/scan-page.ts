// Walks once over a page and notes links, frames, base and meta elements, title, language and words: what
// src/parse/quick-scan.ts and harvest.ts do. Whatever depends on the whole tree is left to the reference.
import {
  CELLS,
  FOREIGN,
  IN_SELECT,
  IN_TABLE,
  INLINE,
  KIND,
  LENGTHS,
  LOWER,
  MARGIN,
  MAX_RECORDS,
  NAMES_AT,
  PAGE,
  RECORD,
  RECORDS,
  TREATMENT,
} from "./engine-layout";
import { afterNonTag, byteAt, nextByte, opensCdata, rawTextEnd, scriptEnd } from "./scan-markup";
import { beginTables, endTable, isStructural, openTables, startTable } from "./scan-tables";
import {
  CONTENT,
  HREF,
  HTTP_EQUIV,
  has,
  isSelfClosing,
  LANG,
  NAME,
  nameEnd,
  nameStart,
  REL,
  readTag,
  SRC,
  TYPE,
  tag,
  valueEnd,
  valueStart,
  XLINK_HREF,
} from "./scan-tags";
import { isPlain, putFirstWords } from "./plain-texts";
import { beginWords, collect, endWord, isDoubtful, passTag, pieces, text, words } from "./count-words";

// Kinds of start tags, as quick-scan.ts has them; title and xmp are raw text with a meaning.
const PLAIN: i32 = 0;
const TAKEN: i32 = 1;
const RAW: i32 = 2;
const SCRIPT: i32 = 3;
const TABLE: i32 = 4;
const SELECT: i32 = 5;
const SVG: i32 = 6;
const PLAINTEXT: i32 = 7;

// What is taken from an element, as in harvest.ts.
const HYPERLINK: i32 = 1;
const FRAME: i32 = 2;
const A_BASE: i32 = 3;
const META: i32 = 4;
const ROOT: i32 = 5;

const MAX_VALUE: i32 = 64 * 1024;
const MAX_TITLE: i32 = 4096;
const MAX_FOREIGN: i32 = 64;
// Longer ones are cut; as in parsed-page.ts.
const MAX_TITLE_CHARACTERS: i32 = 500;
const MAX_LANGUAGE_CHARACTERS: i32 = 100;

// Ends of a scan; every offset is above.
const DONE: i32 = -1;
const NEEDS_TREE: i32 = -2;

let end: i32 = 0;
let inSelect: bool = false;
let foreign: i32 = 0;
let records: i32 = 0;
let titleStart: i32 = -1;
let titleEnd: i32 = 0;
let langStart: i32 = -1;
let langEnd: i32 = 0;
/** The record of the first base element. */
let base: i32 = -1;
let T_A: i32 = 0;
let T_DESC: i32 = 0;
let T_SELECT: i32 = 0;
let T_TBODY: i32 = 0;
let T_TITLE: i32 = 0;
let T_XMP: i32 = 0;

/** The ids of tags that mean something by themselves. */
export function setTags(
  a: i32,
  desc: i32,
  select: i32,
  tbody: i32,
  title: i32,
  xmp: i32,
): void {
  T_A = a;
  T_DESC = desc;
  T_SELECT = select;
  T_TBODY = tbody;
  T_TITLE = title;
  T_XMP = xmp;
}

/** Scans the page in memory from an offset on; 1 when it is done, 0 when the reference has to read it. */
export function scan(from: i32, length: i32, charset: i32): i32 {
  end = length;
  let margin = 0;
  while (margin < MARGIN) {
    store<u64>(<usize>(PAGE + length + margin), 0);
    margin += 8;
  }
  inSelect = false;
  foreign = 0;
  records = 0;
  titleStart = -1;
  langStart = -1;
  base = -1;
  beginWords(charset);
  beginTables(T_TBODY);
  let p = from;
  while (p >= 0) p = step(p);
  if (p == NEEDS_TREE || records > MAX_RECORDS) return 0;
  endWord();
  if (isDoubtful) return 0;
  store<i32>(<usize>CELLS, records);
  store<i32>(<usize>CELLS, words, 4);
  store<i32>(<usize>CELLS, pieces, 8);
  store<i32>(<usize>CELLS, titleStart, 12);
  store<i32>(<usize>CELLS, titleEnd, 16);
  store<i32>(<usize>CELLS, langStart, 20);
  store<i32>(<usize>CELLS, langEnd, 24);
  store<i32>(<usize>CELLS, base, 44);
  store<i32>(<usize>CELLS, isPlain(titleStart, titleEnd, MAX_TITLE_CHARACTERS) ? 1 : 0, 48);
  store<i32>(<usize>CELLS, isPlain(langStart, langEnd, MAX_LANGUAGE_CHARACTERS) ? 1 : 0, 52);
  store<i32>(<usize>CELLS, putFirstWords(pieces), 56);
  return 1;
}

/** Reads the text up to the next markup, and that; returns where to go on, or how it ended. */
function step(from: i32): i32 {
  const p = byteAt(from) == 0x3c ? from : text(from, end);
  if (p + 1 >= end) return DONE;
  const isClosing = byteAt(p + 1) == 0x2f;
  const name = isClosing ? p + 2 : p + 1;
  const isName = <u32>((byteAt(name) | 0x20) - 0x61) < 26 && name < end;
  return isName ? behindTag(name, isClosing) : nonTag(p);
}

/** Reads the tag whose name is at an offset. */
// @ts-ignore: decorator
@inline
function behindTag(name: i32, isClosing: bool): i32 {
  const p = readTag(name, end, isClosing);
  if (p < 0) return DONE;
  const id = tag;
  passTag(load<u8>(<usize>id, INLINE));
  if (foreign > 0) return foreignTag(p, isClosing);
  const kind: i32 = load<u8>(<usize>id, KIND);
  if (isClosing) {
    if (id == T_SELECT) inSelect = false;
    else if (kind == TABLE) {
      if (inSelect && openTables > 0) return NEEDS_TREE;
      if (!inSelect) endTable(id);
    }
    return p;
  }
  if (kind == PLAIN && !inSelect && !isStructural) return p;
  if (inSelect && load<u8>(<usize>id, IN_SELECT) == 0) return NEEDS_TREE;
  if (kind == TABLE) return startTable(id) ? p : NEEDS_TREE;
  if (isStructural && load<u8>(<usize>id, IN_TABLE) == 0) return NEEDS_TREE;
  return startTag(p, id, kind);
}

function nonTag(p: i32): i32 {
  if (foreign > 0 && byteAt(p + 1) == 0x21 && opensCdata(p)) return NEEDS_TREE;
  const after = afterNonTag(p, end);
  if (after >= 0) return after;
  // A "<" that opens no tag is part of the text.
  collect(p, p + 1, false);
  return p + 1;
}

function startTag(p: i32, id: i32, kind: i32): i32 {
  if (kind == PLAIN) return p;
  if (kind == TAKEN) {
    take(id);
    return p;
  }
  if (kind == RAW) {
    take(id);
    const close = rawTextEnd(p, end, nameOf(id), load<u8>(<usize>id, LENGTHS));
    if (id == T_TITLE) {
      if (titleStart < 0) {
        titleStart = p;
        titleEnd = min(close, p + MAX_TITLE);
      }
    } else if (id == T_XMP) collect(p, close, false);
    return close;
  }
  if (kind == SCRIPT) return scriptEnd(p, end, nameOf(id), load<u8>(<usize>id, LENGTHS));
  if (kind == SELECT) {
    inSelect = true;
    return p;
  }
  if (kind == SVG) {
    if (!isSelfClosing) openForeign();
    return p;
  }
  if (kind == PLAINTEXT) {
    collect(p, end, false);
    return DONE;
  }
  return NEEDS_TREE;
}

function nameOf(id: i32): i32 {
  return <i32>load<u16>(<usize>(2 * id), NAMES_AT);
}

/** Takes what the current start tag holds as an HTML element. */
function take(id: i32): void {
  const treatment: i32 = load<u8>(<usize>id, TREATMENT);
  if (treatment == HYPERLINK || treatment == A_BASE) {
    if (!has(HREF)) return;
    if (treatment == A_BASE && base < 0) base = records;
    note(id, HREF, REL, TYPE);
  } else if (treatment == FRAME) {
    if (has(SRC)) note(id, SRC, REL, TYPE);
  } else if (treatment == META) {
    if (has(CONTENT)) note(id, CONTENT, HTTP_EQUIV, NAME);
  } else if (treatment == ROOT && langStart < 0 && has(LANG)) {
    langStart = valueStart(LANG);
    langEnd = cut(LANG);
  }
}

// @ts-ignore: decorator
@inline
function cut(attribute: i32): i32 {
  return min(valueEnd(attribute), valueStart(attribute) + MAX_VALUE);
}

/** Element and attribute, then three values; one that is absent begins at -1. */
function note(id: i32, value: i32, second: i32, third: i32): void {
  if (records <= MAX_RECORDS) {
    const at = <usize>(RECORDS + RECORD * records);
    store<i32>(at, id | (value << 8));
    store<i32>(at, valueStart(value), 4);
    store<i32>(at, cut(value), 8);
    store<i32>(at, has(second) ? valueStart(second) : -1, 12);
    store<i32>(at, has(second) ? cut(second) : -1, 16);
    store<i32>(at, has(third) ? valueStart(third) : -1, 20);
    store<i32>(at, has(third) ? cut(third) : -1, 24);
    records++;
  }
}

function openForeign(): void {
  store<i32>(<usize>(FOREIGN + 8 * foreign), nameStart);
  store<i32>(<usize>(FOREIGN + 8 * foreign), nameEnd, 4);
  foreign++;
}

/** A tag inside SVG, as src/parse/foreign-tracker.ts takes it. */
function foreignTag(after: i32, isClosing: bool): i32 {
  if (isClosing) return closesForeign() ? after : NEEDS_TREE;
  const id = tag;
  if (id == T_TITLE || id == T_DESC) return afterPlainText(after);
  if (id == T_A) {
    if (has(HREF)) note(id, HREF, REL, TYPE);
    else if (has(XLINK_HREF)) note(id, XLINK_HREF, REL, TYPE);
  } else if (id != 0) return NEEDS_TREE;
  if (isSelfClosing) return after;
  if (foreign >= MAX_FOREIGN) return NEEDS_TREE;
  openForeign();
  return after;
}

function closesForeign(): bool {
  foreign--;
  const start = load<i32>(<usize>(FOREIGN + 8 * foreign));
  const length = load<i32>(<usize>(FOREIGN + 8 * foreign), 4) - start;
  if (length != nameEnd - nameStart) return false;
  let i = 0;
  while (
    i < length &&
    load<u8>(byteAt(start + i), LOWER) == load<u8>(byteAt(nameStart + i), LOWER)
  )
    i++;
  return i == length;
}

/** A title or desc that holds only text is skipped. */
function afterPlainText(after: i32): i32 {
  if (isSelfClosing) return after;
  const id = tag;
  const close = nextByte(0x3c, after, end);
  if (close >= end || byteAt(close + 1) != 0x2f) return NEEDS_TREE;
  const next = readTag(close + 2, end, true);
  return next >= 0 && tag == id ? next : NEEDS_TREE;
}
