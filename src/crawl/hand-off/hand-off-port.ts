import type { PageLocation } from "../../frontier/finish.ts";
import type { JournalPort } from "../../frontier/frontier.ts";
import type { JournalEnd } from "../../frontier/journal/journal-reader.ts";
import type { BufferSender } from "./buffer-sender.ts";
import { FRAMES } from "./frames.ts";

/** What a builder needs to begin a journal; sent before its first batch. */
export interface OpenJournal {
  readonly shard: number;
  readonly epoch: number;
  /** Where it ended when it was read. */
  readonly after: JournalEnd | undefined;
}

/** Where the record of a number is. */
export type PlaceOfRecord = readonly [record: number, place: PageLocation];

/** From the shards of a thread to their journals: frames behind the page records that they name. */
export class HandOffPort implements JournalPort {
  readonly #handOff: BufferSender;
  readonly #epoch: number;
  readonly #ends = new Map<number, JournalEnd | undefined>();
  readonly #opened = new Set<number>();
  readonly #places = new Map<number, (place: PageLocation) => void>();

  #isHurried = false;

  constructor(handOff: BufferSender, epoch: number) {
    this.#handOff = handOff;
    this.#epoch = epoch;
  }

  begin(shard: number, after: JournalEnd | undefined): void {
    this.#ends.set(shard, after);
  }

  write(shard: number, events: Uint8Array, onDurable: () => void): void {
    if (!this.#opened.has(shard)) {
      this.#opened.add(shard);
      const open: OpenJournal = { shard, epoch: this.#epoch, after: this.#ends.get(shard) };
      this.#handOff.send(FRAMES.openJournal, [Buffer.from(JSON.stringify(open))]);
    }
    const head = Buffer.allocUnsafe(2);
    head.writeUInt16LE(shard, 0);
    this.#handOff.send(FRAMES.journal, [head, events], onDurable);
  }

  place(record: number, onDurable: (place: PageLocation) => void): void {
    const head = Buffer.allocUnsafe(4);
    head.writeUInt32LE(record, 0);
    this.#places.set(record, onDurable);
    this.#handOff.send(FRAMES.askPlace, [head]);
  }

  /** The places of records that `place` asked for, from the builder. */
  onPlaces(places: readonly PlaceOfRecord[]): void {
    for (const [record, place] of places) {
      this.#places.get(record)?.(place);
      this.#places.delete(record);
    }
  }

  mark(onStored: () => void): void {
    this.#handOff.send(FRAMES.mark, [], onStored);
  }

  hurry(): void {
    this.#isHurried = true;
  }

  /** True once after `hurry`. */
  takeHurry(): boolean {
    const isHurried = this.#isHurried;
    this.#isHurried = false;
    return isHurried;
  }
}
