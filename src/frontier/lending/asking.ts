import { asking, IDLENESS, type WorkBoard } from "./work-board.ts";

/** Own pages wait this long for the answer of a thread that has better ones. */
const ASK_AGAIN_MS = 20;
/** A thread that had nothing to lend is not waited for again for this long. */
const REFUSED_MS = 250;
const NOBODY = -1;

/** How a thread asks for leases: it has no work and waits, or it has some and wants an answer at once. */
export type AskKind = "ask" | "askFirst";

/** What asking needs of its thread. */
export interface AskingParts {
  readonly thread: number;
  readonly work: WorkBoard;
  readonly send: (kind: AskKind, owner: number, places: number) => void;
}

/**
 * Asks other threads for leases. A thread without work asks once: whom it asked remembers it, lends when there is
 * something, or lets it go. Meanwhile nothing is done here.
 */
export class Asking {
  readonly #parts: AskingParts;
  /** The last request of a thread with own work: when, what for, what has come, and whether more will come soon. */
  #first = { atMs: Number.NEGATIVE_INFINITY, places: 0, came: 0, isOver: false };
  /** Who was asked by a thread without work and may still lend, and how many. */
  #open = { owner: NOBODY, places: 0 };
  /** Who lent all that was asked for: it is asked again first. */
  #served = NOBODY;
  /** What this thread said of itself. */
  #said: number = IDLENESS.none;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    // The one before this run may have died idle.
    parts.work.setIdle(parts.thread, IDLENESS.none);
  }

  /** There are free places and no own work for them. */
  idly(places: number): void {
    const { thread, work } = this.#parts;
    const isCalled = this.#said !== IDLENESS.none && work.idleness(thread) !== this.#said;
    if (isCalled) this.#said = IDLENESS.none;
    const { owner } = this.#open;
    if (owner === NOBODY) this.#look(places);
    else if (isCalled) this.#changeOwner(places);
    // The owner knows of some free places already: few more are not worth a message.
    else if (places >= 2 * this.#open.places) this.#ask(owner, places);
  }

  /** All places are taken: what is lent now would only wait here. */
  full(): void {
    this.#say(IDLENESS.none);
    const { owner } = this.#open;
    if (owner === NOBODY) return;
    this.#close();
    this.#parts.send("ask", owner, 0);
  }

  /**
   * Asks a thread whose pages are worth more. Returns until when the own pages wait for what it lends: not at all if it
   * had less than was asked for, and never long, so that no place is idle for the sake of the order.
   */
  first(owner: number, places: number, nowMs: number): number {
    const { atMs, places: wanted, came, isOver } = this.#first;
    const patienceMs = isOver && came === 0 ? REFUSED_MS : ASK_AGAIN_MS;
    if (came >= wanted || nowMs - atMs >= patienceMs) {
      this.#first = { atMs: nowMs, places, came: 0, isOver: false };
      this.#parts.send("askFirst", owner, places);
    } else if (isOver) return 0;
    return this.#first.atMs + ASK_AGAIN_MS;
  }

  /** Leases of `owner` have come; none means that it has no more for now and has forgotten who asked. */
  came(owner: number, leases: number): void {
    this.#first.came += leases;
    if (leases === 0) this.#first.isOver = true;
    if (owner !== this.#open.owner) return;
    this.#open.places -= leases;
    if (leases > 0 && this.#open.places > 0) return;
    this.#close();
    this.#served = leases > 0 ? owner : NOBODY;
  }

  /** A thread was replaced, and with it what it remembered. */
  forget(thread: number): void {
    if (thread === this.#open.owner) this.#close();
    if (thread === this.#served) this.#served = NOBODY;
  }

  /** Who lent before, or who has most to lend. It says that it is idle before it looks: see `WorkBoard`. */
  #look(places: number): void {
    const { thread, work } = this.#parts;
    if (this.#served === NOBODY) this.#say(IDLENESS.free);
    const owner = this.#served === NOBODY ? work.mostSpare(thread) : this.#served;
    if (owner === NOBODY) return;
    this.#ask(owner, places);
  }

  /** Called while it waits for another thread: that one had nothing for it so far. */
  #changeOwner(places: number): void {
    const { thread, work, send } = this.#parts;
    const { owner } = this.#open;
    const caller = work.mostSpare(thread);
    if (caller === NOBODY || caller === owner) {
      this.#say(asking(owner));
      return;
    }
    send("ask", owner, 0);
    this.#ask(caller, places);
  }

  #ask(owner: number, places: number): void {
    this.#served = NOBODY;
    this.#open = { owner, places };
    this.#say(asking(owner));
    this.#parts.send("ask", owner, places);
  }

  #close(): void {
    this.#open = { owner: NOBODY, places: 0 };
  }

  #say(idleness: number): void {
    if (this.#said === idleness) return;
    this.#said = idleness;
    this.#parts.work.setIdle(this.#parts.thread, idleness);
  }
}
