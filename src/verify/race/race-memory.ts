/** What brings both threads of a replay into the critical section. */
export const RACE_METHODS = ["turnstile", "sleep", "rendezvous"] as const;
export type RaceMethod = (typeof RACE_METHODS)[number];

/** Words the two builders share: whose turn it is, the state of each, one meeting point per URL, crawlers at work. */
export const TURN = 0;
export const STATE = 1;
export const MEETING = 3;
export const WORKING = 5;
export const RACE_WORDS = 6;

/** States of a builder: it runs, waits for the tree's lock, waits at a meeting point, has written its first page. */
export const RUNNING = 0;
export const AT_LOCK = 1;
export const AT_MEETING = 2;
export const THROUGH = 3;

/** The schedule: both look, both look again, both write. Without the lock it can always be followed. */
const SCHEDULE = [0, 1, 0, 1, 0, 1];
const POLL_MS = 1;

/** Holds a builder back until its next step is due. A builder that cannot take its turn loses it. */
export class Turnstile {
  readonly #words: Int32Array;
  readonly #me: number;

  constructor(words: Int32Array, builder: number) {
    this.#words = words;
    this.#me = builder;
  }

  /** Blocks until it is this builder's turn; then `pass`. */
  await(): void {
    for (;;) {
      const turn = Atomics.load(this.#words, TURN);
      if (turn >= SCHEDULE.length || SCHEDULE[turn] === this.#me) return;
      if (otherIs(this.#words, this.#me, AT_LOCK, THROUGH)) {
        Atomics.compareExchange(this.#words, TURN, turn, turn + 1);
      } else Atomics.wait(this.#words, TURN, turn, POLL_MS);
    }
  }

  /** The step is done. */
  pass(): void {
    Atomics.add(this.#words, TURN, 1);
    Atomics.notify(this.#words, TURN);
  }
}

/**
 * The seed's second method: the first builder waits until the other arrives with the same URL. If that one arrives with
 * another URL, both wait for ever. A builder that the tree's lock keeps out is not waited for.
 */
export function meet(words: Int32Array, builder: number, url: number): void {
  const at = MEETING + url;
  if (Atomics.compareExchange(words, at, 0, 1) !== 0) {
    Atomics.store(words, at, 2);
    Atomics.notify(words, at);
    return;
  }
  Atomics.store(words, STATE + builder, AT_MEETING);
  while (Atomics.load(words, at) === 1 && !otherIs(words, builder, AT_LOCK, THROUGH)) {
    Atomics.wait(words, at, 1, POLL_MS);
  }
  Atomics.store(words, STATE + builder, RUNNING);
}

function otherIs(words: Int32Array, builder: number, ...states: number[]): boolean {
  return states.includes(Atomics.load(words, STATE + 1 - builder));
}
