import { Mutex } from "./mutex.ts";

/** Per condition: a number that every signal changes, and how many threads wait that nobody has woken. */
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
  wait(condition: number, timeoutMs = Number.POSITIVE_INFINITY, looks = 0): boolean {
    const at = this.#conditions + condition * CONDITION_WORDS;
    Atomics.add(this.#words, at + WAITERS, 1);
    // Read inside the monitor: a signal after leave() changes it, so the sleep below does not begin.
    const signals = Atomics.load(this.#words, at + SIGNALS);
    this.#mutex.unlock();
    // Whoever will signal may be running right now: then a few looks cost less than a sleep.
    for (let look = 0; look < looks; look++) {
      if (Atomics.load(this.#words, at + SIGNALS) !== signals) break;
    }
    const ended = Atomics.wait(this.#words, at + SIGNALS, signals, timeoutMs);
    if (!this.#mutex.spinLock(looks)) this.#mutex.lock();
    // Whoever was woken has been subtracted by its waker.
    if (ended !== "ok") Atomics.sub(this.#words, at + WAITERS, 1);
    return ended !== "timed-out";
  }

  /** Wakes one thread that waits on the condition, if any. Only inside. */
  signal(condition: number): void {
    this.#wake(condition, 1);
  }

  /** Signals and leaves, but wakes only outside, where nobody waits for this thread. */
  leaveSignalling(condition: number): void {
    const at = this.#conditions + condition * CONDITION_WORDS;
    const waits = Atomics.load(this.#words, at + WAITERS) !== 0;
    if (waits) Atomics.add(this.#words, at + SIGNALS, 1);
    this.#mutex.unlock();
    if (!waits) return;
    const woken = Atomics.notify(this.#words, at + SIGNALS, 1);
    Atomics.sub(this.#words, at + WAITERS, woken);
  }

  /** Wakes every thread that waits on the condition. Only inside; also how a shutdown interrupts. */
  broadcast(condition: number): void {
    this.#wake(condition, Number.POSITIVE_INFINITY);
  }

  #wake(condition: number, count: number): void {
    const at = this.#conditions + condition * CONDITION_WORDS;
    if (Atomics.load(this.#words, at + WAITERS) === 0) return;
    Atomics.add(this.#words, at + SIGNALS, 1);
    const woken = Atomics.notify(this.#words, at + SIGNALS, count);
    Atomics.sub(this.#words, at + WAITERS, woken);
  }

  /**
   * Takes the lock back from a dead thread and passes on a signal it may have consumed.
   * What the monitor guards may be half changed; only its user can repair that.
   */
  static reclaim(words: Int32Array, index: number, conditions: number, deadOwner: number): boolean {
    const held = Mutex.reclaim(words, index, deadOwner);
    for (let condition = 0; condition < conditions; condition++) {
      const at = index + Mutex.WORDS + condition * CONDITION_WORDS;
      Atomics.add(words, at + SIGNALS, 1);
      const woken = Atomics.notify(words, at + SIGNALS);
      // WAITERS stays too high by the dead thread's share: that costs needless signals, never a lost one.
      Atomics.sub(words, at + WAITERS, woken);
    }
    return held;
  }
}
