// Counts the words of a page and notes where its first words are, as src/parse/words/word-counter.ts does.
import { below, bits32, is, isSpace } from "./byte-blocks";
import { FIRST_WORDS, MAX_PIECES, PAGE, PIECES, WORD_BYTE } from "./engine-layout";

/** Words begun so far; 1 when the last byte belonged to one. */
export let words: i32 = 0;
let inWord: i32 = 0;
/** First words that are complete; pieces noted; whether a word has pieces and goes on. */
let firsts: i32 = 0;
export let pieces: i32 = 0;
let isOpen: bool = false;
/** Something here is left to the reference. */
export let isDoubtful: bool = false;

let classes: usize = 0;
/** As `beginWords` says. */
let charsetKind: i32 = 0;

/** `charset`: 0 UTF-8, 1 one byte per character, 2 several. */
export function beginWords(charset: i32): void {
  words = 0;
  inWord = 0;
  firsts = 0;
  pieces = 0;
  isOpen = false;
  isDoubtful = false;
  classes = <usize>(WORD_BYTE + 256 * charset);
  charsetKind = charset;
}

function note(from: i32, to: i32): void {
  if (pieces >= MAX_PIECES) isDoubtful = true;
  else {
    store<i32>(<usize>(PIECES + 8 * pieces), from);
    store<i32>(<usize>(PIECES + 8 * pieces), to, 4);
    pieces++;
  }
}

function append(from: i32, to: i32): void {
  if (firsts >= FIRST_WORDS) return;
  // A byte order mark is no character: whether such a word has any is for the decoder to say.
  if (charsetKind == 0 && load<u8>(<usize>from, PAGE) == 0xef) isDoubtful = true;
  note(from, to);
  isOpen = true;
}

function close(): void {
  if (firsts < FIRST_WORDS) {
    note(0, -1);
    firsts++;
  }
  isOpen = false;
}

/** Ends the word before the end of the page. */
export function endWord(): void {
  passTag(0);
}

/** A block-level tag ends the word before it; 1 for an inline one. Which it is, is better not guessed by a branch. */
// @ts-ignore: decorator
@inline
export function passTag(isInline: i32): void {
  if (isOpen && isInline == 0) close();
  inWord &= isInline;
}

/** Length of the no-break space or wide space that begins at an offset, 0 when there is none. */
function separatorLength(p: i32): i32 {
  const byte = load<u8>(<usize>p, PAGE);
  if (byte == 0x26) return isNoBreakReference(p) ? 6 : 0;
  const second = load<u8>(<usize>p, PAGE + 1);
  const third = load<u8>(<usize>p, PAGE + 2);
  if (byte == 0xc2) return second == 0xa0 ? 2 : 0;
  if (second != 0x80) return 0;
  if (byte == 0xe3) return third == 0x80 ? 3 : 0;
  const isSpace = (third >= 0x80 && third <= 0x8a) || third == 0xaf;
  return byte == 0xe2 && isSpace ? 3 : 0;
}

/** &nbsp; &#160; &#xa0; or &#xA0; */
function isNoBreakReference(p: i32): bool {
  const first = load<u32>(<usize>p, PAGE);
  const rest = load<u16>(<usize>p, PAGE + 4);
  if (first == 0x73626e26) return rest == 0x3b70; // "&nbs" "p;"
  if (first == 0x36312326) return rest == 0x3b30; // "&#16" "0;"
  return (first == 0x61782326 || first == 0x41782326) && rest == 0x3b30; // "&#xa" or "&#xA", "0;"
}

/** Counts from an offset up to another, or to the next "<", and notes the first words. */
export function collect(start: i32, end: i32, stopsAtTag: bool): i32 {
  let wordStart = inWord == 1 ? start : -1;
  let p = start;
  let isText = true;
  while (isText && p < end) {
    const byte = load<u8>(<usize>p, PAGE);
    if (stopsAtTag && byte == 0x3c) isText = false;
    else {
      let kind = load<u8>(classes + byte);
      let length = 1;
      if (kind == 2) {
        const separator = separatorLength(p);
        kind = separator == 0 ? 1 : 0;
        if (separator > 0) length = separator;
      }
      if (kind == 1 && wordStart < 0) {
        wordStart = p;
        words++;
      } else if (kind == 0 && wordStart >= 0) {
        append(wordStart, p);
        close();
        wordStart = -1;
      }
      p += length;
    }
  }
  if (wordStart >= 0) append(wordStart, p);
  inWord = wordStart >= 0 ? 1 : 0;
  return p;
}

