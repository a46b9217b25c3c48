import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { isVariable } from "./url-shape.ts";

const SLASH = 47;
const NUMBER_SIGN = 35;
const STAR = 42;
const QUESTION_MARK = 63;
const NOTHING = 0;
const FIRST_STATE = 0x2545f491;
const MULTIPLIER = 0x9e3779b1;

/** Kinds of characters, as bits. */
const DIGIT = 1;
const WORD = 2;
/** May make a segment variable whatever else is in it. */
const SPECIAL = 4;
/** Occurs in no session id. */
const OTHER = 8;
const KINDS = new Uint8Array(256).fill(OTHER);
KINDS.fill(DIGIT, 48, 58).fill(WORD, 65, 91).fill(WORD, 97, 123);
for (const word of "-_") KINDS[word.charCodeAt(0)] = WORD;
for (const special of "(;=") KINDS[special.charCodeAt(0)] = SPECIAL;

/** A shorter segment of letters and digits is no session id. */
const MIN_ID_LENGTH = 8;

/**
 * A number that stands for the pattern of a URL (`shapeOf`), not negative: in one pass and without making that text, because
 * every page of a larger host comes here.
 */
export function familyKey(url: CrawlUrl): number {
  const path = url.indexOf("/", 8);
  const mark = url.indexOf("?", path);
  const end = mark < 0 ? url.length : mark;
  let key = FIRST_STATE;
  /** What the pattern ends with. */
  let last = mark < 0 ? NOTHING : QUESTION_MARK;
  /** The segment before. */
  let before = 0;
  let beforeEnd = -1;
  for (let from = path + 1; from <= end; ) {
    let state = Math.imul(key ^ SLASH, MULTIPLIER);
    state ^= state >>> 15;
    const start = state;
    let kinds = 0;
    let kind = 0;
    let to = from;
    for (; to < end; to++) {
      const code = url.charCodeAt(to);
      if (code === SLASH) break;
      const isInNumber = kind === DIGIT;
      kind = KINDS[code & 255]!;
      kinds |= kind;
      if (isInNumber && kind === DIGIT) continue;
      state = Math.imul(state ^ (kind === DIGIT ? NUMBER_SIGN : code), MULTIPLIER);
      state ^= state >>> 15;
    }
    const hasDigits = (kinds & DIGIT) !== 0;
    const mayBeId = hasDigits && (kinds & OTHER) === 0 && to - from >= MIN_ID_LENGTH;
    const mayVary = mayBeId || (kinds & SPECIAL) !== 0;
    if (kinds === DIGIT || (mayVary && isVariable(url.slice(from, to)))) {
      key = start;
      last = STAR;
      break;
    }
    const isRepeated =
      to - from === beforeEnd - before && url.startsWith(url.slice(before, beforeEnd), from);
    if (!isRepeated) {
      key = to === end && mark < 0 && !hasDigits ? start : state;
      before = from;
      beforeEnd = to;
    }
    from = to + 1;
  }
  if (last !== NOTHING) {
    key = Math.imul(key ^ last, MULTIPLIER);
    key ^= key >>> 15;
  }
  // A small integer, which maps find faster than others.
  return (key ^ (key >>> 13)) & 0x3fffffff;
}
