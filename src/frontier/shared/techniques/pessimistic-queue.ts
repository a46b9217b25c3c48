import { Mutex } from "../../../sync/mutex.ts";
import { Positions } from "./positions.ts";
import { checkTarget, type QueueShape, recordsOf } from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 * One lock per record:   lock(record) ─► validate ─► read, compute, write ─► unlock(record)
 *
 *   HEAD, TAIL   positions to fill and to empty next; only the holder of that position's record moves them
 *   LOCK[slot]   the record's lock, naming its holder
 *   STATE[slot]  lap * 2, plus 1 when full: distinguishes this lap's record from the one before
 */
const HEAD = WAITING_WORDS;
const TAIL = HEAD + 1;
const LOCKS = TAIL + 1;

const IS_FULL = 1;

/** A lock per record: lock it, then check that it is still the one wanted; others may read it meanwhile. */
export class PessimisticQueue extends WaitingQueue {
  readonly #positions: Positions;
  readonly #states: number;
  readonly #locks: readonly Mutex[];
  readonly #slots: RecordSlots;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    const size = recordsOf(shape);
    const words = LOCKS + size * (Mutex.WORDS + 1);
    super(new Int32Array(memory, 0, words), shape);
    this.#positions = new Positions(size);
    this.#states = LOCKS + size * Mutex.WORDS;
    this.#locks = Array.from(
      { length: size },
      (_, slot) => new Mutex(this.words, LOCKS + slot * Mutex.WORDS, owner),
    );
    this.#slots = new RecordSlots(memory, words * 4, size, shape.slotBytes);
  }

  /** Bytes of shared memory, zero at first. */
  static bytes(shape: QueueShape): number {
    const size = recordsOf(shape);
    return (LOCKS + size * (Mutex.WORDS + 1)) * 4 + RecordSlots.bytes(size, shape.slotBytes);
  }

  protected override insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean {
    for (;;) {
      const head = Atomics.load(this.words, HEAD);
      const slot = this.#positions.slotOf(head);
      const lock = this.#locks[slot]!;
      if (!this.enterLock(lock, waitMs)) return false;
      const isMine = Atomics.load(this.words, HEAD) === head;
      const free = this.#positions.lapOf(head) * 2;
      const valid = isMine && Atomics.load(this.words, this.#states + slot) === free;
      if (valid) {
        this.#slots.write(slot, bytes, length);
        Atomics.store(this.words, this.#states + slot, free | IS_FULL);
        Atomics.store(this.words, HEAD, this.#positions.after(head));
      }
      lock.unlock();
      // Not valid although the position is still ours: last lap's record, so the queue is full. Otherwise try the next.
      if (isMine) return valid;
    }
  }

  protected override takeNow(into: Uint8Array, waitMs: number): number {
    for (;;) {
      const tail = Atomics.load(this.words, TAIL);
      const slot = this.#positions.slotOf(tail);
      const lap = this.#positions.lapOf(tail);
      const lock = this.#locks[slot]!;
      if (!this.enterLock(lock, waitMs)) return -1;
      const isMine = Atomics.load(this.words, TAIL) === tail;
      let length = -1;
      if (isMine && Atomics.load(this.words, this.#states + slot) === lap * 2 + IS_FULL) {
        length = this.#slots.read(slot, into);
        Atomics.store(this.words, this.#states + slot, this.#positions.lapAfter(lap) * 2);
        Atomics.store(this.words, TAIL, this.#positions.after(tail));
      }
      lock.unlock();
      if (isMine) return length;
    }
  }

  /**
   * Copies the oldest record without its lock and without taking it; -1 when there is none or it changed meanwhile. The
   * bytes may be overwritten while they are copied, which the second look at the state reveals.
   */
  peek(into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    const tail = Atomics.load(this.words, TAIL);
    const slot = this.#positions.slotOf(tail);
    const full = this.#positions.lapOf(tail) * 2 + IS_FULL;
    if (Atomics.load(this.words, this.#states + slot) !== full) return -1;
    const length = this.#slots.read(slot, into);
    // An exchange, because plain loads may sink below an atomic load but not below an atomic store.
    const after = Atomics.compareExchange(this.words, this.#states + slot, full, full);
    return after === full ? length : -1;
  }

  /** The id of the thread that works on the oldest record, 0 when nobody does. */
  oldestHolder(): number {
    const lock = this.#locks[this.#positions.slotOf(Atomics.load(this.words, TAIL))]!;
    return lock.holder();
  }

  override size(): number {
    return this.#positions.used(this.words, HEAD, TAIL);
  }

  protected override hasRoom(): boolean {
    return this.size() < this.#positions.slots;
  }

  /** The state of a record decides; an end that the dead thread had not moved yet is moved. */
  protected override repair(deadOwner: number): number {
    let held = 0;
    for (let slot = 0; slot < this.#positions.slots; slot++) {
      const lock = this.#locks[slot]!;
      if (lock.holder() === deadOwner) {
        const state = Atomics.load(this.words, this.#states + slot);
        const head = Atomics.load(this.words, HEAD);
        const filled = this.#positions.lapOf(head) * 2 + IS_FULL;
        if (this.#positions.slotOf(head) === slot && state === filled) {
          Atomics.store(this.words, HEAD, this.#positions.after(head));
        }
        const tail = Atomics.load(this.words, TAIL);
        const emptied = this.#positions.lapAfter(this.#positions.lapOf(tail)) * 2;
        if (this.#positions.slotOf(tail) === slot && state === emptied) {
          Atomics.store(this.words, TAIL, this.#positions.after(tail));
        }
      }
      if (Mutex.reclaim(this.words, LOCKS + slot * Mutex.WORDS, deadOwner)) held++;
    }
    return held;
  }
}