/** Counts up to the next "<" or the end, 32 bytes at a time; returns that offset. */
export function text(start: i32, end: i32): i32 {
  if (firsts < FIRST_WORDS) return collect(start, end, true);
  let p = start;
  let count = words;
  let inside = <u64>inWord;
  /** Bits of a separator that reaches into the next 32 bytes. */
  let carried: u64 = 0;
  let isText = p < end;
  while (isText) {
    const a = v128.load(<usize>p, PAGE);
    const b = v128.load(<usize>p, PAGE + 16);
    let stops = bits32(is(a, 0x3c), is(b, 0x3c));
    if (end - p < 32) stops |= (<u64>1) << (<u64>(end - p));
    const mask = below(stops) & 0xffffffff;
    let spaces = bits32(isSpace(a), isSpace(b));
    if (bits32(isOdd(a), isOdd(b)) != 0) {
      spaces |= carried | separators(p, mask);
      carried = spaces >> 32;
    } else if (carried != 0) {
      spaces |= carried;
      carried = 0;
    }
    const letters = ~spaces & mask;
    // For each byte, and the one behind the last: whether the one before it was in a word.
    const before = (letters << 1) | inside;
    count += <i32>popcnt<u64>(letters & ~before);
    if (stops == 0) {
      inside = before >> 32;
      p += 32;
      isText = p < end;
    } else {
      const length = ctz<u64>(stops);
      inside = (before >> length) & 1;
      p += <i32>length;
      isText = false;
    }
  }
  words = count;
  inWord = <i32>inside;
  return p;
}

/** What may begin a separator that is no white space of ASCII: "&", and what is above ASCII. */
// @ts-ignore: decorator
@inline
function isOdd(block: v128): v128 {
  return v128.or(is(block, 0x26), block);
}

/** A bit for every byte of such separators that begin in these 32 bytes of text, and for those that reach behind them. */
function separators(p: i32, mask: u64): u64 {
  const a = v128.load(<usize>p, PAGE);
  const b = v128.load(<usize>p, PAGE + 16);
  let found: u64 = 0;
  let references = bits32(is(a, 0x26), is(b, 0x26)) & mask;
  while (references != 0) {
    const place = ctz<u64>(references);
    if (isNoBreakReference(p + <i32>place)) found |= (<u64>0x3f) << place;
    references &= references - 1;
  }
  const high = bits32(a, b) & mask;
  if (high == 0 || charsetKind == 2) return found;
  if (charsetKind == 1) return found | (high & bits32(is(a, 0xa0), is(b, 0xa0)));
  const three = high & bits32(isWide(p), isWide(p + 16));
  const two = high & bits32(isNoBreak(p), isNoBreak(p + 16));
  return found | two | (two << 1) | three | (three << 1) | (three << 2);
}

/** Where U+3000, U+2000 to U+200A or U+202F begin. */
// @ts-ignore: decorator
@inline
function isWide(p: i32): v128 {
  const first = v128.load(<usize>p, PAGE);
  const third = v128.load(<usize>p, PAGE + 2);
  const general = v128.or(
    i8x16.le_u(i8x16.sub(third, i8x16.splat(<i8>0x80)), i8x16.splat(0x0a)),
    is(third, 0xaf),
  );
  const isOne = v128.or(
    v128.and(is(first, 0xe3), is(third, 0x80)),
    v128.and(is(first, 0xe2), general),
  );
  return v128.and(is(v128.load(<usize>p, PAGE + 1), 0x80), isOne);
}

/** Where U+00A0 begins. */
// @ts-ignore: decorator
@inline
function isNoBreak(p: i32): v128 {
  return v128.and(is(v128.load(<usize>p, PAGE), 0xc2), is(v128.load(<usize>p, PAGE + 1), 0xa0));
}
