import { CashBook, UNIT } from "../../frontier/cash/cash-book.ts";
import { mintFor, shareOf } from "../../frontier/opic/cash-shares.ts";
import { Keys } from "../../frontier/queue/keys.ts";
import { Heap } from "../queues/heap.ts";
import type { LinkGraph } from "../queues/page-rank.ts";

const UNKNOWN = -1;

/** The bulk-synchronous machine of section 2. */
export interface SuperstepOptions {
  readonly processors: number;
  readonly processorOf: ArrayLike<number>;
  /** Pages of all processors together in a superstep; each takes its part of them at once. */
  readonly batch: number;
  readonly homes?: ReadonlySet<number>;
  readonly until?: number;
}

/** What happened superstep by superstep: updates of pages that had been fetched already. */
export interface SuperstepCrawl {
  readonly fetched: number[];
  readonly own: number[];
  readonly foreign: number[];
}

/** One processor: its book and its queue; entries of raised pages stay behind and are skipped. */
class Processor {
  readonly book = new CashBook();
  readonly #queue = new Heap(4);
  readonly #hand = new Keys();
  readonly #one = new Keys(1);
  readonly nodes: number[] = [];

  push(number: number): void {
    this.#hand.push(this.book.cash(number), number);
  }

  /** The best pages now, at most so many. */
  take(most: number): number[] {
    this.#queue.insertMany(this.#hand);
    this.#hand.clear();
    const taken = new Set<number>();
    while (taken.size < most && this.#queue.size > 0) {
      this.#one.clear();
      this.#queue.extractTop(1, this.#one);
      const number = this.#one.ids[0]!;
      const isStale = this.#one.priorities[0] !== this.book.cash(number);
      if (!isStale && !this.book.isDone(number)) taken.add(number);
    }
    return [...taken];
  }
}

/**
 * Crawls a graph as the paper's machine does: in every superstep each processor takes its best pages, fetches all of
 * them, and only then updates the queue; links of other processors arrive before the next superstep.
 */
export function superstepCrawl(
  graph: LinkGraph,
  seeds: Iterable<number>,
  options: SuperstepOptions,
): SuperstepCrawl {
  const { offsets, targets } = graph;
  const pages = offsets.length - 1;
  const { processors: count, processorOf, batch, homes, until = pages } = options;
  const processors = Array.from({ length: count }, () => new Processor());
  const local = new Int32Array(pages).fill(UNKNOWN);
  const fetched: number[] = [];
  const own: number[] = [];
  const foreign: number[] = [];
  const admit = (page: number, amount: number, unit: number) => {
    const processor = processors[processorOf[page]!]!;
    const number = processor.nodes.length;
    local[page] = number;
    processor.nodes.push(page);
    processor.book.mint(unit);
    processor.book.admit(number, amount + unit);
    processor.push(number);
  };
  const update = (page: number, amount: number, origin: "own" | "foreign") => {
    const processor = processors[processorOf[page]!]!;
    if (local[page] === UNKNOWN) {
      admit(page, amount, homes?.has(page) ? mintFor(processor.book) : 0);
    } else if (processor.book.credit(local[page]!, amount, origin) >= 0) {
      processor.push(local[page]!);
    }
  };
  for (const seed of seeds) admit(seed, 0, UNIT);
  const late = (origin: "own" | "foreign") =>
    processors.reduce((sum, { book }) => sum + book.late[origin], 0);
  let lateOwn = 0;
  let lateForeign = 0;
  while (fetched.length < until) {
    const messages: [page: number, amount: number][] = [];
    const before = fetched.length;
    for (const [me, processor] of processors.entries()) {
      const { book, nodes } = processor;
      const taken = processor.take(Math.max(1, Math.round(batch / count)));
      // All of them are fetched before the first link is booked.
      const shares = taken.map((number) => {
        const page = nodes[number]!;
        fetched.push(page);
        const share = shareOf(book, number, offsets[page + 1]! - offsets[page]!);
        book.spend(number);
        return share;
      });
      for (const [i, number] of taken.entries()) {
        const page = nodes[number]!;
        // What several pages were promised of the virtual page may be gone by now.
        const links = offsets[page + 1]! - offsets[page]!;
        const share = Math.min(shares[i]!, Math.floor(book.virtual / Math.max(1, links)));
        for (let at = offsets[page]!; at < offsets[page + 1]!; at++) {
          const link = targets[at]!;
          if (processorOf[link] === me) {
            update(link, share, "own");
          } else {
            book.send(share);
            messages.push([link, share]);
          }
        }
      }
    }
    for (const [page, amount] of messages) {
      processors[processorOf[page]!]!.book.receive(amount);
      update(page, amount, "foreign");
    }
    if (fetched.length === before) break;
    own.push(late("own") - lateOwn);
    foreign.push(late("foreign") - lateForeign);
    lateOwn += own.at(-1)!;
    lateForeign += foreign.at(-1)!;
  }
  for (const { book } of processors) book.settle();
  return { fetched, own, foreign };
}
