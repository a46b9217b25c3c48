import { Mutex } from "./mutex.ts";

/** Per condition: a number that every signal changes, and how many threads wait. */
const SIGNALS = 0;
const WAITERS = 1;
const CONDITION_WORDS = 2;

/** A mutex with any number of conditions and Mesa semantics: after wait, look at the predicate again. */
export class Monitor {
  readonly #words: Int32Array;
  readonly #conditions: number;
  readonly #mutex: Mutex;

  constructor(words: Int32Array, index: number, ownerId: number) {
    this.#words = words;
    this.#mutex = new Mutex(words, index, ownerId);
    this.#conditions = index + Mutex.WORDS;
  }

  /** Words needed for a monitor with that many conditions. */
  static words(conditions: number): number {
    return Mutex.WORDS + conditions * CONDITION_WORDS;
  }

  /** Blocks until this thread is alone inside; false only after the time-out. */
  enter(timeoutMs = Number.POSITIVE_INFINITY): boolean {
    return this.#mutex.lock(timeoutMs);
  }

  /** Never sleeps: false when somebody stayed inside through that many attempts. */
  spinEnter(attempts: number): boolean {
    return this.#mutex.spinLock(attempts);
  }

  /** Never blocks: false when somebody is inside. */
  tryEnter(): boolean {
    return this.#mutex.tryLock();
  }

  /** Lets the next one in. */
  leave(): void {
    this.#mutex.unlock();
  }

  /** Leaves, sleeps until signalled, enters again; false when the time-out ended the sleep. Only inside. */
  wait(condition: number, timeoutMs = Number.POSITIVE_INFINITY): boolean {
    const at = this.#conditions + condition * CONDITION_WORDS;
    Atomics.add(this.#words, at + WAITERS, 1);
    // Read inside the monitor: a signal after leave() changes it, so the sleep below does not begin.
    const signals = Atomics.load(this.#words, at + SIGNALS);
    this.#mutex.unlock();
    const ended = Atomics.wait(this.#words, at + SIGNALS, signals, timeoutMs);
    this.#mutex.lock();
    Atomics.sub(this.#words, at + WAITERS, 1);
    return ended !== "timed-out";
  }

  /** Wakes one thread that waits on the condition, if any. Only inside. */
  signal(condition: number): void {
    const at = this.#conditions + condition * CONDITION_WORDS;
    if (Atomics.load(this.#words, at + WAITERS) === 0) return;
    Atomics.add(this.#words, at + SIGNALS, 1);
    Atomics.notify(this.#words, at + SIGNALS, 1);
  }

  /** Wakes every thread that waits on the condition. Only inside; also how a shutdown interrupts. */
  broadcast(condition: number): void {
    const at = this.#conditions + condition * CONDITION_WORDS;
    if (Atomics.load(this.#words, at + WAITERS) === 0) return;
    Atomics.add(this.#words, at + SIGNALS, 1);
    Atomics.notify(this.#words, at + SIGNALS);
  }

  /**
   * Takes the lock back from a dead thread and passes on a signal it may have consumed.
   * What the monitor guards may be half changed; only its user can repair that.
   */
  static reclaim(words: Int32Array, index: number, conditions: number, deadOwner: number): boolean {
    const held = Mutex.reclaim(words, index, deadOwner);
    for (let condition = 0; condition < conditions; condition++) {
      const at = index + Mutex.WORDS + condition * CONDITION_WORDS;
      // WAITERS stays too high by the dead thread's share: that costs needless signals, never a lost one.
      Atomics.add(words, at + SIGNALS, 1);
      Atomics.notify(words, at + SIGNALS);
    }
    return held;
  }
}
