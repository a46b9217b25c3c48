/** 0 free, 1 taken, 2 taken and somebody may sleep. */
const LOCK = 0;
/** Inserts and takes so far. */
const HEAD = 1;
const TAIL = 2;
/** Changes with every take. */
const NOT_FULL = 3;
/** Changes with every insert. */
const NOT_EMPTY = 4;

/**
 * The lock that a lock of one's own takes the place of (`verify --subject`): a monitor with two conditions over a ring.
 * Its text is what the template in docs/lab/own-lock/ shows.
 */
export class Sync {
  static readonly names: readonly string[] = ["lock", "head", "tail", "notFull", "notEmpty"];
  readonly #words: Int32Array;
  readonly #size: number;

  /** Words of shared memory, zero at first. */
  static words(_size: number): number {
    return 5;
  }

  constructor(words: Int32Array, size: number, _owner: number) {
    this.#words = words;
    this.#size = size;
  }

  /** Waits for room and returns the slot to fill. */
  beforeInsert(): number {
    this.#lock();
    while (this.#used() === this.#size) this.#waitFor(NOT_FULL);
    return Atomics.load(this.#words, HEAD) % this.#size;
  }

  /** The slot is filled. */
  afterInsert(_slot: number): void {
    Atomics.add(this.#words, HEAD, 1);
    this.#signal(NOT_EMPTY);
  }

  /** Waits for a record and returns its slot. */
  beforeTake(): number {
    this.#lock();
    while (this.#used() === 0) this.#waitFor(NOT_EMPTY);
    return Atomics.load(this.#words, TAIL) % this.#size;
  }

  /** The slot may be filled again. */
  afterTake(_slot: number): void {
    Atomics.add(this.#words, TAIL, 1);
    this.#signal(NOT_FULL);
  }

  #used(): number {
    const head = Atomics.load(this.#words, HEAD);
    return head - Atomics.load(this.#words, TAIL);
  }

  /** Leaves, sleeps until signalled, enters again. */
  #waitFor(condition: number): void {
    // Read inside: a signal after unlocking changes it, so the sleep does not begin.
    const seen = Atomics.load(this.#words, condition);
    this.#unlock();
    Atomics.wait(this.#words, condition, seen);
    this.#lock();
  }

  #signal(condition: number): void {
    Atomics.add(this.#words, condition, 1);
    this.#unlock();
    Atomics.notify(this.#words, condition, 1);
  }

  #lock(): void {
    if (Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0) return;
    while (Atomics.exchange(this.#words, LOCK, 2) !== 0) Atomics.wait(this.#words, LOCK, 2);
  }

  #unlock(): void {
    if (Atomics.exchange(this.#words, LOCK, 0) === 2) Atomics.notify(this.#words, LOCK, 1);
  }
}
