import { isPlain, KIND } from "../operations.ts";
import type { Automaton } from "./automaton.ts";

/** Lock words beyond this many are not looked at. */
const MAX_LOCKS = 30;

/** What every thread can still do, as far as their tables show it now. */
export class Futures {
  /** Cells that some thread exchanges from zero: taken for locks, with a bit each. */
  readonly locks: readonly number[];
  readonly #automata: readonly Automaton[];
  readonly #bits: ReadonlyMap<number, number>;
  readonly #known: Map<number, Future>[];

  constructor(automata: readonly Automaton[]) {
    this.#automata = automata;
    this.#known = automata.map(() => new Map());
    const users = new Map<number, number>();
    const locks = new Set<number>();
    automata.forEach((automaton, t) => {
      for (let state = 0; state < automaton.size; state++) {
        eachCell(automaton, state, (cell) => users.set(cell, (users.get(cell) ?? 0) | (1 << t)));
        const isExchange = automaton.kind[state] === KIND.compareExchange;
        if (isExchange && automaton.a[state] === 0) locks.add(automaton.cell[state]!);
      }
    });
    // A cell that one thread alone uses needs no bit.
    const shared = [...users].filter(([, threads]) => (threads & (threads - 1)) !== 0);
    this.#bits = new Map(shared.map(([cell], bit) => [cell, bit]));
    this.locks = [...locks].filter((cell) => this.#bits.has(cell)).slice(0, MAX_LOCKS);
  }

  /** What a thread can still do while these locks are held by another one. */
  of(t: number, held: number): Future {
    let future = this.#known[t]!.get(held);
    if (future === undefined) {
      future = new Future(this.#automata[t]!, this.#bits, this.locks, held);
      this.#known[t]!.set(held, future);
    }
    return future;
  }
}

/** Per local state: which cells can be touched and written from there on, and which locks set to zero. */
export class Future {
  readonly #bits: ReadonlyMap<number, number>;
  readonly #width: number;
  readonly #touched: Int32Array;
  readonly #written: Int32Array;
  readonly #zeroed: Int32Array;

  constructor(
    automaton: Automaton,
    bits: ReadonlyMap<number, number>,
    locks: readonly number[],
    held: number,
  ) {
    this.#bits = bits;
    this.#width = Math.ceil(bits.size / 32) || 1;
    this.#touched = new Int32Array(automaton.size * this.#width);
    this.#written = new Int32Array(automaton.size * this.#width);
    this.#zeroed = new Int32Array(automaton.size);
    const isHeld = new Map(locks.map((cell, i) => [cell, held & (1 << i)]));
    for (let state = 0; state < automaton.size; state++) this.#note(automaton, state, isHeld);
    // Later states come from earlier ones, except in loops: backwards, a few rounds are enough.
    for (let changed = true; changed; ) {
      changed = false;
      for (let state = automaton.size - 1; state >= 0; state--) {
        const kind = automaton.kind[state]!;
        const blocked =
          kind <= KIND.compareExchange && (isHeld.get(automaton.cell[state]!) ?? 0) !== 0;
        automaton.eachEdge(state, (answer, next) => {
          // A lock that is held is never found free.
          if (blocked && answer === 0 && !automaton.ignoresAnswer(state)) return;
          if (this.#inherit(state, next)) changed = true;
        });
      }
    }
  }

  /** Can the cell be touched (or, for a reader, written) from this local state on? */
  touches(state: number, cell: number, onlyWrites: boolean): boolean {
    const bit = this.#bits.get(cell);
    // The tables do not show this state or cell yet, so what is decided now is not final.
    if (bit === undefined || state >= this.#zeroed.length) return false;
    const set = onlyWrites ? this.#written : this.#touched;
    return (set[state * this.#width + (bit >> 5)]! & (1 << (bit & 31))) !== 0;
  }

  /** Can one of these locks be set to zero from this local state on? */
  zeroes(state: number, held: number): boolean {
    return state < this.#zeroed.length && (this.#zeroed[state]! & held) !== 0;
  }

  #note(automaton: Automaton, state: number, isHeld: ReadonlyMap<number, number>): void {
    const kind = automaton.kind[state]!;
    const writes = kind !== KIND.load && kind !== KIND.read && kind !== KIND.wait;
    eachCell(automaton, state, (cell) => {
      const bit = this.#bits.get(cell);
      if (bit === undefined) return;
      const at = state * this.#width + (bit >> 5);
      this.#touched[at]! |= 1 << (bit & 31);
      if (writes) this.#written[at]! |= 1 << (bit & 31);
    });
    if (writes && mayZero(automaton, state)) {
      this.#zeroed[state] = isHeld.get(automaton.cell[state]!) ?? 0;
    }
  }

  #inherit(state: number, next: number): boolean {
    const width = this.#width;
    let grew = false;
    for (let i = 0; i < width; i++) {
      const touched = this.#touched[next * width + i]! & ~this.#touched[state * width + i]!;
      const written = this.#written[next * width + i]! & ~this.#written[state * width + i]!;
      this.#touched[state * width + i]! |= touched;
      this.#written[state * width + i]! |= written;
      if ((touched | written) !== 0) grew = true;
    }
    const zeroed = this.#zeroed[next]! & ~this.#zeroed[state]!;
    this.#zeroed[state]! |= zeroed;
    return grew || zeroed !== 0;
  }
}

function eachCell(automaton: Automaton, state: number, visit: (cell: number) => void): void {
  const kind = automaton.kind[state]!;
  const { byte, bytes } = automaton.operations[state]!;
  const isAccess = kind <= KIND.wait || kind === KIND.waitAsync || isPlain(kind);
  if (!isAccess || bytes === 0) return;
  for (let cell = byte >> 2; cell <= (byte + bytes - 1) >> 2; cell++) visit(cell);
}

function mayZero(automaton: Automaton, state: number): boolean {
  const kind = automaton.kind[state]!;
  if (kind === KIND.compareExchange) return automaton.b[state] === 0;
  if (kind === KIND.store || kind === KIND.exchange) return automaton.a[state] === 0;
  return kind !== KIND.or;
}
