import type { Doorbell } from "./doorbell.ts";

/** Node keeps no loop alive for `Atomics.waitAsync`; a referenced timer this long apart does. */
const KEEP_ALIVE_MS = 60_000;

const WAITING = 0;
const CLOSED = 1;

/** What a thread may be woken for. */
export interface WorkSource {
  hasWork(): boolean;
}

/**
 * The doorbell of a thread that owns sockets: it never blocks, its callback runs on the event loop after a ring.
 * One asynchronous wait is outstanding at a time, however often the thread falls asleep and wakes by other events.
 */
export class LoopDoorbell {
  readonly #bell: Doorbell;
  readonly #onRing: () => void;
  readonly #keepAlive: NodeJS.Timeout | null;
  /** An array, because the explorer takes local arrays for part of a thread's state. */
  readonly #is = new Uint8Array(2);

  constructor(
    bell: Doorbell,
    onRing: () => void,
    keepAlive: NodeJS.Timeout | null = setInterval(() => {}, KEEP_ALIVE_MS),
  ) {
    this.#bell = bell;
    this.#keepAlive = keepAlive;
    this.#onRing = () => {
      if (this.waitEnded()) onRing();
    };
  }

  /**
   * Arms the bell and then looks for work once more, because whoever added some before that did not ring. True: there is
   * work now. False: the callback will run when there is.
   */
  fallAsleep(source: WorkSource): boolean {
    const armed = this.#bell.arm();
    if (this.#is[WAITING] === 0 && this.#is[CLOSED] === 0) {
      const wait = Atomics.waitAsync(this.#bell.words, this.#bell.rungWord(), armed);
      // Rung between arm and here.
      if (!wait.async) return true;
      this.#is[WAITING] = 1;
      void wait.value.then(this.#onRing);
    }
    return source.hasWork();
  }

  /** The thread is awake: rings cost nothing until it falls asleep again. */
  awake(): void {
    this.#bell.disarm();
  }

  /** The asynchronous wait is over; false when the bell has been closed. */
  waitEnded(): boolean {
    this.#is[WAITING] = 0;
    return this.#is[CLOSED] === 0;
  }

  /** Stops listening; the loop may end. */
  close(): void {
    this.#is[CLOSED] = 1;
    // An asynchronous wait that nobody ends keeps its shared memory and all that its promise leads to.
    if (this.#is[WAITING] === 1) this.#bell.wake();
    if (this.#keepAlive !== null) clearInterval(this.#keepAlive);
  }
}
