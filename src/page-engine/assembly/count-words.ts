// Counts the words of a page and notes where its first words are, as src/parse/words/word-counter.ts does.
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
let isUtf8: bool = false;
let extraSpace: u8 = 0x20;

/** `charset`: 0 UTF-8, 1 one byte per character, 2 several. */
export function beginWords(charset: i32): void {
  words = 0;
  inWord = 0;
  firsts = 0;
  pieces = 0;
  isOpen = false;
  isDoubtful = false;
  classes = <usize>(WORD_BYTE + 256 * charset);
  isUtf8 = charset == 0;
  extraSpace = charset == 1 ? 0xa0 : 0x20;
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
  if (isUtf8 && load<u8>(<usize>(PAGE + from)) == 0xef) isDoubtful = true;
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

/** A block-level tag ends the word before it. */
export function endWord(): void {
  if (isOpen) close();
  inWord = 0;
}

/** Length of the no-break space or wide space that begins at an offset, 0 when there is none. */
function separatorLength(p: i32): i32 {
  const at = <usize>(PAGE + p);
  const byte = load<u8>(at);
  if (byte == 0x26) return isNoBreakReference(at) ? 6 : 0;
  const second = load<u8>(at, 1);
  const third = load<u8>(at, 2);
  if (byte == 0xc2) return second == 0xa0 ? 2 : 0;
  if (second != 0x80) return 0;
  if (byte == 0xe3) return third == 0x80 ? 3 : 0;
  const isSpace = (third >= 0x80 && third <= 0x8a) || third == 0xaf;
  return byte == 0xe2 && isSpace ? 3 : 0;
}

/** &nbsp; &#160; &#xa0; or &#xA0; */
function isNoBreakReference(at: usize): bool {
  const first = load<u32>(at);
  const rest = load<u16>(at, 4);
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
    const byte = load<u8>(<usize>(PAGE + p));
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

/** Counts up to the next "<" or the end; returns that offset. */
export function text(start: i32, end: i32): i32 {
  if (firsts < FIRST_WORDS) return collect(start, end, true);
  let p = start;
  while (p < end && load<u8>(<usize>(PAGE + p)) != 0x3c) {
    p = run(p, end);
    if (p < end && load<u8>(<usize>(PAGE + p)) == 0x26) {
      const length = isNoBreakReference(<usize>(PAGE + p)) ? 6 : 0;
      if (length == 0 && inWord == 0) words++;
      inWord = length == 0 ? 1 : 0;
      p += length == 0 ? 1 : length;
    }
  }
  return p;
}

/** Sixteen bytes at a time, up to the next "<" or "&" or the end. */
function run(start: i32, end: i32): i32 {
  const lessThan = i8x16.splat(<i8>0x3c);
  const ampersand = i8x16.splat(<i8>0x26);
  const blank = i8x16.splat(<i8>0x20);
  const space = i8x16.splat(<i8>extraSpace);
  const tab = i8x16.splat(<i8>0x09);
  const four = i8x16.splat(4);
  const verticalTab = i8x16.splat(<i8>0x0b);
  let count = words;
  let inside = inWord;
  let wide = 0;
  let p = start;
  let isText = true;
  while (isText && p < end) {
    const at = <usize>(PAGE + p);
    const block = v128.load(at);
    const stops = i8x16.bitmask(v128.or(i8x16.eq(block, lessThan), i8x16.eq(block, ampersand)));
    const left = end - p;
    let length = ctz<i32>(stops | 0x10000);
    if (length > left) length = left;
    const plain = v128.or(i8x16.eq(block, blank), i8x16.eq(block, space));
    const control = v128.and(
      i8x16.le_u(i8x16.sub(block, tab), four),
      i8x16.ne(block, verticalTab),
    );
    let spaces = i8x16.bitmask(v128.or(plain, control));
    if (isUtf8 && i8x16.bitmask(block) != 0) {
      wide |= wideSpaces(at, block);
      spaces |= wide;
      wide = wide >> 16;
    } else {
      spaces |= wide;
      wide = 0;
    }
    const letters = ~spaces & ((1 << length) - 1);
    count += popcnt<i32>(letters & ~((letters << 1) | inside));
    if (length > 0) inside = (letters >> (length - 1)) & 1;
    p += length;
    isText = length == 16;
  }
  words = count;
  inWord = inside;
  return p;
}

/** A bit for every byte of a wide space that begins in this block; up to two bits behind it. */
function wideSpaces(at: usize, block: v128): i32 {
  const second = v128.load(at, 1);
  const third = v128.load(at, 2);
  const general = v128.and(
    i8x16.eq(block, i8x16.splat(<i8>0xe2)),
    v128.or(
      i8x16.le_u(i8x16.sub(third, i8x16.splat(<i8>0x80)), i8x16.splat(<i8>0x0a)),
      i8x16.eq(third, i8x16.splat(<i8>0xaf)),
    ),
  );
  const ideographic = v128.and(
    i8x16.eq(block, i8x16.splat(<i8>0xe3)),
    i8x16.eq(third, i8x16.splat(<i8>0x80)),
  );
  const three = i8x16.bitmask(
    v128.and(i8x16.eq(second, i8x16.splat(<i8>0x80)), v128.or(general, ideographic)),
  );
  const two = i8x16.bitmask(
    v128.and(i8x16.eq(block, i8x16.splat(<i8>0xc2)), i8x16.eq(second, i8x16.splat(<i8>0xa0))),
  );
  return three | two | ((three | two) << 1) | (three << 2);
}
