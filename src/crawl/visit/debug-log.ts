import type { CounterRow } from "../../stats/counters.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import type { Ring } from "../../sync/ring.ts";

/** The log of `--debug`: what was read on each page. */
export class DebugLog {
  readonly #ring: Ring;
  readonly #bell: Doorbell;
  readonly #counters: CounterRow;

  constructor(ring: Ring, bell: Doorbell, counters: CounterRow) {
    this.#ring = ring;
    this.#bell = bell;
    this.#counters = counters;
  }

  /** Writes a line if there is room; a crawler never waits for this log, and dropped lines are counted. */
  write(line: object): void {
    const bytes = Buffer.from(JSON.stringify(line));
    if (bytes.length > this.#ring.slotBytes || !this.#ring.tryPush(bytes, bytes.length)) {
      this.#counters.add("debugDropped");
      return;
    }
    this.#bell.ring();
  }
}
