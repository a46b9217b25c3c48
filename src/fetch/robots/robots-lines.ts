/** How many bytes of a robots.txt are read; RFC 9309 section 2.5 asks for at least 500 KiB. */
export const ROBOTS_MAX_BYTES = 500 * 1024;

const LINE_MAX_BYTES = 8 * 1024;

/** The kinds of line that mean something to a crawler. */
export type RobotsField =
  | "user-agent"
  | "allow"
  | "disallow"
  | "sitemap"
  | "crawl-delay"
  | "content-signal";

/** Receives one meaningful line: its 1-based number and where its trimmed value lies in the bytes. */
export type LineVisitor = (field: RobotsField, start: number, end: number, line: number) => void;

/** Exact spellings only: the misspellings are those that Google's parser and Protego both accept. */
const FIELDS = new Map<string, RobotsField>([
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["sitemap", "sitemap"],
  ["sitemaps", "sitemap"],
  ["site-map", "sitemap"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["crawl delay", "crawl-delay"],
  ["content-signal", "content-signal"],
]);
const LONGEST_FIELD = 14;

const NUL = 0x00;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HASH = 0x23;
const COLON = 0x3a;

function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= TAB && byte <= CR);
}

/** Calls the visitor for every meaningful line, in order; one pass, lines end with CR, LF or CRLF. */
export function scanLines(bytes: Uint8Array, visit: LineVisitor): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = Math.min(view.length, ROBOTS_MAX_BYTES);
  const maybeCut = view.length >= ROBOTS_MAX_BYTES;
  let line = 0;
  let start = byteOrderMark(view);
  while (start < end) {
    line++;
    let stop = start;
    while (stop < end && view[stop] !== LF && view[stop] !== CR) stop++;
    // Half a line must not become a rule: "Allow: /" may be the beginning of "Allow: /only-this".
    if (stop === end && maybeCut && stop - start < LINE_MAX_BYTES) return;
    const isCut = stop - start > LINE_MAX_BYTES;
    readLine(
      view,
      start,
      Math.min(stop, start + LINE_MAX_BYTES),
      line,
      isCut ? noAllow(visit) : visit,
    );
    start = stop + (view[stop] === CR && view[stop + 1] === LF ? 2 : 1);
  }
}

/** The beginning of a rule that was cut forbids more than the rule, but it would also allow more. */
function noAllow(visit: LineVisitor): LineVisitor {
  return (field, start, end, line) => {
    if (field !== "allow") visit(field, start, end, line);
  };
}

/** Bytes to skip at the start: a UTF-8 byte order mark, or the beginning of one as Google skips it. */
function byteOrderMark(view: Buffer): number {
  if (view[0] !== 0xef) return 0;
  if (view[1] !== 0xbb) return 1;
  return view[2] === 0xbf ? 3 : 2;
}

function readLine(view: Buffer, from: number, to: number, line: number, visit: LineVisitor): void {
  let start = from;
  while (start < to && isSpace(view[start]!)) start++;
  let separator = -1;
  let end = start;
  for (; end < to; end++) {
    const byte = view[end]!;
    // A NUL ends the line as in the C string it once was; what follows it is not text.
    if (byte === HASH || byte === NUL) break;
    if (byte === COLON && separator < 0) separator = end;
  }
  while (end > start && isSpace(view[end - 1]!)) end--;
  if (separator < 0) separator = missingColon(view, start, end);
  if (separator < 0) return;
  let nameEnd = separator;
  while (nameEnd > start && isSpace(view[nameEnd - 1]!)) nameEnd--;
  if (nameEnd - start > LONGEST_FIELD) return;
  const field = FIELDS.get(view.toString("latin1", start, nameEnd).toLowerCase());
  if (field === undefined) return;
  let value = separator + 1;
  while (value < end && isSpace(view[value]!)) value++;
  visit(field, value, Math.max(value, end), line);
}

/** "Disallow /path" is accepted when exactly two words stand there; any other line without colon is prose. */
function missingColon(view: Buffer, start: number, end: number): number {
  let first = start;
  while (first < end && !isSpace(view[first]!)) first++;
  let second = first;
  while (second < end && isSpace(view[second]!)) second++;
  for (let at = second; at < end; at++) if (isSpace(view[at]!)) return -1;
  return second < end ? first : -1;
}
