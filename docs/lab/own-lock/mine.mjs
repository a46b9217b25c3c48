// A lock of one's own for `orbweaver crawl --sync ./mine.mjs --when-full wait`: a monitor with two conditions.
// It decides who may fill or empty which slot of a ring, and when; the laboratory copies the URLs.

const LOCK = 0; // 0 free, 1 taken, 2 taken and somebody may sleep
const HEAD = 1; // inserts so far
const TAIL = 2; // takes so far
const NOT_FULL = 3; // changes with every take
const NOT_EMPTY = 4; // changes with every insert

export class Sync {
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

  beforeInsert() {
    return this.#enterWhen(NOT_FULL, () => this.#used() < this.#size, HEAD);
  }

  afterInsert() {
    this.#leave(HEAD, NOT_EMPTY);
  }

  beforeTake() {
    return this.#enterWhen(NOT_EMPTY, () => this.#used() > 0, TAIL);
  }

  afterTake() {
    this.#leave(TAIL, NOT_FULL);
  }

  #used() {
    return Atomics.load(this.#words, HEAD) - Atomics.load(this.#words, TAIL);
  }

  #enterWhen(condition, holds, end) {
    for (;;) {
      this.#lock();
      if (holds()) return Atomics.load(this.#words, end) % this.#size;
      // Read inside: a signal after unlocking changes it, so the sleep does not begin.
      const seen = Atomics.load(this.#words, condition);
      this.#unlock();
      Atomics.wait(this.#words, condition, seen);
    }
  }

  #leave(end, condition) {
    Atomics.add(this.#words, end, 1);
    Atomics.add(this.#words, condition, 1);
    this.#unlock();
    Atomics.notify(this.#words, condition, 1);
  }

  #lock() {
    if (Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0) return;
    while (Atomics.exchange(this.#words, LOCK, 2) !== 0) Atomics.wait(this.#words, LOCK, 2);
  }

  #unlock() {
    if (Atomics.exchange(this.#words, LOCK, 0) === 2) Atomics.notify(this.#words, LOCK, 1);
  }
}
