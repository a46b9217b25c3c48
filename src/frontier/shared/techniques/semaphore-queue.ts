import { Mutex } from "../../../sync/mutex.ts";
import {
  DRAINED,
  DRAINING,
  EMPTY,
  FILLED,
  FILLING,
  FULL,
  NO_PERMIT,
  PermitCycle,
} from "./permit-cycle.ts";
import { Positions } from "./positions.ts";
import {
  checkRecord,
  checkTarget,
  type Inserted,
  PATIENCE,
  type QueueShape,
  type RecordQueue,
  recordsOf,
  SPINS,
} from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";

const HEAD = 0;
const TAIL = 1;
const MUTEX = 2;
const PERMITS = 3;

/** A queue with three semaphores as in the seed: `empty` and `full` count slots, `mutex` guards the ring. */
export class SemaphoreQueue implements RecordQueue {
  readonly slotBytes: number;
  readonly #words: Int32Array;
  readonly #positions: Positions;
  readonly #permits: PermitCycle;
  readonly #mutex: Mutex;
  readonly #slots: RecordSlots;
  readonly #spins: number;
  readonly #patience: number;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    const size = recordsOf(shape);
    const words = PERMITS + PermitCycle.words(size);
    this.slotBytes = shape.slotBytes;
    this.#spins = shape.spins ?? SPINS;
    this.#patience = shape.patience ?? PATIENCE;
    this.#words = new Int32Array(memory, 0, words);
    this.#positions = new Positions(size);
    this.#permits = new PermitCycle(this.#words, PERMITS, size, owner, this.#patience);
    // A mutex instead of a binary semaphore, because its word must name its holder.
    this.#mutex = new Mutex(this.#words, MUTEX, owner);
    this.#slots = new RecordSlots(memory, words * 4, size, shape.slotBytes);
  }

  /** Bytes of shared memory, zero at first. */
  static bytes(shape: QueueShape): number {
    const size = recordsOf(shape);
    return (PERMITS + PermitCycle.words(size)) * 4 + RecordSlots.bytes(size, shape.slotBytes);
  }

  insert(bytes: Uint8Array, length: number, timeoutMs = Number.POSITIVE_INFINITY): Inserted {
    checkRecord(length, this.slotBytes);
    const permit = this.#permits.acquire(EMPTY, FILLING, timeoutMs);
    if (permit === NO_PERMIT) return this.#permits.isClosed() ? "shutdown" : "timeout";
    if (!this.#enter(timeoutMs)) {
      this.#permits.release(permit, EMPTY);
      return "timeout";
    }
    this.#insertInside(bytes, length, permit);
    this.#permits.release(permit, FULL);
    return "inserted";
  }

  take(into: Uint8Array, timeoutMs = Number.POSITIVE_INFINITY): number {
    checkTarget(into, this.slotBytes);
    const permit = this.#permits.acquire(FULL, DRAINING, timeoutMs);
    if (permit === NO_PERMIT) return -1;
    if (!this.#enter(timeoutMs)) {
      this.#permits.release(permit, FULL);
      return -1;
    }
    const length = this.#takeInside(into, permit);
    this.#permits.release(permit, EMPTY);
    return length;
  }

  tryInsert(bytes: Uint8Array, length: number): boolean {
    checkRecord(length, this.slotBytes);
    const permit = this.#permits.tryAcquire(EMPTY, FILLING);
    if (permit === NO_PERMIT) return false;
    const entered = this.#mutex.spinLock(this.#spins);
    if (entered) this.#insertInside(bytes, length, permit);
    this.#permits.release(permit, entered ? FULL : EMPTY);
    return entered;
  }

  tryTake(into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    const permit = this.#permits.tryAcquire(FULL, DRAINING);
    if (permit === NO_PERMIT) return -1;
    const entered = this.#mutex.spinLock(this.#spins);
    const length = entered ? this.#takeInside(into, permit) : -1;
    this.#permits.release(permit, entered ? EMPTY : FULL);
    return length;
  }

  size(): number {
    return this.#positions.used(this.#words, HEAD, TAIL);
  }

  shutDown(): void {
    this.#permits.close();
  }

  /** A permit shows how far its holder came, except inside the lock: there the records are counted. */
  reclaim(deadOwner: number): number {
    const inside = this.#mutex.holder() === deadOwner;
    const excess = inside ? this.size() - this.#permits.records() : 0;
    const held = this.#permits.reclaim(deadOwner, excess);
    return held + (Mutex.reclaim(this.#words, MUTEX, deadOwner) ? 1 : 0);
  }

  #enter(timeoutMs: number): boolean {
    return this.#mutex.spinLock(this.#patience) || this.#mutex.lock(timeoutMs);
  }

  /** Inserts with the lock, and releases it. */
  #insertInside(bytes: Uint8Array, length: number, permit: number): void {
    const head = Atomics.load(this.#words, HEAD);
    this.#slots.write(this.#positions.slotOf(head), bytes, length);
    Atomics.store(this.#words, HEAD, this.#positions.after(head));
    this.#permits.mark(permit, FILLED);
    this.#mutex.unlock();
  }

  /** Takes with the lock, and releases it. */
  #takeInside(into: Uint8Array, permit: number): number {
    const tail = Atomics.load(this.#words, TAIL);
    const length = this.#slots.read(this.#positions.slotOf(tail), into);
    Atomics.store(this.#words, TAIL, this.#positions.after(tail));
    this.#permits.mark(permit, DRAINED);
    this.#mutex.unlock();
    return length;
  }
}
