// Sorts whole lines in byte order (LC_ALL=C) by the places where they begin, and copies them out in that order. In JavaScript
// these loops would be compiled twice for one crawl, which costs more than running them.

const LINE_FEED: u8 = 10;
const LINE_FEEDS: u64 = 0x0a0a0a0a0a0a0a0a;
const BLOCK: usize = 16;
/** Fewer lines are sorted by comparing them. */
const FEW: u32 = 12;

/** Where lines are copied to, and how many bytes at most. */
const OUT: usize = 0;
const OUT_BYTES: usize = 256 * 1024;
const TEXT: usize = OUT + OUT_BYTES;

let bytes: usize = 0;
let starts: usize = 0;
let count: u32 = 0;
/** How many lines were copied out or left out, where the last one copied begins, and how many those are. */
let taken: u32 = 0;
let last: usize = 0;
let copied: u32 = 0;

export const OUT_AT: i32 = <i32>OUT;
export const TEXT_AT: i32 = <i32>TEXT;

/** Counts the lines of a text of so many bytes, which ends with a line end or is empty. */
export function countLines(size: u32): u32 {
  bytes = <usize>size;
  let lines: u32 = 0;
  let at: usize = 0;
  while (at < bytes) {
    lines += <u32>popcnt<i32>(lineEndsAt(at));
    at += BLOCK;
  }
  return lines;
}

/** Where the places of the lines are, in words, in their order once they are sorted. */
export function startsAt(): usize {
  return TEXT + ((bytes + BLOCK + 3) & ~3);
}

/** Sorts the lines; there is memory for so many places. */
export function order(lines: u32): void {
  starts = startsAt();
  count = lines;
  taken = 0;
  copied = 0;
  findStarts();
  sort(0, count, 0);
}

/** Copies the next lines, equal ones once if asked for; answers how many bytes, 0 at the end or where `longLine` is next. */
export function copyNext(once: bool): u32 {
  let used: usize = 0;
  while (taken < count) {
    const start = startOf(taken);
    if (once && copied > 0 && areEqual(last, start)) {
      taken++;
    } else {
      const length = lengthOf(start);
      if (used + length > OUT_BYTES) return <u32>used;
      memory.copy(OUT + used, start, length);
      used += length;
      noteTaken(start);
    }
  }
  return <u32>used;
}

/** Takes the next line, which is longer than what can be copied; answers its length with the line end, 0 at the end. */
export function longLine(): u32 {
  if (taken >= count) return 0;
  noteTaken(startOf(taken));
  return <u32>lengthOf(last);
}

/** Where the last line begins that was taken. */
export function lastAt(): usize {
  return last;
}

/** How many lines were copied or taken. */
export function written(): u32 {
  return copied;
}

function noteTaken(start: usize): void {
  last = start;
  taken++;
  copied++;
}

/** The line ends of a block, as bits. */
// @ts-ignore: decorator
@inline
function lineEndsAt(at: usize): i32 {
  const ends = i8x16.bitmask(i8x16.eq(v128.load(TEXT + at), i8x16.splat(LINE_FEED)));
  const left = bytes - at;
  // What follows the text is none of its bytes.
  return left < BLOCK ? ends & ((1 << <i32>left) - 1) : ends;
}

function findStarts(): void {
  let to = starts;
  let from: usize = TEXT;
  let at: usize = 0;
  while (at < bytes) {
    let ends = lineEndsAt(at);
    while (ends !== 0) {
      store<u32>(to, <u32>from);
      to += 4;
      from = TEXT + at + <usize>ctz<i32>(ends) + 1;
      ends &= ends - 1;
    }
    at += BLOCK;
  }
}

// @ts-ignore: decorator
@inline
function startOf(line: u32): usize {
  return <usize>load<u32>(starts + (<usize>line << 2));
}

// @ts-ignore: decorator
@inline
function setStart(line: u32, start: usize): void {
  store<u32>(starts + (<usize>line << 2), <u32>start);
}

