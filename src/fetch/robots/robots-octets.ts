/**
 * Rules and URLs are compared octet by octet in one of three spellings:
 * - plain: percent-escapes decoded, except those of reserved characters, which would change the meaning of the URL
 *   (`*` and `$` are decoded, because escaping is how a rule names them literally: RFC 9309, 2.2.3);
 * - query: as plain, and behind the first `?` also the reserved characters that are mere data there
 *   (RFC 9309, 2.2.2: a rule with `?baz=https://foo.bar` is compared as `?baz=https%3A%2F%2Ffoo.bar`);
 * - escaped: everything stays escaped, for rules with a lone `%` that mean the escape itself (`Disallow: /*%`).
 */
export type Spelling = "plain" | "query" | "escaped";

/** Stands for `*` in a compiled pattern; no URL contains it, because control characters stay escaped. */
export const WILDCARD = 0x00;

/** Stands for `$` at the end of a compiled pattern. */
export const END = 0x01;

const STAR = 0x2a;
const DOLLAR = 0x24;
const PERCENT = 0x25;
const QUESTION = 0x3f;
const HEX = Buffer.from("0123456789ABCDEF");

/** How an escape is treated: 0 is decoded, QUERY_DATA only in the query spelling, KEPT never. */
const KEPT = 1;
const QUERY_DATA = 2;
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(KEPT, 0x00, 0x20);
for (const char of "&=+%#\x7f") ESCAPES[char.charCodeAt(0)] = KEPT;
for (const char of "/?:@!'(),;[]") ESCAPES[char.charCodeAt(0)] = QUERY_DATA;

const UNRESERVED = /[A-Za-z0-9._~-]/;

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The octet that the escape at this position stands for, or -1 when no valid escape begins there. */
function escapedOctet(source: Uint8Array, at: number, end: number): number {
  if (source[at] !== PERCENT || at + 2 >= end) return -1;
  const high = hexDigit(source[at + 1]);
  const low = hexDigit(source[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/**
 * Writes a URL target or, with `pattern`, a rule in the given spelling, from `outStart` on, and returns where the
 * octets written end: at most three per octet read.
 */
export function respell(
  source: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  outStart: number,
  spelling: Spelling,
  pattern: boolean,
): number {
  let length = outStart;
  let inQuery = false;
  for (let at = start; at < end; at++) {
    const byte = source[at]!;
    const octet = escapedOctet(source, at, end);
    if (octet >= 0) {
      at += 2;
      const isData = spelling === "query" && inQuery && ESCAPES[octet] === QUERY_DATA;
      const escaped = spelling === "escaped" || (ESCAPES[octet] !== 0 && !isData);
      length = escaped ? writeEscape(out, length, octet) : write(out, length, octet);
    } else if (pattern && byte === STAR) {
      if (length === outStart || out[length - 1] !== WILDCARD)
        length = write(out, length, WILDCARD);
    } else if (pattern && byte === DOLLAR && at === end - 1) {
      length = write(out, length, END);
    } else if (byte < 0x20 || byte === 0x7f || (spelling === "escaped" && isEscapedInUrls(byte))) {
      length = writeEscape(out, length, byte);
    } else {
      if (byte === QUESTION) inQuery = true;
      length = write(out, length, byte);
    }
  }
  return length;
}

function isEscapedInUrls(byte: number): boolean {
  return byte === 0x20 || byte >= 0x80;
}

function write(out: Uint8Array, at: number, octet: number): number {
  out[at] = octet;
  return at + 1;
}

function writeEscape(out: Uint8Array, at: number, octet: number): number {
  out[at] = PERCENT;
  out[at + 1] = HEX[octet >> 4]!;
  out[at + 2] = HEX[octet & 15]!;
  return at + 3;
}

const PLAIN: readonly Spelling[] = ["plain"];

/** Which spellings a rule must be compared in: always plain, rarely another one too. */
export function spellingsOf(source: Uint8Array, start: number, end: number): readonly Spelling[] {
  let queryAt = -1;
  let hasQueryData = false;
  let hasLonePercent = false;
  for (let at = start; at < end; at++) {
    const byte = source[at]!;
    const octet = escapedOctet(source, at, end);
    if (byte === PERCENT && octet < 0) hasLonePercent = true;
    const value = octet < 0 ? byte : octet;
    if (queryAt >= 0 && ESCAPES[value] === QUERY_DATA) hasQueryData = true;
    if (queryAt < 0 && byte === QUESTION) queryAt = at;
  }
  if (!hasQueryData && !hasLonePercent) return PLAIN;
  const others: Spelling[] = [];
  if (hasQueryData) others.push("query");
  if (hasLonePercent) others.push("escaped");
  return [...PLAIN, ...others];
}

/**
 * How specific a rule is: its octets after the encoding of RFC 9309, 2.2.2, special characters included, so that
 * `/page*` is longer than `/page` as in Google's parser.
 */
export function specificity(source: Uint8Array, start: number, end: number): number {
  let octets = 0;
  for (let at = start; at < end; at++) {
    const octet = escapedOctet(source, at, end);
    if (octet < 0) {
      octets += source[at]! < 0x80 ? 1 : 3;
    } else {
      at += 2;
      octets += UNRESERVED.test(String.fromCharCode(octet)) ? 1 : 3;
    }
  }
  return octets;
}
