import type { Automaton } from "../fibers/automaton.ts";
import { Futures } from "../fibers/futures.ts";
import type { Machine } from "../machine/machine.ts";
import { QUEUED } from "../machine/state-layout.ts";
import { isPlain, KIND } from "../operations.ts";

const ID_MASK = 0x7fffffff;

/**
 * Finds steps that no other thread can see or hinder: accesses to cells that nobody else touches (or, for a load,
 * writes) before this thread has moved. Such a step commutes with everything that can happen first, so it alone is
 * a persistent set (Godefroid 1996) and need not be interleaved.
 *
 * What the others can touch comes from their tables, without the answers that they cannot get: a word that names
 * this thread stays as it is (a lock it holds) as long as nobody else can set it to zero.
 *
 * The tables grow while the search runs, so what was found counts only when a whole search has added nothing to
 * them: had a thread been able to touch a cell after all, then the search, which runs everything that the premature
 * step left possible, would have found that access.
 */
export class PrivateSteps {
  readonly #machine: Machine;
  readonly #mortal: number;
  /** Words of the locks whose sections count as one step. */
  readonly #sections: ReadonlySet<number>;
  #futures: Futures;
  #known = -1;
  #start = -1;

  constructor(machine: Machine, mortal: number) {
    this.#machine = machine;
    this.#mortal = mortal;
    this.#futures = new Futures(machine.automata);
    this.#sections = new Set(machine.world.configuration.sectionWords);
  }

  /** Local steps known so far, in all tables. */
  get known(): number {
    return this.#machine.automata.reduce((sum, automaton) => sum + automaton.edges, 0);
  }

  /** Looks at the tables again; true when they have grown since the last time. */
  refresh(): boolean {
    if (this.known === this.#known) return false;
    this.#known = this.known;
    this.#futures = new Futures(this.#machine.automata);
    return true;
  }

  /** Whether the tables have grown since the last call. */
  grew(): boolean {
    const grew = this.known !== this.#start;
    this.#start = this.known;
    return grew;
  }

  /** Whether the tables have grown so much that `refresh` pays. */
  get isOutdated(): boolean {
    return this.known > 1.3 * this.#known + 64;
  }

  /** A thread whose next step is private, or -1. */
  find(): number {
    for (let t = 0; t < this.#machine.threads; t++) if (this.isPrivate(t)) return t;
    return -1;
  }

  /** Can nobody else see or hinder this thread's next step? */
  isPrivate(t: number): boolean {
    const machine = this.#machine;
    if ((this.#mortal & (1 << t)) !== 0 || !machine.enabled(t)) return false;
    const state = machine.mem[machine.cellsOf(t)]!;
    const automaton = machine.automata[t]!;
    const kind = automaton.kind[state]!;
    if (kind > KIND.compareExchange && !isPlain(kind)) return false;
    if (machine.mem[machine.cellsOf(t) + QUEUED]! > 0) return false;
    // It would begin a critical section that counts as one step, with accesses that others may well see.
    if (this.#sections.has(automaton.cell[state]!)) return false;
    const held = this.#heldBy(t);
    return (
      this.#isFree(t, automaton, state, held) ||
      (held !== 0 && this.#isFree(t, automaton, state, 0))
    );
  }

  #isFree(t: number, automaton: Automaton, state: number, held: number): boolean {
    const machine = this.#machine;
    const operation = automaton.operations[state]!;
    const reads = operation.kind === KIND.load || operation.kind === KIND.read;
    const first = operation.byte >> 2;
    const last = (operation.byte + operation.bytes - 1) >> 2;
    for (let u = 0; u < machine.threads; u++) {
      if (u === t || machine.ended(u)) continue;
      const future = this.#futures.of(u, held);
      const at = machine.mem[machine.cellsOf(u)]!;
      if (held !== 0 && future.zeroes(at, held)) return false;
      for (let cell = first; cell <= last; cell++)
        if (future.touches(at, cell, reads)) return false;
    }
    return true;
  }

  /** The lock words that name this thread, as bits. */
  #heldBy(t: number): number {
    const { mem } = this.#machine;
    let held = 0;
    for (let i = 0; i < this.#futures.locks.length; i++) {
      if ((mem[this.#futures.locks[i]!]! & ID_MASK) === t + 1) held |= 1 << i;
    }
    return held;
  }
}