/** Bytes of a line with its end. */
function lengthOf(start: usize): usize {
  let at = start;
  let ends = 0;
  while (ends === 0) {
    ends = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(LINE_FEED)));
    at += BLOCK;
  }
  return at - BLOCK + <usize>ctz<i32>(ends) + 1 - start;
}

/** The byte of a line, 0 at its end: a line is before all that go on. */
// @ts-ignore: decorator
@inline
function keyAt(at: usize): i32 {
  const byte = load<u8>(at);
  return byte === LINE_FEED ? 0 : <i32>byte + 1;
}

/** Whether eight bytes hold a line end. */
// @ts-ignore: decorator
@inline
function hasEnd(word: u64): bool {
  const zero = word ^ LINE_FEEDS;
  return ((zero - 0x0101010101010101) & ~zero & 0x8080808080808080) !== 0;
}

function areEqual(a: usize, b: usize): bool {
  return compare(a, b) === 0;
}

/** Compares two lines from these places on. */
function compare(from: usize, other: usize): i32 {
  let a = from;
  let b = other;
  let word = load<u64>(a);
  while (word === load<u64>(b) && !hasEnd(word)) {
    a += 8;
    b += 8;
    word = load<u64>(a);
  }
  let x = keyAt(a);
  let y = keyAt(b);
  while (x === y && x !== 0) {
    a++;
    b++;
    x = keyAt(a);
    y = keyAt(b);
  }
  return x - y;
}

/** How many of the next bytes all these lines have in common, eight at a time. */
function commonBytes(low: u32, high: u32, depth: usize): usize {
  let common: usize = 0;
  let isCommon = true;
  while (isCommon) {
    const word = load<u64>(startOf(low) + depth + common);
    isCommon = !hasEnd(word);
    let line = low + 1;
    while (isCommon && line < high) {
      isCommon = load<u64>(startOf(line) + depth + common) === word;
      line++;
    }
    if (isCommon) common += 8;
  }
  return common;
}

/**
 * Sorts the lines from `from` to `to`, whose first `depth` bytes are equal: three ways by their next byte, then each part
 * by itself. The largest part is the next turn of the loop, so the stack stays low whatever the lines are.
 */
function sort(from: u32, to: u32, depth: usize): void {
  let low = from;
  let high = to;
  let at = depth;
  while (high - low > FEW) {
    at += commonBytes(low, high, at);
    const pivot = middleOf(
      keyAt(startOf(low) + at),
      keyAt(startOf((low + high) >> 1) + at),
      keyAt(startOf(high - 1) + at),
    );
    const equal = placeLess(low, high, at, pivot);
    const more = placeLess(equal, high, at, pivot + 1);
    const less = equal - low;
    // Lines that end here are equal.
    const sameTo = pivot === 0 ? equal : more;
    const same = sameTo - equal;
    const rest = high - more;
    if (same >= less && same >= rest) {
      sort(low, equal, at);
      sort(more, high, at);
      low = equal;
      high = sameTo;
      at++;
    } else {
      sort(equal, sameTo, at + 1);
      if (less >= rest) {
        sort(more, high, at);
        high = equal;
      } else {
        sort(low, equal, at);
        low = more;
      }
    }
  }
  insert(low, high, at);
}

/** Brings the lines whose byte is below the pivot to the front; answers where the others begin. */
function placeLess(from: u32, to: u32, depth: usize, pivot: i32): u32 {
  let place = from;
  let line = from;
  while (line < to) {
    const start = startOf(line);
    if (keyAt(start + depth) < pivot) {
      setStart(line, startOf(place));
      setStart(place, start);
      place++;
    }
    line++;
  }
  return place;
}

function middleOf(a: i32, b: i32, c: i32): i32 {
  return max(min(a, b), min(max(a, b), c));
}

function insert(from: u32, to: u32, depth: usize): void {
  let line = from + 1;
  while (line < to) {
    const start = startOf(line);
    let place = line;
    while (place > from && compare(startOf(place - 1) + depth, start + depth) > 0) {
      setStart(place, startOf(place - 1));
      place--;
    }
    setStart(place, start);
    line++;
  }
}
