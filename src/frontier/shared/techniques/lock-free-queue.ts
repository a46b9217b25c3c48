import { Ring, ringBytes } from "../../../sync/ring.ts";
import { type QueueShape, recordsOf } from "./record-queue.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 *   words of waiting | ring
 *
 * The seed's "lock-free" frontier is an unsynchronised queue. This one is lock-free: in sync/ring.ts the state word of a
 * slot is claimed by one compare-and-exchange.
 */

/** Where the ring starts in the same memory. */
const RING_START = Math.ceil((WAITING_WORDS * 4) / 8) * 8;

/** A queue on the ring for many producers and consumers; threads never wait for each other, only for records and room. */
export class LockFreeQueue extends WaitingQueue {
  readonly #ring: Ring;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    super(new Int32Array(memory, 0, WAITING_WORDS), shape);
    this.#ring = new Ring(memory, recordsOf(shape), shape.slotBytes, owner, RING_START);
  }

  /** Bytes of shared memory; zero is right at first. */
  static bytes(shape: QueueShape): number {
    return RING_START + ringBytes(recordsOf(shape), shape.slotBytes);
  }

  protected override insertNow(bytes: Uint8Array, length: number): boolean {
    return this.#ring.tryPush(bytes, length);
  }

  protected override takeNow(into: Uint8Array): number {
    for (;;) {
      const length = this.#ring.tryTake(into);
      // A half-written slot that was reclaimed has length 0.
      if (length !== 0) return length;
    }
  }

  protected override repair(deadOwner: number): number {
    return this.#ring.reclaim(deadOwner);
  }

  override size(): number {
    return this.#ring.size();
  }

  protected override hasRoom(): boolean {
    // The ring reads its head before its tail, so only "exactly full" can be trusted.
    return this.#ring.size() !== this.#ring.slots;
  }
}
