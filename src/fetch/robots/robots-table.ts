import type { RuleLine } from "./robots-groups.ts";
import { matchTail } from "./robots-match.ts";
import { END, respell, type Spelling, specificity, WILDCARD } from "./robots-octets.ts";

/** One rule of a table that matched. */
export interface MatchedRule {
  allow: boolean;
  /** Number of octets that counts for "most specific". */
  specificity: number;
  line: number;
  text: string;
}

// One row of the table per rule, all numbers in one array: 28 bytes and no object per rule.
// The pool holds the compiled pattern (literal beginning, then tail) and behind it the rule as written.
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
  readonly #pool: Buffer;
  readonly #rows: Uint32Array;
  readonly #count: number;

  /** Compiles rules found in `source` in one spelling. */
  constructor(source: Uint8Array, rules: readonly RuleLine[], spelling: Spelling) {
    // Three octets per octet of the pattern, one for the end of a folder's, and the line as written.
    const size = rules.reduce(
      (sum, { start, end, textEnd = end }) => sum + (end - start) * 3 + 1 + textEnd - start,
      0,
    );
    const pool = Buffer.alloc(size);
    const unsorted = new Uint32Array(rules.length * ROW);
    let used = 0;
    for (let index = 0; index < rules.length; index++) {
      used = compile(source, rules[index]!, spelling, pool, used, unsorted, index * ROW);
    }
    this.#pool = Buffer.allocUnsafeSlow(used);
    this.#pool.set(pool.subarray(0, used));
    this.#rows = new Uint32Array(unsorted.length);
    this.#count = rules.length;
    const order = Array.from(rules.keys()).sort((a, b) => compareRows(pool, unsorted, a, b));
    for (let row = 0; row < order.length; row++) this.#place(row, unsorted, order[row]! * ROW);
  }

  /** Copies the next row in order; rows before it are in place, so its parent is found among them. */
  #place(row: number, unsorted: Uint32Array, from: number): void {
    this.#rows.set(unsorted.subarray(from, from + ROW), row * ROW);
    let parent = row === 0 ? NO_ROW : row - 1;
    while (parent !== NO_ROW && !this.#headBegins(parent, row)) parent = this.#cell(parent, PARENT);
    this.#rows[row * ROW + PARENT] = parent;
  }

  #headBegins(shorter: number, longer: number): boolean {
    const start = this.#cell(shorter, PATTERN);
    const end = this.#cell(shorter, TAIL);
    const other = this.#cell(longer, PATTERN);
    const otherEnd = Math.min(this.#cell(longer, TAIL), other + end - start);
    return this.#pool.compare(this.#pool, other, otherEnd, start, end) === 0;
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
    const text = this.#pool.toString("utf8", this.#cell(row, TEXT), this.#cell(row, TEXT_END));
    const rank = this.#cell(row, RANK);
    return { allow: rank % 2 === 1, specificity: rank >>> 1, line: this.#cell(row, LINE), text };
  }

  /** Whether a row takes precedence over another; of equal ones the first line does, so that answers are stable. */
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

/**
 * Writes one rule into the pool and its row; returns how much of the pool is used. A wildcard at the end of a pattern
 * is dropped, since every pattern matches beginnings.
 */
function compile(
  source: Uint8Array,
  { allow, start, end, line, writtenEnd = end, textEnd }: RuleLine,
  spelling: Spelling,
  pool: Uint8Array,
  at: number,
  rows: Uint32Array,
  row: number,
): number {
  let stop = respell(source, start, end, pool, at, spelling, true);
  const isFolder = textEnd !== undefined;
  // A folder is meant alone, as if its pattern ended in "$".
  if (isFolder) pool[stop++] = END;
  if (stop - at >= 2 && pool[stop - 1] === END && pool[stop - 2] === WILDCARD) stop--;
  if (stop > at && pool[stop - 1] === WILDCARD) stop--;
  let tail = at;
  while (tail < stop && pool[tail]! > END) tail++;
  rows[row + PATTERN] = at;
  rows[row + TAIL] = tail;
  rows[row + TEXT] = stop;
  const rank = specificity(source, start, writtenEnd) + (isFolder ? 1 : 0);
  rows[row + RANK] = rank * 2 + (allow ? 1 : 0);
  rows[row + LINE] = line;
  pool.set(source.subarray(start, textEnd ?? end), stop);
  rows[row + TEXT_END] = stop + (textEnd ?? end) - start;
  return stop + (textEnd ?? end) - start;
}

/** Order of rows: by literal beginning, then by precedence, the highest last, because lookups walk upwards. */
function compareRows(pool: Buffer, rows: Uint32Array, a: number, b: number): number {
  const cell = (row: number, column: number) => rows[row * ROW + column]!;
  return (
    pool.compare(pool, cell(b, PATTERN), cell(b, TAIL), cell(a, PATTERN), cell(a, TAIL)) ||
    cell(a, RANK) - cell(b, RANK) ||
    cell(b, LINE) - cell(a, LINE)
  );
}
