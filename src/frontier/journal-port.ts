import type { PageLocation } from "./finish.ts";
import type { JournalEnd } from "./journal/journal-reader.ts";

/** How a frontier makes things durable; the other side is a builder thread. */
export interface JournalPort {
  /** The journal of a shard was read up to there; what is written goes behind it. */
  begin(shard: number, after: JournalEnd | undefined): void;
  /** Appends events to a shard's journal behind every record handed over so far, and calls back when both are synced. */
  write(shard: number, events: Uint8Array, onDurable: () => void): void;
  /** Calls back with the place of a record once it is durable, for a visit that another thread commits. */
  place(record: number, onDurable: (place: PageLocation) => void): void;
  /** Calls back when everything handed over so far is stored; for frontiers without a journal. */
  mark(onStored: () => void): void;
  /** Other threads wait for what is being committed: it should not take until the next regular commit. */
  hurry(): void;
}
