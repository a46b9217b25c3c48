import { Keys } from "../../frontier/queue/keys.ts";
import { readLines } from "../../store/files/read-file.ts";
import type { TestedQueue } from "./workload.ts";

/** The keys that went into a queue and how many came out, in order: of a crawl (`--record-keys`) or of a simulation. */
export class RecordedKeys {
  readonly #priorities = new Keys();
  /** Above 0: so many keys went in; below: so many came out. */
  readonly #steps: number[] = [];
  inserted = 0;
  extracted = 0;

  /** Reads what `crawl --record-keys` has written. */
  static read(file: string): RecordedKeys {
    const recorded = new RecordedKeys();
    for (const line of readLines(file)) {
      const { insert, extract } = JSON.parse(line) as { insert?: number[]; extract?: number };
      for (const priority of insert ?? []) recorded.insert(priority);
      if (extract !== undefined) recorded.extract(extract);
    }
    return recorded;
  }

  insert(priority: number): void {
    this.#priorities.push(priority, this.inserted++);
    this.#step(1);
  }

  extract(count = 1): void {
    this.extracted += count;
    this.#step(-count);
  }

  /**
   * Lets a queue do the same in batches: what went in until `batch` keys had come out goes in, then these come out.
   * Returns comparisons per pair of a key in and a key out, and the most keys that waited.
   */
  replay(queue: TestedQueue, batch: number): { comparisonsPerPair: number; longest: number } {
    const hand = new Keys();
    const out = new Keys();
    let [at, owed, longest, moved] = [0, 0, 0, 0];
    const turn = () => {
      queue.insertMany(hand);
      moved += hand.length;
      hand.clear();
      longest = Math.max(longest, queue.size);
      const count = Math.min(owed, queue.size);
      out.clear();
      queue.extractTop(count, out);
      moved += count;
      owed = 0;
    };
    for (const step of this.#steps) {
      if (step > 0) {
        hand.append(this.#priorities, at, step);
        at += step;
        continue;
      }
      owed -= step;
      if (owed >= batch) turn();
    }
    turn();
    return { comparisonsPerPair: (2 * queue.comparisons) / Math.max(1, moved), longest };
  }

  #step(count: number): void {
    const last = this.#steps.length - 1;
    if (last >= 0 && Math.sign(this.#steps[last]!) === Math.sign(count))
      this.#steps[last]! += count;
    else this.#steps.push(count);
  }
}
