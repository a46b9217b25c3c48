import { UsageError } from "../../errors.ts";
import type { Inserted, RecordQueue } from "../../frontier/shared/techniques/record-queue.ts";
import { RecordSlots } from "../../frontier/shared/techniques/record-slots.ts";
import { type OwnSync, type OwnSyncClass, wordsOf } from "../../verify/own-lock.ts";

/** Bytes of shared memory for a frontier on a lock of one's own. */
export function ownQueueBytes(Sync: OwnSyncClass, size: number, slotBytes: number): number {
  return wordsOf(Sync, size) * 4 + RecordSlots.bytes(size, slotBytes);
}

/** A frontier whose synchronisation is somebody's own; it only blocks, so nobody can try, and nobody can be interrupted. */
export class OwnQueue implements RecordQueue {
  readonly slotBytes: number;
  readonly #sync: OwnSync;
  readonly #slots: RecordSlots;
  readonly #size: number;

  constructor(
    Sync: OwnSyncClass,
    memory: SharedArrayBuffer,
    size: number,
    slotBytes: number,
    owner: number,
  ) {
    const words = wordsOf(Sync, size);
    this.slotBytes = slotBytes;
    this.#size = size;
    this.#sync = new Sync(new Int32Array(memory, 0, words), size, owner);
    this.#slots = new RecordSlots(memory, words * 4, size, slotBytes);
  }

  insert(bytes: Uint8Array, length: number): Inserted {
    const slot = this.#checked(this.#sync.beforeInsert());
    this.#slots.write(slot, bytes, length);
    this.#sync.afterInsert(slot);
    return "inserted";
  }

  take(into: Uint8Array): number {
    const slot = this.#checked(this.#sync.beforeTake());
    const length = this.#slots.read(slot, into);
    this.#sync.afterTake(slot);
    return length;
  }

  /** Needs `--when-full wait`, so nobody calls it. */
  tryInsert(): boolean {
    return false;
  }

  /** Only used to count what is left, which cannot be told. */
  tryTake(): number {
    return -1;
  }

  size(): number {
    return 0;
  }

  /** Whoever waits goes on waiting; the threads are ended from outside. */
  shutDown(): void {}

  reclaim(): number {
    return 0;
  }

  #checked(slot: number): number {
    if (Number.isInteger(slot) && slot >= 0 && slot < this.#size) return slot;
    throw new UsageError(`a lock of one's own returned slot ${slot} of ${this.#size}`);
  }
}
