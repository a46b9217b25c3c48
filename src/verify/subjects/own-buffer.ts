import type { OwnSync } from "../own-lock.ts";

/** A ring of numbers behind a lock of one's own: slots are plain words, so the explorer sees who touches them at once. */
export class OwnBuffer {
  readonly #sync: OwnSync;
  readonly #slots: Int32Array;

  constructor(sync: OwnSync, slots: Int32Array) {
    this.#sync = sync;
    this.#slots = slots;
  }

  insert(item: number): void {
    const slot = this.#sync.beforeInsert();
    this.#check(slot);
    this.#slots[slot] = item;
    this.#sync.afterInsert(slot);
  }

  remove(): number {
    const slot = this.#sync.beforeTake();
    this.#check(slot);
    const item = this.#slots[slot]!;
    this.#sync.afterTake(slot);
    return item;
  }

  #check(slot: number): void {
    if (Number.isInteger(slot) && slot >= 0 && slot < this.#slots.length) return;
    throw new Error(`the lock gave out slot ${slot} of ${this.#slots.length}`);
  }
}
