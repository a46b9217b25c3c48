import { freemem } from "node:os";
import { raceBetweenNext } from "../judge/next-race.ts";
import { Judge, type Verdict } from "../judge/verdict.ts";
import type { World } from "../machine/explored-world.ts";
import { Machine } from "../machine/machine.ts";
import { inSection } from "./concrete.ts";
import { cpuSeconds } from "./dpor.ts";
import { fairCycleOf, lonelyCycleOf } from "./fair-cycles.ts";
import { PrivateSteps } from "./private-steps.ts";
import { REPEATS, StateTable } from "./state-table.ts";
import { Symmetry } from "./symmetry.ts";

/** Part of the free memory that the states of one search may take. */
const MEMORY_SHARE = 0.6;
/** Private steps taken in one go. */
const MAX_RUN = 200;
/** States between two looks at the clock and the memory. */
const LOOK_EVERY = 0x1000;

/**
 * Breadth-first search over all states, each stored whole and visited once; the first violation is a shortest one.
 * Payload accesses are steps of their own here: two that conflict and can both be next are a data race.
 */
export class Stateful {
  readonly #machine: Machine;
  readonly #judge: Judge;
  readonly #private: PrivateSteps | undefined;
  #table: StateTable;
  readonly #symmetry: Symmetry | undefined;
  readonly #mortal: number;
  #ends = 0;

  constructor(world: World) {
    const { configuration } = world;
    this.#machine = new Machine(world, configuration.eagerPayload === true);
    this.#judge = new Judge(this.#machine);
    this.#table = new StateTable(this.#machine, configuration.cycles === true);
    this.#symmetry = world.symmetric ? new Symmetry(this.#machine) : undefined;
    this.#mortal = (configuration.mortal ?? []).reduce((mask, t) => mask | (1 << t), 0);
    // Fewer interleavings do not show which threads can run for ever.
    if (configuration.privateSteps === true && configuration.cycles !== true) {
      this.#private = new PrivateSteps(this.#machine, this.#mortal);
    }
  }

  /** Searches until everything is explored, a violation is found, or time or memory is used up. */
  search(maxCpuSeconds: number, maxBytes = freemem() * MEMORY_SHARE): Verdict {
    const machine = this.#machine;
    const started = process.cpuUsage();
    let violation: string | undefined;
    let cutOff: Verdict["cutOff"];
    let last = -1;
    try {
      machine.begin();
      violation = machine.fault;
      // Repeat until the tables, from which private steps are known, no longer grow.
      for (let again = true; again && violation === undefined && cutOff === undefined; ) {
        this.#private?.refresh();
        this.#remember(-1, 0);
        for (let id = 0; violation === undefined && id < this.#table.size; id++) {
          if (id % LOOK_EVERY === 0) {
            if (cpuSeconds(started) > maxCpuSeconds) cutOff = "budget";
            else if (this.#table.bytes > maxBytes) cutOff = "memory";
            if (cutOff !== undefined) break;
            if (this.#private?.isOutdated) this.#private.refresh();
          }
          this.#table.read(id);
          violation = this.#expand(id);
          last = id;
        }
        again = this.#private?.grew() === true;
        if (again && violation === undefined && cutOff === undefined) this.#startOver();
      }
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      cutOff = "memory";
    }
    const complete = cutOff === undefined;
    const table = this.#table;
    let choices: number[] = [];
    if (violation !== undefined) choices = this.#pathTo(last);
    else if (complete && machine.world.configuration.cycles) {
      const lonely = machine.world.configuration.nonBlocking === true;
      const cycle =
        (lonely ? lonelyCycleOf(machine, table) : undefined) ?? fairCycleOf(machine, table);
      if (cycle !== undefined) {
        violation = cycle.violation;
        choices = [...table.pathTo(cycle.state), ...cycle.round];
      }
    }
    return {
      executions: this.#ends,
      states: table.size,
      steps: machine.steps,
      complete,
      cutOff,
      violation: violation ?? null,
      choices,
    };
  }

  /** The choice that led to a violation inside a step, which is no state of the table; else -1. */
  #wrong = -1;

  #pathTo(state: number): number[] {
    const length = this.#wrong < 0 ? 0 : 1 + (this.#wrong >> REPEATS);
    const last = Array.from({ length }, () => this.#wrong & (2 ** REPEATS - 1));
    return [...this.#table.pathTo(state), ...last];
  }

  #expand(id: number): string | undefined {
    const machine = this.#machine;
    const race = raceBetweenNext(machine);
    if (race !== undefined) return race;
    const alone = this.#private?.find() ?? -1;
    if (alone >= 0) {
      const before = this.#table.size;
      const fault = this.#take(id, alone);
      // Only a new state may replace the other threads' steps, or they could be postponed for ever.
      if (fault !== undefined || this.#table.size > before) return fault;
    }
    let moved = false;
    for (let t = 0; t < machine.threads; t++) {
      if (!machine.enabled(t)) continue;
      moved = true;
      const fault = this.#take(id, t);
      if (fault !== undefined) return fault;
    }
    for (let rest = this.#mortal; rest !== 0; rest &= rest - 1) {
      const t = 31 - Math.clz32(rest & -rest);
      if (machine.ended(t)) continue;
      machine.kill(t);
      this.#remember(id, machine.threads + t);
    }
    this.#table.closeEdges();
    if (moved) return undefined;
    this.#ends++;
    return this.#judge.judge();
  }

  /** Lets a thread take its next step, and those after it that are private, and remembers where that leads. */
  #take(id: number, t: number): string | undefined {
    const machine = this.#machine;
    machine.step(t);
    // The holder runs on until it has left its critical section.
    while (inSection(machine, t)) machine.step(t);
    let more = 0;
    while (more < MAX_RUN && machine.fault === undefined && this.#private?.isPrivate(t)) {
      machine.step(t);
      more++;
    }
    const choice = t + (more << REPEATS);
    if (machine.fault !== undefined) {
      this.#wrong = choice;
      return machine.fault;
    }
    this.#remember(id, choice);
    return undefined;
  }

  #startOver(): void {
    const machine = this.#machine;
    this.#table.read(0);
    this.#table = new StateTable(machine, machine.world.configuration.cycles === true);
    this.#ends = 0;
  }

  /** Stores the state the machine is in, and takes the step back. */
  #remember(from: number, choice: number): void {
    this.#symmetry?.normalise();
    this.#table.add(from, choice);
    this.#machine.undo(0);
  }
}

/** The error of a typed array for which there is no memory. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError && /allocation failed|array length/i.test(error.message);
}
