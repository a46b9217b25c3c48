import { OrbweaverError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue } from "../../frontier/queue/priority-queue.ts";

/** The textbook d-ary heap in two columns: the baseline that chunks of keys are measured against. */
export class Heap implements PriorityQueue {
  comparisons = 0;
  readonly #arity: number;
  readonly #keys: Keys;

  /** Two children per node is the paper's BH; four is what a careful engineer would take today. */
  constructor(arity: 2 | 4, capacity?: number) {
    if (arity !== 2 && arity !== 4) {
      throw new OrbweaverError("OW_BAD_COUNT", `a heap has 2 or 4 children per node, not ${arity}`);
    }
    this.#arity = arity;
    this.#keys = new Keys(capacity);
  }

  get size(): number {
    return this.#keys.length;
  }

  insertMany(keys: Keys): void {
    keys.check();
    const { priorities, ids, length } = keys;
    const at = this.#keys.extend(length);
    if (at === 0) this.#build(keys);
    else for (let i = 0; i < length; i++) this.#up(at + i, priorities[i]!, ids[i]!);
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.size))): Keys {
    const taken = available(count, this.size);
    const to = into.extend(taken);
    const own = this.#keys;
    for (let i = 0; i < taken; i++) {
      into.priorities[to + i] = own.priorities[0]!;
      into.ids[to + i] = own.ids[0]!;
      const last = --own.length;
      if (last > 0) this.#down(0, own.priorities[last]!, own.ids[last]!);
    }
    return into;
  }

  peek(): Key | undefined {
    if (this.size === 0) return undefined;
    return { priority: this.#keys.priorities[0]!, id: this.#keys.ids[0]! };
  }

  /** Floyd's construction: linear, from the last parent up to the root. */
  #build(keys: Keys): void {
    const { priorities, ids, length } = this.#keys;
    this.#keys.put(0, keys, 0, length);
    for (let at = Math.floor((length - 2) / this.#arity); at >= 0; at--) {
      this.#down(at, priorities[at]!, ids[at]!);
    }
  }

  #up(from: number, priority: number, id: number): void {
    const { priorities, ids } = this.#keys;
    const shift = this.#arity >> 1; // 2 and 4 are powers of two: division by shift
    let at = from;
    let compared = 0;
    while (at > 0) {
      const parent = (at - 1) >> shift;
      compared++;
      if (priorities[parent]! >= priority) break;
      priorities[at] = priorities[parent]!;
      ids[at] = ids[parent]!;
      at = parent;
    }
    priorities[at] = priority;
    ids[at] = id;
    this.comparisons += compared;
  }

  #down(from: number, priority: number, id: number): void {
    const { priorities, ids, length } = this.#keys;
    const arity = this.#arity;
    let at = from;
    let compared = 0;
    for (;;) {
      const first = at * arity + 1;
      if (first >= length) break;
      const end = Math.min(first + arity, length);
      let best = first;
      let bestPriority = priorities[first]!;
      for (let child = first + 1; child < end; child++) {
        if (priorities[child]! > bestPriority) {
          best = child;
          bestPriority = priorities[child]!;
        }
      }
      compared += end - first; // one less among the children, one with the key itself
      if (bestPriority <= priority) break;
      priorities[at] = bestPriority;
      ids[at] = ids[best]!;
      at = best;
    }
    priorities[at] = priority;
    ids[at] = id;
    this.comparisons += compared;
  }
}
