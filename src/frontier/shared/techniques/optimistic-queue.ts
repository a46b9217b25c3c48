import { Mutex } from "../../../sync/mutex.ts";
import { Positions } from "./positions.ts";
import { MAX_OWNERS, type QueueShape, recordsOf } from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 * Kung and Robinson's serial validation. A transaction reads without a lock, works on its own slot, and commits inside
 * a short critical section if no transaction numbered since it began wrote what it read:
 *
 *   read       ts = TN; look at HEAD and TAIL; an insert copies its record to the thread's own slot
 *   validate   for t = ts + 1 … TN: does WRITES[t] touch what was read? then abort and restart
 *   write      exchange the own slot with the ring's slot, move the end, note WRITES, TN = TN + 1
 *
 *   RING[i]    which slot is at place i: a record between TAIL and HEAD, an empty slot elsewhere
 *   OWN[t]     the slot that thread t holds
 *
 * Every slot is in exactly one place of RING or OWN, so nothing is copied while others wait, and after a death in the
 * write phase the one slot that is nowhere is the one that the dead thread held.
 *
 * An insert reads HEAD; that TAIL left room stays true however far TAIL moves. A take reads TAIL, likewise. Only "full" and
 * "nothing" depend on both ends, and hold only if nothing at all was committed meanwhile.
 */
const COMMIT = WAITING_WORDS;
const TN = COMMIT + Mutex.WORDS;
const HEAD = TN + 1;
const TAIL = HEAD + 1;
const ABORTS = TAIL + 1;
const RESTARTS = ABORTS + 1;
const WRITES = RESTARTS + 1;
/** Write sets remembered; a transaction older than these is aborted. */
const REMEMBERED = 64;
const RING = WRITES + REMEMBERED;

const WROTE_HEAD = 1;
const WROTE_TAIL = 2;

/** How often transactions succeeded, had to give up, and were tried again. */
export interface TransactionCounts {
  readonly commits: number;
  readonly aborts: number;
  readonly restarts: number;
}

