import type { Configuration, Patch } from "../configuration.ts";
import { Values } from "../fibers/answer-values.ts";
import { Automaton } from "../fibers/automaton.ts";
import { type Fiber, FiberRuntime } from "../fibers/fiber-runtime.ts";
import { Image, Memory } from "../memory.ts";
import type { Operation } from "../operations.ts";
import { loadConfiguration } from "../rewrite/modules.ts";
import { Logs } from "./logs.ts";
import { Machine } from "./machine.ts";

/** Stands for "my own id" in the table of interchangeable threads. */
const SELF = 0x00ab_cdef;
const ID_MASK = 0x7fffffff;

/** A configuration ready to be explored: rewritten code, one table per thread, the initial memory. */
export class World {
  readonly configuration: Configuration;
  readonly automata: Automaton[] = [];
  readonly image: Image;
  readonly memory = new Memory();
  readonly values = new Values();
  readonly logs = new Logs();
  readonly records = new Logs();
  readonly symmetric: boolean;
  readonly timeouts: boolean;
  /** Shared memory before the threads start. */
  readonly initial: Int32Array;
  readonly #clocks: readonly number[];
  readonly #runtime = new FiberRuntime();

  constructor(entry: string, configuration: Configuration, patches: readonly Patch[]) {
    this.configuration = configuration;
    this.symmetric = configuration.roles !== undefined;
    this.#clocks = configuration.clockWords ?? [];
    this.timeouts = configuration.timeouts === true;
    const { name } = configuration;
    const rewritten = loadConfiguration(entry, name, this.#runtime, "fibers", patches);
    // Attach once to find out which buffers there are.
    rewritten.attach(this.memory, 1);
    this.image = new Image(this.memory.buffers);
    this.#runtime.image = this.image;
    this.initial = new Int32Array(this.image.bytes >> 2);
    this.#initialise(rewritten);
    const { roles, threads } = configuration;
    for (let t = 0; t < threads; t++) {
      // Threads with the same role share a table.
      const first = roles?.indexOf(roles[t]!) ?? t;
      this.automata.push(this.automata[first] ?? this.#automaton(rewritten, t));
    }
  }

  /** Which clock word this cell is, or -1. */
  clockOf(cell: number): number {
    return this.#clocks.length > 0 ? this.#clocks.indexOf(cell) : -1;
  }

  /** From the table's operand to the word in memory: SELF becomes the thread's own id. */
  outward(value: number, t: number): number {
    if (!this.symmetric) return value;
    return (value & ID_MASK) === SELF ? (value & ~ID_MASK) | (t + 1) : value;
  }

  /** From the word in memory to the answer in the table. */
  inward(value: number, t: number): number {
    if (!this.symmetric) return value;
    return (value & ID_MASK) === t + 1 ? (value & ~ID_MASK) | SELF : value;
  }

  #initialise(rewritten: Configuration): void {
    if (rewritten.initialise === undefined) return;
    this.automata.push(
      new Automaton(this.#runtime, this.values, () =>
        this.#fiber(rewritten, 1, (subject) => rewritten.initialise!(subject)),
      ),
    );
    const machine = new Machine(this, true);
    machine.begin();
    while (!machine.ended(0)) machine.step(0);
    this.initial.set(machine.mem.subarray(0, machine.cells));
    this.automata.pop();
  }

  #automaton(rewritten: Configuration, t: number): Automaton {
    const owner = this.symmetric ? SELF : t + 1;
    return new Automaton(this.#runtime, this.values, () =>
      this.#fiber(rewritten, owner, (subject) => rewritten.program(subject, t)),
    );
  }

  /** A fresh run of one program; local arrays belong to it alone, so the subject is attached anew. */
  #fiber(rewritten: Configuration, owner: number, run: (subject: unknown) => void): Fiber {
    this.#runtime.fiber = undefined as unknown as Fiber;
    this.#runtime.restart();
    this.memory.rewind();
    const subject = rewritten.attach(this.memory, owner);
    const code = run(subject) as unknown as Iterator<Operation, unknown, unknown> | undefined;
    return { code: code ?? [][Symbol.iterator](), history: 0, exact: false, heap: new Map() };
  }
}
