import type { Machine } from "../machine/machine.ts";
import { LOG, QUEUED } from "../machine/state-layout.ts";
import { KIND } from "../operations.ts";
import { wordName } from "../word-names.ts";
import { explains } from "./linearise.ts";

/** What a search found. */
export interface Verdict {
  /** Complete runs (dpor, pct) or final states (stateful). */
  readonly executions: number;
  /** Distinct states (stateful) or steps taken (dpor, pct). */
  readonly states: number;
  readonly steps: number;
  readonly complete: boolean;
  /** What a search that is not complete ran out of. */
  readonly cutOff?: "budget" | "memory" | undefined;
  readonly violation: string | null;
  /** Thread of each step, or threads + thread for a kill, up to the violation. */
  readonly choices: readonly number[];
}

/** Judges states in which no thread can go on, each only once. */
export class Judge {
  readonly #machine: Machine;
  readonly #known = new Map<number, string | undefined>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** A sentence when this end is wrong. */
  judge(): string | undefined {
    const machine = this.#machine;
    const stuck: string[] = [];
    for (let t = 0; t < machine.threads; t++) {
      if (!machine.ended(t)) stuck.push(`thread ${t} ${this.#waitsFor(t)}`);
    }
    if (stuck.length > 0) return `deadlock: ${stuck.join(", ")}`;
    const key = this.#key();
    if (!this.#known.has(key)) this.#known.set(key, this.#check());
    return this.#known.get(key);
  }

  #waitsFor(t: number): string {
    const operation = this.#machine.operationOf(t);
    if (this.#machine.mem[this.#machine.cellsOf(t) + QUEUED]! > 0)
      return `sleeps on ${wordName(operation, this.#machine.world.configuration.wordNames)}`;
    return operation.kind === KIND.awaitRing ? "waits for a ring" : "waits for an end";
  }

  #check(): string | undefined {
    const machine = this.#machine;
    const { configuration, logs, records, memory, image } = machine.world;
    if (configuration.specification) {
      const entries = records.entries(machine.mem[machine.history]!);
      if (!explains(configuration.specification, entries))
        return "no order of the operations explains the results";
    }
    return configuration.check?.({
      reports: machine.automata.map((_, t) =>
        logs.entries(machine.mem[machine.cellsOf(t) + LOG]!).map((entry) => entry[0]!),
      ),
      words: (n) => {
        const words = new Int32Array(memory.buffers[n]!);
        const start = image.startOf(words) >> 2;
        return machine.mem.slice(start, start + words.length);
      },
    });
  }

  /** 53 bits over memory, reports and history: enough to remember a few thousand different ends. */
  #key(): number {
    const { mem, cells, threads, history } = this.#machine;
    let low = mem[history]! | 0;
    let high = 7;
    for (let cell = 0; cell < cells; cell++) {
      low = Math.imul(low ^ mem[cell]!, 0x9e3779b1) ^ (low >>> 15);
      high = Math.imul(high + mem[cell]!, 0x85ebca6b) ^ (high >>> 13);
    }
    for (let t = 0; t < threads; t++) {
      const log = mem[this.#machine.cellsOf(t) + LOG]!;
      low = Math.imul(low ^ log, 0x9e3779b1) ^ (low >>> 15);
      high = Math.imul(high + log, 0x85ebca6b) ^ (high >>> 13);
    }
    return (high >>> 11) * 2 ** 32 + (low >>> 0);
  }
}
