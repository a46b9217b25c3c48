import { pathToFileURL } from "node:url";
import { UsageError } from "../../errors.ts";
import type { Inserted, RecordQueue } from "../../frontier/shared/techniques/record-queue.ts";
import { RecordSlots } from "../../frontier/shared/techniques/record-slots.ts";

/**
 * What a lock of one's own has to be: it decides who may fill or empty which slot of a ring, and when. The slots
 * themselves are copied by us, between `before…` and `after…`. `docs/lab/own-lock.md` is the tutorial.
 */
export interface OwnSync {
  /** Waits for room and returns the slot to fill, 0 to size - 1. */
  beforeInsert(): number;
  /** The slot is filled. */
  afterInsert(slot: number): void;
  /** Waits for a record and returns its slot. */
  beforeTake(): number;
  /** The slot may be filled again. */
  afterTake(slot: number): void;
}

/** The class that such a module exports as `Sync`. */
export interface OwnSyncClass {
  new (words: Int32Array, size: number, owner: number): OwnSync;
  /** Words of shared memory, zero at first. */
  words(size: number): number;
}

const METHODS = ["beforeInsert", "afterInsert", "beforeTake", "afterTake"] as const;

/** Loads the module and checks that it exports what is needed. */
export async function loadOwnSync(file: string): Promise<OwnSyncClass> {
  let module: { Sync?: OwnSyncClass };
  try {
    module = (await import(pathToFileURL(file).href)) as { Sync?: OwnSyncClass };
  } catch (error) {
    throw new UsageError(`cannot load ${file}: ${error instanceof Error ? error.message : error}`);
  }
  const { Sync } = module;
  if (typeof Sync !== "function" || typeof Sync.words !== "function")
    throw new UsageError(`${file} must export a class Sync with a static method words(size)`);
  const missing = METHODS.find((name) => typeof Sync.prototype[name] !== "function");
  if (missing !== undefined) throw new UsageError(`class Sync in ${file} has no ${missing}()`);
  return Sync;
}

/** Bytes of shared memory for a frontier on a lock of one's own. */
export function ownQueueBytes(Sync: OwnSyncClass, size: number, slotBytes: number): number {
  return Sync.words(size) * 4 + RecordSlots.bytes(size, slotBytes);
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
    const words = Sync.words(size);
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
