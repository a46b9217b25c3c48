import type { Doorbell } from "./doorbell.ts";

/** Node keeps no loop alive for `Atomics.waitAsync`; a referenced timer this long apart does. */
const KEEP_ALIVE_MS = 60_000;

/**
 * The doorbell of a thread that owns sockets: it never blocks, its callback runs on the event loop after a ring.
 * One asynchronous wait is outstanding at a time, however often the thread falls asleep and wakes by other events.
 */
export class LoopDoorbell {
  readonly #bell: Doorbell;
  readonly #onRing: () => void;
  readonly #keepAlive: NodeJS.Timeout;
  #waiting = false;
  #closed = false;

  constructor(bell: Doorbell, onRing: () => void) {
    this.#bell = bell;
    this.#onRing = onRing;
    this.#keepAlive = setInterval(() => {}, KEEP_ALIVE_MS);
  }

  /** Arms the bell. The caller looks for work once more afterwards, and calls `awake` if there is some. */
  asleep(): void {
    const armed = this.#bell.arm();
    if (this.#waiting || this.#closed) return;
    const wait = Atomics.waitAsync(this.#bell.words, this.#bell.rungWord(), armed);
    if (!wait.async) {
      // Rung between arm and here; ASLEEP is already cleared by the ringer.
      queueMicrotask(this.#onRing);
      return;
    }
    this.#waiting = true;
    void wait.value.then(() => {
      this.#waiting = false;
      if (!this.#closed) this.#onRing();
    });
  }

  /** Says that the thread is awake; rings cost nothing until the next `asleep`. */
  awake(): void {
    this.#bell.disarm();
  }

  /** Stops listening; the loop may end. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#keepAlive);
  }
}
