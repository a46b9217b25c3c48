import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue } from "../../frontier/queue/priority-queue.ts";
import { PriorityRanges } from "../../frontier/queue/priority-ranges.ts";
import { Quickheap } from "./quickheap.ts";
import { RangeChains } from "./range-chains.ts";

const BITS_PER_OCTAVE = 10; // 54,274 ranges; inside one priorities differ by 0.1 % at most
const FRONT_KEYS = 1 << 16; // so many keys above the front's range are worth moving back to the ranges

/*
 *   ranges (unordered bags)                       front (Quickheap)
 *   0 | 1 | 2 | … | floor-1                       all keys of ranges >= floor
 *
 * Only the keys of the range that an extraction cuts in two are ever compared. Taking a whole range, and putting a key
 * into one, compares nothing. One huge range (many equal keys) costs no more than a Quickheap, because that is what it
 * becomes once it is reached.
 */

/** Priority queue of static logarithmic ranges with a Quickheap for the best of them: short pauses, few comparisons. */
export class BucketQueue implements PriorityQueue {
  readonly #ranges: PriorityRanges;
  readonly #chains: RangeChains;
  readonly #front: Quickheap;
  readonly #moved = new Keys();
  #floor: number;
  /** Keys in the front whose range lies above the floor; being the best they leave first, so this stays exact. */
  #above = 0;
  #chained = 0;

  /** Fewer bits make wider ranges: longer pauses, but less than the 424 KiB that 10 bits cost an empty queue. */
  constructor(seed?: number, bitsPerOctave: number = BITS_PER_OCTAVE) {
    this.#ranges = new PriorityRanges(bitsPerOctave);
    this.#chains = new RangeChains(this.#ranges.count);
    this.#front = new Quickheap(undefined, seed);
    this.#floor = this.#ranges.count;
  }

  get size(): number {
    return this.#chained + this.#front.size;
  }

  get comparisons(): number {
    return this.#front.comparisons;
  }

  insertMany(keys: Keys): void {
    keys.check();
    const { priorities, ids, length } = keys;
    const moved = this.#moved;
    const floor = this.#floor;
    let above = 0;
    moved.clear();
    for (let i = 0; i < length; i++) {
      const priority = priorities[i]!;
      const range = this.#ranges.of(priority);
      if (range < floor) {
        this.#chains.append(range, priority, ids[i]!);
      } else {
        if (range > floor) above++;
        moved.add(priority, ids[i]!);
      }
    }
    this.#chained += length - moved.length;
    this.#above += above;
    this.#front.insertMany(moved);
    // A front that fills up from above would become one big Quickheap with its long pauses. The keys that move back were
    // inserted since the last time, or are outnumbered by such keys.
    if (this.#above > FRONT_KEYS && 2 * this.#above > this.#front.size) this.#moveBack();
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.size))): Keys {
    let missing = available(count, this.size);
    while (missing > 0) {
      if (this.#front.size === 0) {
        const range = this.#chains.highest();
        const size = this.#chains.sizes[range]!;
        if (size > missing) {
          this.#load(range);
        } else {
          this.#chains.drain(range, into);
          this.#chained -= size;
          missing -= size;
          continue;
        }
      }
      const take = Math.min(missing, this.#front.size);
      this.#front.extractTop(take, into);
      this.#above = Math.max(0, this.#above - take);
      if (this.#front.size === 0) this.#floor = this.#ranges.count;
      missing -= take;
    }
    return into;
  }

  peek(): Key | undefined {
    if (this.size === 0) return undefined;
    if (this.#front.size === 0) this.#load(this.#chains.highest());
    return this.#front.peek();
  }

  #load(range: number): void {
    this.#moved.clear();
    this.#chains.drain(range, this.#moved);
    this.#chained -= this.#moved.length;
    this.#floor = range;
    this.#above = 0;
    this.#front.insertMany(this.#moved);
  }

  #moveBack(): void {
    const all = this.#front.extractTop(this.#front.size);
    this.#floor = this.#ranges.count;
    this.#above = 0;
    this.insertMany(all);
  }
}
