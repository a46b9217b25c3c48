import { QUEUE_RANGES } from "../queue/range-queue.ts";

/** How many pages wait in each range of the queues of one thread; entries that are stale do not count. */
export class RangeCounts {
  readonly #counts = new Int32Array(QUEUE_RANGES.count);
  /** Nothing waits in a range above. */
  #top = 0;

  add(range: number): void {
    this.#counts[range]!++;
    if (range > this.#top) this.#top = range;
  }

  remove(range: number): void {
    this.#counts[range]!--;
  }

  /** The highest range in and above which so many pages wait; -1 when there are fewer in all. */
  rangeOf(pages: number): number {
    while (this.#top > 0 && this.#counts[this.#top] === 0) this.#top--;
    let missing = pages;
    for (let range = this.#top; range >= 0; range--) {
      missing -= this.#counts[range]!;
      if (missing <= 0) return range;
    }
    return -1;
  }
}