/** Optimistic concurrency control: read, validate, write; a conflict aborts and restarts. */
export class OptimisticQueue extends WaitingQueue {
  readonly #positions: Positions;
  readonly #owners: number;
  readonly #own: number;
  readonly #commit: Mutex;
  readonly #slots: RecordSlots;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    const size = recordsOf(shape);
    const owners = shape.owners ?? MAX_OWNERS;
    const words = RING + size + owners;
    super(new Int32Array(memory, 0, words), shape);
    this.#positions = new Positions(size);
    this.#owners = owners;
    this.#own = RING + size + owner - 1;
    this.#commit = new Mutex(this.words, COMMIT, owner);
    this.#slots = new RecordSlots(memory, words * 4, size + owners, shape.slotBytes);
  }

  /** Bytes of shared memory; call `initialise` once before use. */
  static bytes(shape: QueueShape): number {
    const slots = recordsOf(shape) + (shape.owners ?? MAX_OWNERS);
    return (RING + slots) * 4 + RecordSlots.bytes(slots, shape.slotBytes);
  }

  /** Puts every slot in its place. */
  initialise(): void {
    for (let slot = 0; slot < this.#positions.slots + this.#owners; slot++) {
      Atomics.store(this.words, RING + slot, slot);
    }
  }

  protected override insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean {
    let copied = false;
    for (;;) {
      const start = Atomics.load(this.words, TN);
      const head = Atomics.load(this.words, HEAD);
      const tail = Atomics.load(this.words, TAIL);
      if (this.#positions.between(head, tail) >= this.#positions.slots) {
        if (Atomics.load(this.words, TN) === start) return false;
      } else {
        if (!copied) this.#slots.write(Atomics.load(this.words, this.#own), bytes, length);
        copied = true;
        if (!this.enterLock(this.#commit, waitMs)) return this.#abort();
        const number = this.#validate(start, WROTE_HEAD);
        if (number !== 0) {
          this.#exchangeOwn(head);
          // The end last: until then the record is not part of the ring.
          Atomics.store(this.words, HEAD, this.#positions.after(head));
          this.#number(number, WROTE_HEAD);
        }
        this.#commit.unlock();
        if (number !== 0) return true;
      }
      this.#restart();
    }
  }

  protected override takeNow(into: Uint8Array, waitMs: number): number {
    for (;;) {
      const start = Atomics.load(this.words, TN);
      const tail = Atomics.load(this.words, TAIL);
      if (Atomics.load(this.words, HEAD) === tail) {
        if (Atomics.load(this.words, TN) === start) return -1;
      } else {
        if (!this.enterLock(this.#commit, waitMs)) {
          this.#abort();
          return -1;
        }
        const number = this.#validate(start, WROTE_TAIL);
        if (number !== 0) {
          // The end first: from here on the record is not part of the ring.
          Atomics.store(this.words, TAIL, this.#positions.after(tail));
          this.#exchangeOwn(tail);
          this.#number(number, WROTE_TAIL);
        }
        this.#commit.unlock();
        // The slot is this thread's now; it is read while others go on.
        if (number !== 0) return this.#slots.read(Atomics.load(this.words, this.#own), into);
      }
      this.#restart();
    }
  }

  /** Commits, aborts and restarts since the queue was made. */
  counts(): TransactionCounts {
    return {
      commits: Atomics.load(this.words, TN),
      aborts: Atomics.load(this.words, ABORTS),
      restarts: Atomics.load(this.words, RESTARTS),
    };
  }

  override size(): number {
    return this.#positions.used(this.words, HEAD, TAIL);
  }

  protected override hasRoom(): boolean {
    return this.size() < this.#positions.slots;
  }

  /** Completes a write phase that was cut off: the slot that is nowhere becomes the dead thread's own. */
  protected override repair(deadOwner: number): number {
    if (this.#commit.holder() === deadOwner) {
      const places = this.#positions.slots + this.#owners;
      const isPlaced = new Uint8Array(places);
      for (let place = 0; place < places; place++) {
        isPlaced[Atomics.load(this.words, RING + place)] = 1;
      }
      const missing = isPlaced.indexOf(0);
      const hand = RING + this.#positions.slots + deadOwner - 1;
      if (missing >= 0) Atomics.store(this.words, hand, missing);
      // Numbered even if nothing was written: one abort too many does no harm.
      this.#number((Atomics.load(this.words, TN) + 1) | 0, WROTE_HEAD | WROTE_TAIL);
    }
    return Mutex.reclaim(this.words, COMMIT, deadOwner) ? 1 : 0;
  }

  /** The number of this transaction if none since `start` wrote what it read, else 0. Only with the lock. */
  #validate(start: number, readSet: number): number {
    const end = Atomics.load(this.words, TN);
    const passed = (end - start) | 0;
    if (passed > REMEMBERED) return 0;
    for (let t = 1; t <= passed; t++) {
      const at = WRITES + ((start + t) & (REMEMBERED - 1));
      if ((Atomics.load(this.words, at) & readSet) !== 0) return 0;
    }
    return (end + 1) | 0 || 1;
  }

  #number(number: number, writeSet: number): void {
    Atomics.store(this.words, WRITES + (number & (REMEMBERED - 1)), writeSet);
    Atomics.store(this.words, TN, number);
  }

  #exchangeOwn(position: number): void {
    const place = RING + this.#positions.slotOf(position);
    const theirs = Atomics.load(this.words, place);
    const mine = Atomics.load(this.words, this.#own);
    Atomics.store(this.words, place, mine);
    Atomics.store(this.words, this.#own, theirs);
  }

  #abort(): boolean {
    Atomics.add(this.words, ABORTS, 1);
    return false;
  }

  #restart(): void {
    this.#abort();
    Atomics.add(this.words, RESTARTS, 1);
  }
}
