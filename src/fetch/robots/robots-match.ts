import { END } from "./robots-octets.ts";

/**
 * Matches the rest of a pattern, which begins with WILDCARD or END or is empty. Taking the first place for every
 * piece between wildcards is enough, so nothing is ever tried twice: no back-tracking.
 */
export function matchTail(
  pattern: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  from: number,
  length: number,
): boolean {
  let at = start;
  let position = from;
  while (at < end) {
    if (pattern[at] === END) return position === length;
    let pieceEnd = ++at;
    while (pieceEnd < end && pattern[pieceEnd]! > END) pieceEnd++;
    const pieceLength = pieceEnd - at;
    const found =
      pieceEnd < end && pattern[pieceEnd] === END
        ? endsWith(pattern, at, pieceLength, target, position, length)
        : find(pattern, at, pieceLength, target, position, length);
    if (found < 0) return false;
    position = found + pieceLength;
    at = pieceEnd;
  }
  return true;
}

function endsWith(
  pattern: Uint8Array,
  at: number,
  size: number,
  target: Uint8Array,
  from: number,
  length: number,
): number {
  const place = length - size;
  if (place < from) return -1;
  for (let i = 0; i < size; i++) if (pattern[at + i] !== target[place + i]) return -1;
  return place;
}

/** Longer pieces are searched with a failure table, so that repetitive ones do not cost quadratic time. */
const NAIVE_MAX = 16;
let failure = new Uint16Array(256);

function find(
  pattern: Uint8Array,
  at: number,
  size: number,
  target: Uint8Array,
  from: number,
  length: number,
): number {
  if (size > NAIVE_MAX) return findLong(pattern, at, size, target, from, length);
  const last = length - size;
  const first = pattern[at];
  for (let place = from; place <= last; place++) {
    if (target[place] !== first) continue;
    let i = 1;
    while (i < size && pattern[at + i] === target[place + i]) i++;
    if (i >= size) return place;
  }
  return -1;
}

/** Knuth, Morris and Pratt 1977. */
function findLong(
  pattern: Uint8Array,
  at: number,
  size: number,
  target: Uint8Array,
  from: number,
  length: number,
): number {
  if (length - from < size) return -1;
  if (failure.length < size) failure = new Uint16Array(size * 2);
  failure[0] = 0;
  for (let i = 1, k = 0; i < size; i++) {
    while (k > 0 && pattern[at + i] !== pattern[at + k]) k = failure[k - 1]!;
    if (pattern[at + i] === pattern[at + k]) k++;
    failure[i] = k;
  }
  for (let place = from, k = 0; place < length; place++) {
    while (k > 0 && target[place] !== pattern[at + k]) k = failure[k - 1]!;
    if (target[place] === pattern[at + k]) k++;
    if (k === size) return place - size + 1;
  }
  return -1;
}
