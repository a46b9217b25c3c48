import { CashBook, UNIT } from "../../frontier/cash/cash-book.ts";
import { mintFor, shareOf } from "../../frontier/opic/cash-shares.ts";
import { Keys } from "../../frontier/queue/keys.ts";
import { Heap } from "../queues/heap.ts";
import type { LinkGraph } from "../queues/page-rank.ts";

const UNKNOWN = -1;

/** How an ideal crawl goes. */
export interface IdealOptions {
  /** Order by this, instead of by cash. */
  readonly worth?: ArrayLike<number>;
  /** Pages that are minted a unit when they are found. */
  readonly homes?: ReadonlySet<number>;
  /** Stops after so many pages. */
  readonly until?: number;
  /** Told of every key that goes into the queue, and of every page that is taken. */
  readonly onInsert?: (priority: number) => void;
  readonly onExtract?: () => void;
}

/** What it fetched, in order, and all that each page ever got: its OPIC value. */
export interface IdealCrawl {
  readonly fetched: number[];
  readonly history: Float64Array;
}

/**
 * Always the known page that is worth most: by its exact cash at this moment, or by `worth` if given. One queue that
 * knows everything at once; no blocks, no hosts, no ranges.
 */
export function idealCrawl(
  graph: LinkGraph,
  seeds: Iterable<number>,
  options: IdealOptions = {},
): IdealCrawl {
  const { offsets, targets } = graph;
  const pages = offsets.length - 1;
  const { worth, homes, until = pages, onInsert, onExtract } = options;
  const local = new Int32Array(pages).fill(UNKNOWN);
  const done = new Uint8Array(pages);
  const book = new CashBook();
  const queue = new Heap(4);
  const hand = new Keys();
  const fetched: number[] = [];
  let numbers = 0;
  const push = (page: number) => {
    const priority = worth?.[page] ?? book.cash(local[page]!);
    hand.push(priority, page);
    onInsert?.(priority);
  };
  const admit = (page: number, amount: number, unit: number) => {
    local[page] = numbers++;
    book.mint(unit);
    book.admit(local[page]!, amount + unit);
    push(page);
  };
  for (const seed of seeds) admit(seed, 0, UNIT);
  for (;;) {
    queue.insertMany(hand);
    hand.clear();
    const best = queue.peek();
    if (best === undefined || fetched.length >= until) break;
    queue.extractTop(1);
    onExtract?.();
    const { id: page, priority } = best;
    // An entry from before a raise.
    if (done[page] || (worth === undefined && priority !== book.cash(local[page]!))) continue;
    done[page] = 1;
    fetched.push(page);
    const share = shareOf(book, local[page]!, offsets[page + 1]! - offsets[page]!);
    book.spend(local[page]!);
    for (let i = offsets[page]!; i < offsets[page + 1]!; i++) {
      const link = targets[i]!;
      if (local[link] === UNKNOWN) admit(link, share, homes?.has(link) ? mintFor(book) : 0);
      else if (book.credit(local[link]!, share, "own") >= 0 && worth === undefined) push(link);
    }
  }
  book.settle();
  const history = Float64Array.from(local, (number) =>
    number === UNKNOWN ? 0 : book.history(number),
  );
  return { fetched, history };
}
