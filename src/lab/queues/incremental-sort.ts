import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { Quickselect } from "./quickselect.ts";

/**
 * Incremental quicksort (IQS; Paredes, Navarro 2006; Marin, Paredes, Bonacic 2008, figure 3): gives the keys of a batch best
 * first, one by one, for as long as they are asked for: m keys of which k are taken cost O(m + k log k). A call splits
 * what lies before the nearest boundary and leaves its own boundaries behind for the next one. Quickheap is this with
 * insertions.
 */
export class IncrementalSort {
  readonly #keys = new Keys();
  readonly #select: Quickselect;
  /** Where the parts end; the nearest is on top. A part holds nothing that is better than what lies before it. */
  readonly #ends: number[];
  #next = 0;

  /** The keys are copied; those given are left as they are. */
  constructor(keys: Keys, seed?: number) {
    keys.check();
    this.#keys.append(keys, 0, keys.length);
    this.#select = new Quickselect(seed);
    this.#ends = [keys.length];
  }

  /** How many keys have not been given yet. */
  get size(): number {
    return this.#keys.length - this.#next;
  }

  get comparisons(): number {
    return this.#select.comparisons;
  }

  /** The best key that has not been given yet; undefined when all have. */
  next(): Key | undefined {
    const { priorities, ids, length } = this.#keys;
    if (this.#next === length) return undefined;
    const ends = this.#ends;
    while (ends.at(-1)! > this.#next + 1) {
      ends.push(this.#select.split(priorities, ids, this.#next, ends.at(-1)! - 1));
    }
    ends.pop();
    const at = this.#next++;
    return { priority: priorities[at]!, id: ids[at]! };
  }
}
