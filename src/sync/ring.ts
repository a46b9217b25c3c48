import { CapacityError } from "../errors.ts";

/*
 * A bounded ring that any number of threads fill and empty without a lock.
 *
 *   HEAD ──► next position to fill          position = lap * slots + slot
 *   TAIL ──► next position to empty         state    = lap | owner | kind
 *
 *   slot states:   FREE(lap) ─claim─► WRITING(lap, owner) ─publish─► FULL(lap)
 *                      ▲                                               │ claim
 *                      └──────── FREE(lap + 1) ◄─release─ READING(lap, owner)
 *
 * A thread claims a slot by one CAS on the slot's own state word, which thereby names its owner; HEAD and TAIL
 * only follow and are helped along by whoever finds them late. A thread that dies in WRITING or READING leaves
 * its id behind, so the supervisor can free the slot (`reclaim`).
 *
 * Full and empty are answered from one look: a slot that another thread is still writing counts as empty, so
 * tryTake may say "nothing" while a later slot is already full. Nothing is lost: its writer rings afterwards.
 */

const HEAD = 0;
const TAIL = 1;
const STATES = 2;

const FREE = 0;
const WRITING = 1;
const FULL = 2;
const READING = 3;

const OWNER_BITS = 8;
const LAP_SHIFT = OWNER_BITS + 2;
const LAPS = 1 << 21;
const LAP_MASK = LAPS - 1;
const LENGTH_BYTES = 4;

/** Most threads that can share one ring: their ids must fit the state word. */
export const MAX_OWNERS = (1 << OWNER_BITS) - 1;

/** The state word of a slot. */
function stateOf(lap: number, owner: number, kind: number): number {
  return (lap << LAP_SHIFT) | (owner << 2) | kind;
}

/** Bytes of shared memory for a ring of `slots` slots of `slotBytes` payload each. */
export function ringBytes(slots: number, slotBytes: number): number {
  if (!Number.isInteger(slots) || slots < 1) {
    throw new CapacityError(`a ring needs at least 1 slot, not ${slots}`);
  }
  return (STATES + slots) * 4 + slots * (LENGTH_BYTES + slotBytes);
}

/** Bounded lock-free many-to-many ring of byte strings in shared memory. */
export class Ring {
  readonly slots: number;
  readonly slotBytes: number;
  readonly #owner: number;
  readonly #positions: number;
  readonly #words: Int32Array;
  readonly #payload: Uint8Array;
  readonly #lengths: DataView;

  /** The ring may lie anywhere in its memory: `startByte` must be a multiple of 4. */
  constructor(
    memory: SharedArrayBuffer,
    slots: number,
    slotBytes: number,
    owner: number,
    startByte = 0,
  ) {
    if (owner < 1 || owner > MAX_OWNERS) {
      throw new CapacityError(`thread id ${owner} is outside 1 to ${MAX_OWNERS}`);
    }
    this.slots = slots;
    this.slotBytes = slotBytes;
    this.#owner = owner;
    this.#positions = slots * Math.min(LAPS, Math.floor(2 ** 30 / slots));
    this.#words = new Int32Array(memory, startByte, STATES + slots);
    this.#payload = new Uint8Array(memory, startByte + (STATES + slots) * 4);
    this.#lengths = new DataView(memory, startByte + (STATES + slots) * 4);
  }

  /** Copies `length` bytes into the ring; false when it is full. */
  tryPush(bytes: Uint8Array, length: number): boolean {
    if (length > this.slotBytes) {
      throw new CapacityError(`${length} bytes do not fit a slot of ${this.slotBytes}`);
    }
    const slot = this.#claimFree();
    if (slot < 0) return false;
    const at = this.#startOf(slot);
    this.#lengths.setInt32(at, length, true);
    this.#payload.set(bytes.subarray(0, length), at + LENGTH_BYTES);
    // Publish after write: the consumer's CAS on the state word reads what was stored here.
    this.#setState(slot, FULL);
    return true;
  }

