import { Ring, ringBytes } from "../../../sync/ring.ts";
import { type QueueShape, recordsOf } from "./record-queue.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 *   words of waiting | ring
 *
 * The seed's "lock-free" frontier is an unsynchronised queue; this is the real thing: sync/ring.ts, where a slot's
 * own state word is claimed by one compare-and-exchange.
 */

/** Where a copy of the ring starts: a SharedArrayBuffer of its own would be a second thing to hand around. */
const RING_START = Math.ceil((WAITING_WORDS * 4) / 8) * 8;

/** The frontier on the many-to-many ring; threads never wait for each other, only for records and room. */
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
      // Length 0 is what reclaim made of a half-written slot.
      if (length !== 0) return length;
    }
  }

  protected override repair(deadOwner: number): number {
    return this.#ring.reclaim(deadOwner);
  }

  override size(): number {
    return this.#ring.size();
  }

  protected override hasRecord(): boolean {
    return this.#ring.size() > 0;
  }

  protected override hasRoom(): boolean {
    // The head is read before the tail, so an exact "full" is one; anything else may be out of date.
    return this.#ring.size() !== this.#ring.slots;
  }
}
