// The facts of a capture frame (store/page-frame.ts), and whether the page is a plain one.

import {
  BYTES, CHARSET, DATE, DECODED_BYTES, DEPTH, FLAGS, HAS_DECODED, HAS_LANGUAGE, HAS_PARENT,
  HEAD_BYTES, IP, IS_DECHUNKED, IS_PLAIN, LANGUAGE, LINE_BYTES, LINK_BYTES, LINKS, LINKS_ALL, MIME,
  PAGE_WORDS, PARENT, PRINTS, RARE, REQUEST_BYTES, ROBOTS, SEED_HIGH, SEED_LOW, STATUS, TEXT_BYTES,
  TITLE, TOOK_MS, TRUNCATED, URL_TEXT, VIA, WORDS,
} from "../../page-frame";
import { FACTS, MAX_LINKS, MAX_METADATA, MAX_TITLE, MAX_URL } from "./store-layout";
import { isAscii, isClean, isPlain, isPlainUrl } from "./texts";

const PRINT_BYTES = 12;
const TEXTS = RARE - TITLE + 1;

export let depth: u32 = 0;
export let pageWords: u32 = 0;
export let tookMs: u32 = 0;
export let links: i32 = 0;
export let linksAll: u32 = 0;
export let dateMs: i64 = 0;
export let decodedBytes: u64 = 0;
export let hasDecoded: bool = false;
export let hasParent: bool = false;
export let isDechunked: bool = false;
export let prints: usize = 0;
export let lineAt: usize = 0;
export let lineBytes: i32 = 0;
export let linksAt: usize = 0;
export let linkBytes: i32 = 0;
export let requestAt: usize = 0;
export let requestBytes: i32 = 0;
export let headAt: usize = 0;
export let headBytes: i32 = 0;

/** The short texts in their order, by where each begins: title, url, language, via, mime, ip, parent, truncated, charset, robots, rare. */
let textAt: usize = 0;
export let titleAt: usize = 0;
export let titleBytes: i32 = 0;
export let urlAt: usize = 0;
export let urlBytes: i32 = 0;
export let languageAt: usize = 0;
export let languageBytes: i32 = 0;
export let viaAt: usize = 0;
export let viaBytes: i32 = 0;
export let mimeAt: usize = 0;
export let mimeBytes: i32 = 0;
export let ipAt: usize = 0;
export let ipBytes: i32 = 0;
export let parentAt: usize = 0;
export let parentBytes: i32 = 0;
export let charsetAt: usize = 0;
export let charsetBytes: i32 = 0;
export let robotsAt: usize = 0;
export let robotsBytes: i32 = 0;

// @ts-ignore: decorator
@inline
function word(index: i32): u32 {
  return load<u32>(FACTS + 4 * index);
}

// @ts-ignore: decorator
@inline
function wide(index: i32): f64 {
  return load<f64>(FACTS + 4 * index);
}

/** Whether a number is one that can be written as it is. */
function isWhole(value: f64, most: f64): bool {
  return value >= 0 && value <= most && value == Math.floor(value);
}

const MAX_DATE: f64 = 4102444800000;
const MAX_SAFE: f64 = 9007199254740991;

