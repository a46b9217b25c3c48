// Exercise 1: two threads are inside at once. Repair it.
//   orbweaver verify --subject ./exercise-1.mjs
// shows two threads that touch the same slot, or a URL that is lost or taken twice, step by step. Look at what each of
// them has seen when it goes in.

const LOCK = 0; // 0 free, 1 taken, 2 taken and somebody may sleep
const HEAD = 1; // inserts so far
const TAIL = 2; // takes so far
const NOT_FULL = 3; // changes with every take
const NOT_EMPTY = 4; // changes with every insert

export class Sync {
  /** What the words are called in schedules (optional). */
  static names = ["lock", "head", "tail", "notFull", "notEmpty"];
  #words;
  #size;

  /** Words of shared memory, zero at first. */
  static words() {
    return 5;
  }

  constructor(words, size) {
    this.#words = words;
    this.#size = size;
  }

  /** Waits for room and returns the slot to fill. */
  beforeInsert() {
    this.#lock();
    while (this.#used() === this.#size) this.#waitFor(NOT_FULL);
    return Atomics.load(this.#words, HEAD) % this.#size;
  }

  /** The slot is filled. */
  afterInsert() {
    Atomics.add(this.#words, HEAD, 1);
    this.#signal(NOT_EMPTY);
  }

  /** Waits for a record and returns its slot. */
  beforeTake() {
    this.#lock();
    while (this.#used() === 0) this.#waitFor(NOT_EMPTY);
    return Atomics.load(this.#words, TAIL) % this.#size;
  }

  /** The slot may be filled again. */
  afterTake() {
    Atomics.add(this.#words, TAIL, 1);
    this.#signal(NOT_FULL);
  }

  #used() {
    return Atomics.load(this.#words, HEAD) - Atomics.load(this.#words, TAIL);
  }

  #waitFor(condition) {
    // Read inside: a signal after unlocking changes it, so the sleep does not begin.
    const seen = Atomics.load(this.#words, condition);
    this.#unlock();
    Atomics.wait(this.#words, condition, seen);
    this.#lock();
  }

  #signal(condition) {
    Atomics.add(this.#words, condition, 1);
    this.#unlock();
    Atomics.notify(this.#words, condition, 1);
  }

  #lock() {
    if (Atomics.load(this.#words, LOCK) === 0) {
      Atomics.store(this.#words, LOCK, 1);
      return;
    }
    while (Atomics.exchange(this.#words, LOCK, 2) !== 0) Atomics.wait(this.#words, LOCK, 2);
  }

  #unlock() {
    if (Atomics.exchange(this.#words, LOCK, 0) === 2) Atomics.notify(this.#words, LOCK, 1);
  }
}
