import type { World } from "./explored-world.ts";
import { Machine } from "./machine.ts";

/**
 * Vector clocks over control words: a plain access must happen after every conflicting one before it.
 *
 * Cells, all undone with the machine:  clock of each thread | clock released into each control word |
 * per payload byte: who wrote last, when, and when each thread read last.
 */
export class RaceClocks {
  readonly #machine: Machine;
  readonly #threads: number;
  readonly #clocks: number;
  readonly #released: number;
  readonly #payload: number;

  /** Cells of a machine that the clocks need. */
  static cells(threads: number, imageCells: number): number {
    return threads * threads + imageCells * threads + imageCells * 4 * (2 + threads);
  }

  constructor(machine: Machine, base: number) {
    this.#machine = machine;
    this.#threads = machine.threads;
    this.#clocks = base;
    this.#released = base + this.#threads * this.#threads;
    this.#payload = this.#released + machine.cells * this.#threads;
    for (let t = 0; t < this.#threads; t++) machine.mem[this.#clocks + t * this.#threads + t] = 1;
  }

  /** Thread t read a control word: everything before its last store happened before. */
  acquire(t: number, cell: number): void {
    this.#join(this.#clocks + t * this.#threads, this.#released + cell * this.#threads);
  }

  /** Thread t stored into a control word. */
  release(t: number, cell: number): void {
    const { mem } = this.#machine;
    const from = this.#clocks + t * this.#threads;
    const to = this.#released + cell * this.#threads;
    for (let u = 0; u < this.#threads; u++) {
      if (mem[to + u] !== mem[from + u]) this.#machine.set(to + u, mem[from + u]!);
    }
    this.#machine.set(from + t, mem[from + t]! + 1);
  }

  /** A wake-up orders its thread after the notifier. */
  handOver(from: number, to: number): void {
    this.#join(this.#clocks + to * this.#threads, this.#clocks + from * this.#threads);
    const own = this.#clocks + from * this.#threads + from;
    this.#machine.set(own, this.#machine.mem[own]! + 1);
  }

  /** A plain read; returns a sentence if it races. */
  read(t: number, byte: number, length: number): string | undefined {
    return this.#access(t, byte, length, false);
  }

  /** A plain write; returns a sentence if it races. */
  write(t: number, byte: number, length: number): string | undefined {
    return this.#access(t, byte, length, true);
  }

  #access(t: number, byte: number, length: number, writes: boolean): string | undefined {
    const { mem } = this.#machine;
    const clock = this.#clocks + t * this.#threads;
    for (let at = byte; at < byte + length; at++) {
      const slot = this.#payload + at * (2 + this.#threads);
      const writer = mem[slot]! - 1;
      if (writer >= 0 && writer !== t && mem[slot + 1]! > mem[clock + writer]!) {
        return raceSentence(at, writer, "write", t, writes ? "write" : "read");
      }
      for (let u = 0; writes && u < this.#threads; u++) {
        if (u !== t && mem[slot + 2 + u]! > mem[clock + u]!) {
          return raceSentence(at, u, "read", t, "write");
        }
      }
      this.#machine.set(writes ? slot + 1 : slot + 2 + t, mem[clock + t]!);
      if (writes) this.#machine.set(slot, t + 1);
    }
    return undefined;
  }

  #join(into: number, from: number): void {
    const { mem } = this.#machine;
    for (let u = 0; u < this.#threads; u++) {
      if (mem[from + u]! > mem[into + u]!) this.#machine.set(into + u, mem[from + u]!);
    }
  }
}

/**
 * A machine that finds races by clocks, because payload runs together with the step before it. The search's own `cells`
 * lie between the state and the clocks.
 */
export function clockedMachine(world: World, cells = 0): Machine {
  const clocks = RaceClocks.cells(world.automata.length, world.image.bytes >> 2);
  const machine = new Machine(world, true, cells + clocks);
  machine.races = new RaceClocks(machine, machine.stateCells + cells);
  return machine;
}

/** The sentence for two plain accesses that nothing orders. */
export function raceSentence(
  byte: number,
  first: number,
  did: string,
  second: number,
  does: string,
): string {
  return `data race on payload byte ${byte}: ${did} by thread ${first}, ${does} by thread ${second}, nothing orders them`;
}