/** Reads the facts; false when the page is not plain, or its body is not of that size. */
export function readFacts(bodyBytes: i32, seedLow: i32, seedHigh: i32): bool {
  const flags = word(FLAGS);
  if ((flags & IS_PLAIN) == 0 || word(STATUS) != 200) return false;
  links = word(LINKS);
  if (<u32>links > <u32>MAX_LINKS || word(PRINTS) != <u32>links) return false;
  if (links > 0 && (word(SEED_LOW) != <u32>seedLow || word(SEED_HIGH) != <u32>seedHigh)) return false;
  const date = wide(DATE);
  if (!(date >= 0 && date < MAX_DATE) || wide(BYTES) != <f64>bodyBytes) return false;
  const decoded = wide(DECODED_BYTES);
  if (!isWhole(decoded, MAX_SAFE)) return false;
  dateMs = <i64>date;
  decodedBytes = <u64>decoded;
  hasDecoded = (flags & HAS_DECODED) != 0;
  hasParent = (flags & HAS_PARENT) != 0;
  isDechunked = (flags & IS_DECHUNKED) != 0;
  depth = word(DEPTH);
  pageWords = word(PAGE_WORDS);
  tookMs = word(TOOK_MS);
  linksAll = word(LINKS_ALL);
  prints = FACTS + 4 * WORDS;
  lineAt = prints + PRINT_BYTES * links;
  // Without its closing brace; below 0 when it is left out.
  lineBytes = <i32>word(LINE_BYTES) - 1;
  textAt = lineAt + word(LINE_BYTES);
  linksAt = textAt + word(TEXT_BYTES);
  linkBytes = word(LINK_BYTES);
  requestAt = linksAt + linkBytes;
  requestBytes = word(REQUEST_BYTES);
  headAt = requestAt + requestBytes;
  headBytes = word(HEAD_BYTES);
  return areTextsPlain(flags);
}

function areTextsPlain(flags: u32): bool {
  let chars: u32 = 0;
  let i = 0;
  while (i < TEXTS) {
    chars += word(TITLE + i);
    i++;
  }
  // Only the title, which comes first, may be more than ASCII: then the other lengths say how long it is in bytes.
  const extra = word(TEXT_BYTES) - chars;
  titleAt = textAt;
  titleBytes = word(TITLE) + extra;
  urlAt = titleAt + titleBytes;
  urlBytes = word(URL_TEXT);
  languageAt = urlAt + urlBytes;
  languageBytes = word(LANGUAGE);
  viaAt = languageAt + languageBytes;
  viaBytes = word(VIA);
  mimeAt = viaAt + viaBytes;
  mimeBytes = word(MIME);
  ipAt = mimeAt + mimeBytes;
  ipBytes = word(IP);
  parentAt = ipAt + ipBytes;
  parentBytes = word(PARENT);
  charsetAt = parentAt + parentBytes;
  charsetBytes = word(CHARSET);
  robotsAt = charsetAt + charsetBytes;
  robotsBytes = word(ROBOTS);
  // Neither truncated nor anything rare.
  if (word(TRUNCATED) != 0 || word(RARE) != 0) return false;
  if (titleBytes > MAX_TITLE || urlBytes > MAX_URL || parentBytes > MAX_URL) return false;
  if (languageBytes + mimeBytes + charsetBytes + robotsBytes > MAX_URL) return false;
  if (linkBytes + titleBytes + 3 * MAX_URL > MAX_METADATA) return false;
  // Whatever text is not ASCII beside the title shifts all of them: then some byte behind the title is not.
  return (
    isAscii(urlAt, <i32>(linksAt - urlAt)) &&
    isPlainUrl(urlAt, urlBytes) &&
    (!hasParent || isPlainUrl(parentAt, parentBytes)) &&
    ((flags & HAS_LANGUAGE) != 0 || languageBytes == 0) &&
    isPlain(languageAt, languageBytes) &&
    isPlain(mimeAt, mimeBytes) &&
    isPlain(charsetAt, charsetBytes) &&
    isPlain(robotsAt, robotsBytes) &&
    isAddress() &&
    isClean(titleAt, titleBytes) &&
    isAscii(linksAt, linkBytes)
  );
}

/** As IP_ADDRESS of archive.ts. */
function isAddress(): bool {
  if (ipBytes < 2 || ipBytes > 45) return false;
  let i = 0;
  while (i < ipBytes) {
    const byte = load<u8>(ipAt + i);
    const lower = byte | 32;
    const isDigit = (byte >= 48 && byte <= 58) || byte == 46 || (lower >= 97 && lower <= 102);
    if (!isDigit) return false;
    i++;
  }
  return true;
}
