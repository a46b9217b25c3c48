import { Mutex } from "../../sync/mutex.ts";
import { Semaphore } from "../../sync/semaphore.ts";

const EMPTY = 0;
const FULL = EMPTY + Semaphore.WORDS;
const LOCK = FULL + Semaphore.WORDS;
const WORDS = LOCK + Mutex.WORDS;
/** Plain, guarded by the lock. */
const TAKEN = 0;
const PUT = 1;
const SLOTS = 2;

/** The bounded buffer of the textbook: three semaphores, of which the mutual exclusion is a mutex that names its owner. */
export class SemaphoreBuffer {
  readonly #capacity: number;
  readonly #words: Int32Array;
  readonly #plain: Int32Array;
  readonly #empty: Semaphore;
  readonly #full: Semaphore;
  readonly #lock: Mutex;

  constructor(words: Int32Array, plain: Int32Array, ownerId: number) {
    this.#words = words;
    this.#plain = plain;
    this.#capacity = plain.length - SLOTS;
    this.#empty = new Semaphore(words, EMPTY);
    this.#full = new Semaphore(words, FULL);
    this.#lock = new Mutex(words, LOCK, ownerId);
  }

  static readonly WORDS = WORDS;

  /** Plain words for a buffer of that capacity. */
  static plainWords(capacity: number): number {
    return SLOTS + capacity;
  }

  /** Call once before the threads start. */
  initialise(): void {
    Semaphore.initialise(this.#words, EMPTY, this.#capacity);
  }

  insert(item: number): void {
    this.#empty.p();
    this.#lock.lock();
    const put = this.#plain[PUT]!;
    this.#plain[SLOTS + put] = item;
    this.#plain[PUT] = (put + 1) % this.#capacity;
    this.#lock.unlock();
    this.#full.v();
  }

  remove(): number {
    this.#full.p();
    this.#lock.lock();
    const taken = this.#plain[TAKEN]!;
    const item = this.#plain[SLOTS + taken]!;
    this.#plain[TAKEN] = (taken + 1) % this.#capacity;
    this.#lock.unlock();
    this.#empty.v();
    return item;
  }
}