  /** Copies the oldest byte string into `into` and returns its length; -1 when there is none. */
  tryTake(into: Uint8Array): number {
    const slot = this.#claimFull();
    if (slot < 0) return -1;
    const at = this.#startOf(slot);
    const length = this.#lengths.getInt32(at, true);
    into.set(this.#payload.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length));
    this.#freeSlot(slot);
    return length;
  }

  /** How many slots are in use at this moment; other threads may change it before the caller looks. */
  size(): number {
    const used = Atomics.load(this.#words, HEAD) - Atomics.load(this.#words, TAIL);
    return used < 0 ? used + this.#positions : used;
  }

  /**
   * Frees what a dead thread held. Its half-written slots become empty messages of length 0, which takers
   * ignore; a slot it was reading is given back as read, because its copy died with it.
   */
  reclaim(deadOwner: number): number {
    let freed = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      const state = Atomics.load(this.#words, STATES + slot);
      if (((state >>> 2) & MAX_OWNERS) !== deadOwner) continue;
      const kind = state & 3;
      const lap = (state >>> LAP_SHIFT) & LAP_MASK;
      if (kind === WRITING) {
        this.#lengths.setInt32(this.#startOf(slot), 0, true);
        Atomics.store(this.#words, STATES + slot, stateOf(lap, 0, FULL));
      } else if (kind === READING) {
        Atomics.store(this.#words, STATES + slot, stateOf(this.#nextLap(lap), 0, FREE));
      } else continue;
      freed++;
    }
    return freed;
  }

  #claimFree(): number {
    for (;;) {
      const position = Atomics.load(this.#words, HEAD);
      const slot = position % this.slots;
      const lap = (position / this.slots) | 0;
      const state = Atomics.load(this.#words, STATES + slot);
      const stateLap = (state >>> LAP_SHIFT) & LAP_MASK;
      if (stateLap === lap) {
        if ((state & 3) === FREE) {
          const mine = stateOf(lap, this.#owner, WRITING);
          if (Atomics.compareExchange(this.#words, STATES + slot, state, mine) !== state) continue;
          this.#advance(HEAD, position);
          return slot;
        }
        // Claimed by a thread that has not moved HEAD yet: help it, then look again.
        this.#advance(HEAD, position);
      } else if (this.#nextLap(stateLap) === lap) {
        // Last lap's item is still here: full, unless HEAD moved while we looked.
        if (Atomics.load(this.#words, HEAD) === position) return -1;
      } else if (stateLap === this.#nextLap(lap)) {
        // Filled by a thread that died before it moved HEAD, reclaimed and emptied since.
        this.#advance(HEAD, position);
      }
    }
  }

  #claimFull(): number {
    for (;;) {
      const position = Atomics.load(this.#words, TAIL);
      const slot = position % this.slots;
      const lap = (position / this.slots) | 0;
      const state = Atomics.load(this.#words, STATES + slot);
      const stateLap = (state >>> LAP_SHIFT) & LAP_MASK;
      if (stateLap === lap) {
        const kind = state & 3;
        if (kind === FULL) {
          const mine = stateOf(lap, this.#owner, READING);
          if (Atomics.compareExchange(this.#words, STATES + slot, state, mine) !== state) continue;
          this.#advance(TAIL, position);
          return slot;
        }
        if (kind === READING) this.#advance(TAIL, position);
        else if (Atomics.load(this.#words, TAIL) === position) return -1;
      } else if (stateLap === this.#nextLap(lap)) {
        // Already emptied by a thread that has not moved TAIL yet.
        this.#advance(TAIL, position);
      } else if (this.#nextLap(stateLap) === lap) {
        // A slow reader still holds last lap's item, so nothing can have been written here: empty, not "try again".
        if (Atomics.load(this.#words, TAIL) === position) return -1;
      }
    }
  }

  #advance(end: number, position: number): void {
    const next = position + 1 === this.#positions ? 0 : position + 1;
    Atomics.compareExchange(this.#words, end, position, next);
  }

  #setState(slot: number, kind: number): void {
    const state = Atomics.load(this.#words, STATES + slot);
    Atomics.store(this.#words, STATES + slot, stateOf((state >>> LAP_SHIFT) & LAP_MASK, 0, kind));
  }

  #freeSlot(slot: number): void {
    const state = Atomics.load(this.#words, STATES + slot);
    const lap = (state >>> LAP_SHIFT) & LAP_MASK;
    Atomics.store(this.#words, STATES + slot, stateOf(this.#nextLap(lap), 0, FREE));
  }

  #nextLap(lap: number): number {
    return (lap + 1) % (this.#positions / this.slots);
  }

  #startOf(slot: number): number {
    return slot * (LENGTH_BYTES + this.slotBytes);
  }
}
