import { Mutex } from "../../sync/mutex.ts";
import { Semaphore } from "../../sync/semaphore.ts";
import { PlainSlots } from "./plain-slots.ts";

const EMPTY = 0;
const FULL = EMPTY + Semaphore.WORDS;
const LOCK = FULL + Semaphore.WORDS;

/** The bounded buffer of the textbook: three semaphores, of which the mutual exclusion is a mutex that names its owner. */
export class SemaphoreBuffer {
  static readonly WORDS = LOCK + Mutex.WORDS;
  readonly #words: Int32Array;
  /** Guarded by the lock. */
  readonly #slots: PlainSlots;
  readonly #empty: Semaphore;
  readonly #full: Semaphore;
  readonly #lock: Mutex;

  constructor(words: Int32Array, plain: Int32Array, ownerId: number) {
    this.#words = words;
    this.#slots = new PlainSlots(plain);
    this.#empty = new Semaphore(words, EMPTY);
    this.#full = new Semaphore(words, FULL);
    this.#lock = new Mutex(words, LOCK, ownerId);
  }

  /** Call once before the threads start. */
  initialise(): void {
    Semaphore.initialise(this.#words, EMPTY, this.#slots.capacity);
  }

  insert(item: number): void {
    this.#empty.p();
    this.#lock.lock();
    this.#slots.put(item);
    this.#lock.unlock();
    this.#full.v();
  }

  remove(): number {
    this.#full.p();
    this.#lock.lock();
    const item = this.#slots.take();
    this.#lock.unlock();
    this.#empty.v();
    return item;
  }
}
