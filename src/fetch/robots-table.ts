import { END, WILDCARD } from "./robots-octets.ts";

/** A rule ready to be put into a table: compiled octets, and what to say when it decides. */
export interface CompiledRule {
  /** Octets with WILDCARD and END; does not end in a wildcard, because every pattern is a prefix. */
  octets: Uint8Array;
  text: Uint8Array;
  allow: boolean;
  /** Number of octets that counts for "most specific". */
  specificity: number;
  line: number;
}

/** One rule of a table that matched. */
export interface MatchedRule {
  allow: boolean;
  specificity: number;
  line: number;
  text: string;
}

// One row of the table per rule, all numbers in one array: 28 bytes and no object per rule.
const PATTERN = 0;
const TAIL = 1;
const TEXT = 2;
const TEXT_END = 3;
const PARENT = 4;
const RANK = 5;
const LINE = 6;
const ROW = 7;
const NO_ROW = 0xffffffff;

/**
 * Rules sorted by their literal beginning (up to the first wildcard). All beginnings of a URL that are in the table
 * lie on one chain: the last row that is not greater than the URL, its longest proper beginning in the table, and so
 * on. So a lookup is one binary search and one walk, whatever the number of rules.
 */
export class RobotsTable {
  readonly #pool: Uint8Array;
  readonly #rows: Uint32Array;
  readonly #count: number;

  constructor(rules: readonly CompiledRule[]) {
    const sorted = rules.map((rule) => ({ rule, head: headOf(rule.octets) }));
    sorted.sort(
      (a, b) =>
        Buffer.compare(a.head, b.head) || rank(a.rule) - rank(b.rule) || b.rule.line - a.rule.line,
    );
    const poolBytes = rules.reduce((sum, { octets, text }) => sum + octets.length + text.length, 0);
    this.#pool = new Uint8Array(poolBytes);
    this.#rows = new Uint32Array(rules.length * ROW);
    this.#count = rules.length;
    let used = 0;
    let parent = NO_ROW;
    sorted.forEach(({ rule, head }, index) => {
      while (parent !== NO_ROW && !startsWith(head, sorted[parent]!.head))
        parent = this.#cell(parent, PARENT);
      this.#pool.set(rule.octets, used);
      this.#pool.set(rule.text, used + rule.octets.length);
      const textAt = used + rule.octets.length;
      const row = [
        used,
        used + head.length,
        textAt,
        textAt + rule.text.length,
        parent,
        rank(rule),
        rule.line,
      ];
      this.#rows.set(row, index * ROW);
      used = textAt + rule.text.length;
      parent = index;
    });
  }

  /** Bytes held, for the cache. */
  get bytes(): number {
    return this.#pool.byteLength + this.#rows.byteLength;
  }

  /** Index of the rule that decides about a target, or -1; the most specific wins, allow wins a tie. */
  best(target: Uint8Array, length: number): number {
    let best = -1;
    for (
      let row = this.#lastNotGreater(target, length);
      row !== NO_ROW;
      row = this.#cell(row, PARENT)
    ) {
      if (best >= 0 && !this.#precedes(row, best)) continue;
      if (this.#matches(row, target, length)) best = row;
    }
    return best;
  }

  /** Every rule that matches a target, the deciding one first. */
  all(target: Uint8Array, length: number): MatchedRule[] {
    const rows: number[] = [];
    for (
      let row = this.#lastNotGreater(target, length);
      row !== NO_ROW;
      row = this.#cell(row, PARENT)
    ) {
      if (this.#matches(row, target, length)) rows.push(row);
    }
    rows.sort((a, b) => (this.#precedes(a, b) ? -1 : 1));
    return rows.map((row) => this.describe(row));
  }

  /** The rule in a row. */
  describe(row: number): MatchedRule {
    const text = Buffer.from(this.#pool.buffer).toString(
      "utf8",
      this.#cell(row, TEXT),
      this.#cell(row, TEXT_END),
    );
    const rank = this.#cell(row, RANK);
    return { allow: rank % 2 === 1, specificity: rank >>> 1, line: this.#cell(row, LINE), text };
  }

  /** Whether a row decides rather than another; equals are told apart by the line, so that answers are stable. */
  #precedes(row: number, other: number): boolean {
    const difference = this.#cell(row, RANK) - this.#cell(other, RANK);
    return difference !== 0 ? difference > 0 : this.#cell(row, LINE) < this.#cell(other, LINE);
  }

  #cell(row: number, column: number): number {
    return this.#rows[row * ROW + column]!;
  }

  /** The last row whose literal beginning is not greater than the target, or NO_ROW. */
  #lastNotGreater(target: Uint8Array, length: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compareHead(middle, target, length) <= 0) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? NO_ROW : low - 1;
  }

  #compareHead(row: number, target: Uint8Array, length: number): number {
    const pool = this.#pool;
    const start = this.#cell(row, PATTERN);
    const headLength = this.#cell(row, TAIL) - start;
    const shared = Math.min(headLength, length);
    for (let at = 0; at < shared; at++) {
      const difference = pool[start + at]! - target[at]!;
      if (difference !== 0) return difference;
    }
    return headLength - length;
  }

  #matches(row: number, target: Uint8Array, length: number): boolean {
    const start = this.#cell(row, PATTERN);
    const tail = this.#cell(row, TAIL);
    // Rows on the chain begin the sought row, not always the target.
    if (tail - start > length) return false;
    for (let at = start; at < tail; at++) {
      if (this.#pool[at] !== target[at - start]) return false;
    }
    return matchTail(this.#pool, tail, this.#cell(row, TEXT), target, tail - start, length);
  }
}

function rank(rule: CompiledRule): number {
  return rule.specificity * 2 + (rule.allow ? 1 : 0);
}

function headOf(octets: Uint8Array): Uint8Array {
  const special = octets.findIndex((octet) => octet === WILDCARD || octet === END);
  return special < 0 ? octets : octets.subarray(0, special);
}

function startsWith(text: Uint8Array, beginning: Uint8Array): boolean {
  return beginning.length <= text.length && beginning.every((octet, at) => octet === text[at]);
}

/**
 * Matches the rest of a pattern, which begins with WILDCARD or END or is empty. Taking the first place for every
 * piece between wildcards is enough, so nothing is ever tried twice: no back-tracking.
 */
function matchTail(
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

/** Above this size a piece is sought with a failure table, so that repetitive pieces cannot cost their square. */
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
