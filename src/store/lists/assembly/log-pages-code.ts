// Finds the lines of plain pages in a log, and copies their URLs out. In JavaScript these loops run once over each byte of
// the log, which is too short for V8 to make them fast and too long for it not to.

/** Texts that lines consist of, each behind its length, and the names of the longest files. */
const PIECE: usize = 512;
const TIME: usize = 0;
const URL_START: usize = PIECE;
const OUTCOME: usize = 2 * PIECE;
const VIA: usize = 3 * PIECE;
const PARENT: usize = 4 * PIECE;
const END: usize = 5 * PIECE;
const OFFSET: usize = 6 * PIECE;
const FILE: usize = 7 * PIECE;

/** Of a line: its own place, and the places of URL and parent, in words, then the offset of its record; -1 for other lines. */
const ROWS: usize = 8 * PIECE;
const ROW: usize = 32;
const LINE_TO: usize = 4;
const URL_FROM: usize = 8;
const URL_TO: usize = 12;
const PARENT_FROM: usize = 16;
const PARENT_TO: usize = 20;
const RECORD: usize = 24;
/** So many rows have room. */
const ALL_ROWS: usize = 2048;

const BLOCK: usize = 16;
const LINE_FEED: u8 = 10;
const TAB: u8 = 9;
const QUOTE: u8 = 34;
const BRACE: u8 = 125;
const ZERO: u8 = 48;
const NINE: u8 = 57;
/** More digits may not fit a number. */
const MAX_DIGITS: usize = 15;

export const PIECE_BYTES: i32 = <i32>PIECE;
export const ROWS_AT: i32 = <i32>ROWS;
export const ROW_BYTES: i32 = <i32>ROW;
export const MAX_ROWS: i32 = <i32>ALL_ROWS;
export const TEXT_AT: i32 = <i32>(ROWS + ROW * ALL_ROWS);

/** Where the line that is looked at is read, and where it ends. */
let at: usize = 0;
let lineTo: usize = 0;

/** Makes a row of each line that ends between these places, of at most so many; answers how many. 16 more bytes can be read. */
export function scan(from: usize, to: usize, most: u32): u32 {
  let rows: u32 = 0;
  let start = from;
  let end = lineEnd(start, to);
  while (end < to && rows < most) {
    const row = ROWS + ROW * <usize>rows;
    store<u32>(row, <u32>start);
    store<u32>(row, <u32>end, LINE_TO);
    lineTo = end;
    const record = recordOf(start);
    at = start;
    store<f64>(row, record >= 0 && isPage(row) ? record : -1, RECORD);
    rows++;
    start = end + 1;
    end = lineEnd(start, to);
  }
  return rows;
}

/** Copies URL and parent of so many rows as lines with a tab between them; answers how many bytes. 16 more can be written. */
export function copyPairs(first: u32, rows: u32, out: usize): u32 {
  let to = out;
  let row = ROWS + ROW * <usize>first;
  const end = row + ROW * <usize>rows;
  while (row < end) {
    to = copy(<usize>load<u32>(row, URL_FROM), <usize>load<u32>(row, URL_TO), to);
    store<u8>(to, TAB);
    to = copy(<usize>load<u32>(row, PARENT_FROM), <usize>load<u32>(row, PARENT_TO), to + 1);
    store<u8>(to, LINE_FEED);
    to++;
    row += ROW;
  }
  return <u32>(to - out);
}

/** Copies whole blocks; what is written too much is written over. */
// @ts-ignore: decorator
@inline
function copy(from: usize, end: usize, out: usize): usize {
  let i: usize = 0;
  const bytes = end - from;
  while (i < bytes) {
    v128.store(out + i, v128.load(from + i));
    i += BLOCK;
  }
  return out + bytes;
}

/** Where the next line feed is; `to` or more when there is none before. */
function lineEnd(from: usize, to: usize): usize {
  let place = from;
  let found = 0;
  while (found === 0 && place < to) {
    found = i8x16.bitmask(i8x16.eq(v128.load(place), i8x16.splat(LINE_FEED)));
    place += BLOCK;
  }
  return found === 0 ? to : place - BLOCK + <usize>ctz<i32>(found);
}

