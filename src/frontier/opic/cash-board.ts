const VIRTUAL = 0;
const WAITING = 1;
const PLENTY = 2;
const COLUMNS = 3;

/** Bytes of shared memory for the rows of `threads` threads. */
export function cashBoardBytes(threads: number): number {
  return threads * COLUMNS * 8;
}

/** What a thread shows the others. */
export interface CashNotice {
  /** Cash of the virtual pages of its shards. */
  readonly virtual: number;
  /** Pages of its shards that wait. */
  readonly waiting: number;
  /** It has pages for all its places in this range and above; -1 when it has not. */
  readonly plenty: number;
}

/**
 * What the threads of a crawl that orders by cash know of each other, so that T threads go in the order of one queue:
 * how much the virtual pages of all of them have, and who has plenty of better pages. That is the global pivot of
 * seed 002's open question in terms of ranges: a thread whose best page is worth less than the L-th best of another helps that one first.
 *
 * Each row is written by its thread alone. Rows are hints: an old one costs some order, never cash and never a page.
 */
export class CashBoard {
  readonly #rows: Float64Array;
  readonly #me: number;

  constructor(memory: SharedArrayBuffer, thread: number) {
    this.#rows = new Float64Array(memory);
    this.#me = thread;
  }

  publish({ virtual, waiting, plenty }: CashNotice): void {
    const row = this.#me * COLUMNS;
    this.#rows[row + VIRTUAL] = virtual;
    this.#rows[row + WAITING] = waiting;
    this.#rows[row + PLENTY] = plenty + 1; // 0: nothing published yet
  }

  /** The part of a waiting page in what all virtual pages together have. */
  get paidBack(): number {
    let virtual = 0;
    let waiting = 0;
    for (let row = 0; row < this.#rows.length; row += COLUMNS) {
      virtual += this.#rows[row + VIRTUAL]!;
      waiting += this.#rows[row + WAITING]!;
    }
    return virtual / Math.max(1, waiting);
  }

  /** The thread with plenty of the best pages, if they are in a higher range than this one; -1 when there is none. */
  better(range: number): number {
    let best = -1;
    let highest = range;
    for (let thread = 0; thread * COLUMNS < this.#rows.length; thread++) {
      const plenty = this.#rows[thread * COLUMNS + PLENTY]! - 1;
      if (thread === this.#me || plenty <= highest) continue;
      highest = plenty;
      best = thread;
    }
    return best;
  }
}
