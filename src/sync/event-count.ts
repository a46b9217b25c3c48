/** How often the event happened. */
const COUNT = 0;
/** Not 0: somebody may be asleep and nobody has been woken since. */
const ASLEEP = 1;

/**
 * Lets threads sleep until something happened, without a lock: read, look at the world, then wait.
 *
 * An event wakes one sleeper, and events that follow before that one has looked wake nobody: on a busy machine a
 * wake-up costs a hundred times what the event does. So whoever finds work after a sleep calls `remind` and looks
 * whether there is more; if so it announces that in turn.
 */
export class EventCount {
  static readonly WORDS = 2;
  readonly #words: Int32Array;
  readonly #base: number;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#base = index;
  }

  /** The count to wait on; read it before looking at what the event announces. */
  read(): number {
    return Atomics.load(this.#words, this.#base + COUNT);
  }

  /**
   * Announces the event and wakes one sleeper, unless one has been woken already and not looked yet; cheap when nobody
   * sleeps. True when one was woken.
   */
  advance(): boolean {
    Atomics.add(this.#words, this.#base + COUNT, 1);
    // A sleeper leaves its mark before it compares COUNT, so one of the two sides sees the other.
    if (Atomics.load(this.#words, this.#base + ASLEEP) === 0) return false;
    if (Atomics.exchange(this.#words, this.#base + ASLEEP, 0) === 0) return false;
    // Whoever left the mark just taken may not be asleep yet: counted once more, it finds the count moved.
    Atomics.add(this.#words, this.#base + COUNT, 1);
    return Atomics.notify(this.#words, this.#base + COUNT, 1) > 0;
  }

  /** Lets every sleeper look again: for an event that concerns all, or after a death. */
  wakeAll(): void {
    Atomics.add(this.#words, this.#base + COUNT, 1);
    Atomics.notify(this.#words, this.#base + COUNT);
  }

  /** Polls for the event, at most `looks` times; returns how many polls are left, 0 when it did not happen. */
  watch(seen: number, looks: number): number {
    for (let left = looks; left > 0; left--) if (this.hasAdvanced(seen)) return left;
    return 0;
  }

  /** Blocks until the count differs from the one read; false after the time-out. */
  wait(seen: number, timeoutMs = Number.POSITIVE_INFINITY): boolean {
    this.remind();
    return Atomics.wait(this.#words, this.#base + COUNT, seen, timeoutMs) !== "timed-out";
  }

  /** Others may still be asleep: the next event wakes one of them. */
  remind(): void {
    Atomics.store(this.#words, this.#base + ASLEEP, 1);
  }

  /** Whether the event has happened since the count was read. Never blocks. */
  hasAdvanced(seen: number): boolean {
    return Atomics.load(this.#words, this.#base + COUNT) !== seen;
  }
}