/** As `PageInLog`: whether the line is that of a page with a parent, and both URLs are plain. Notes where they are. */
function isPage(row: usize): bool {
  if (!skip(TIME) || !skipText() || !skip(URL_START)) return false;
  store<u32>(row, <u32>at, URL_FROM);
  if (!skipText()) return false;
  store<u32>(row, <u32>at, URL_TO);
  if (!skip(OUTCOME) || !skipNumber() || !skip(VIA)) return false;
  if (!skipText() || !skip(PARENT)) return false;
  store<u32>(row, <u32>at, PARENT_FROM);
  if (!skipText()) return false;
  store<u32>(row, <u32>at, PARENT_TO);
  return skip(END);
}

/** As `LOG_END`: the offset of the record that the line names in the expected file; -1 when it ends otherwise. */
function recordOf(start: usize): f64 {
  if (lineTo === start || load<u8>(lineTo - 1) !== BRACE) return -1;
  const end = lineTo - 1;
  let digit = end;
  let value: u64 = 0;
  let weight: u64 = 1;
  while (digit > start && isDigit(load<u8>(digit - 1))) {
    digit--;
    value += weight * <u64>(load<u8>(digit) - ZERO);
    weight *= 10;
  }
  if (digit === end || end - digit > MAX_DIGITS) return -1;
  const offsetAt = before(OFFSET, digit, start);
  if (offsetAt === 0 || before(FILE, offsetAt, start) === 0) return -1;
  return <f64>value;
}

/** Where a piece begins that ends at a place; 0 when another text does, or the line begins too late. */
function before(piece: usize, end: usize, start: usize): usize {
  const bytes = <usize>load<u32>(piece);
  if (bytes === 0 || end < start + bytes) return 0;
  return isAt(piece, end - bytes, bytes) ? end - bytes : 0;
}

// @ts-ignore: decorator
@inline
function skip(piece: usize): bool {
  const bytes = <usize>load<u32>(piece);
  const isThere = at + bytes <= lineTo && isAt(piece, at, bytes);
  if (isThere) at += bytes;
  return isThere;
}

/** Whether a piece is at a place. */
function isAt(piece: usize, place: usize, bytes: usize): bool {
  const text = piece + 4;
  let i: usize = 0;
  while (i + 8 <= bytes && load<u64>(text + i) === load<u64>(place + i)) i += 8;
  while (i < bytes && load<u8>(text + i) === load<u8>(place + i)) i++;
  return i === bytes;
}

/** Steps over a text up to its quotation mark; false when it is empty or not plain. */
function skipText(): bool {
  const from = at;
  let odd = 0;
  while (odd === 0 && at < lineTo) {
    odd = i8x16.bitmask(oddIn(v128.load(at)));
    at += BLOCK;
  }
  if (odd === 0) return false;
  at += <usize>ctz<i32>(odd) - BLOCK;
  return at > from && at < lineTo && load<u8>(at) === QUOTE;
}

/** Marks what is a quotation mark, a backslash, "@", or not printable. */
// @ts-ignore: decorator
@inline
function oddIn(bytes: v128): v128 {
  const outside = v128.or(
    i8x16.lt_u(bytes, i8x16.splat(0x21)),
    i8x16.gt_u(bytes, i8x16.splat(0x7e)),
  );
  const escaped = v128.or(
    i8x16.eq(bytes, i8x16.splat(0x5c)),
    i8x16.eq(bytes, i8x16.splat(0x40)),
  );
  return v128.or(v128.or(outside, escaped), i8x16.eq(bytes, i8x16.splat(QUOTE)));
}

function skipNumber(): bool {
  const from = at;
  while (at < lineTo && isDigit(load<u8>(at))) at++;
  return at > from;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u8): bool {
  return byte >= ZERO && byte <= NINE;
}
