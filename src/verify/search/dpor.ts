import { Judge, type Verdict } from "../judge/verdict.ts";
import type { World } from "../machine/explored-world.ts";
import type { Machine } from "../machine/machine.ts";
import { clockedMachine } from "../machine/race-clocks.ts";

const MAX_DEPTH = 4096;

/**
 * Source-set dynamic partial-order reduction with sleep sets (Abdulla, Aronis, Jonsson, Sagonas 2014):
 * one execution for each order of dependent operations.
 *
 * Two operations depend on each other when they touch the same object and one of them changes it; the objects are
 * control words, their wait queues and the history of invocations. A failed compareExchange only reads.
 * Nothing is executed twice: going back restores the numbers of the machine.
 */
export class Dpor {
  readonly #machine: Machine;
  readonly #judge: Judge;
  readonly #threads: number;
  /** Cells: clock of each thread | per object: last writer's depth + 1, and each thread's last reader's. */
  readonly #clocks: number;
  readonly #objects: number;
  readonly #thread = new Int32Array(MAX_DEPTH);
  readonly #clock: Int32Array;
  readonly #footprint = new Int32Array(MAX_DEPTH * 4);
  readonly #backtrack = new Int32Array(MAX_DEPTH);
  readonly #sleep = new Int32Array(MAX_DEPTH);
  readonly #sleepFootprint: Int32Array;
  readonly #marks = new Int32Array(MAX_DEPTH);
  readonly #racing: Int32Array;
  #racingCount = 0;
  #depth = 0;
  #executions = 0;

  constructor(world: World) {
    const threads = world.automata.length;
    const objects = 2 * (world.image.bytes >> 2) + threads * 4 + 1;
    this.#machine = clockedMachine(world, threads * threads + objects * (1 + threads));
    this.#threads = threads;
    this.#racing = new Int32Array(2 * threads + 2);
    this.#clocks = this.#machine.stateCells;
    this.#objects = this.#clocks + threads * threads;
    this.#clock = new Int32Array(MAX_DEPTH * threads);
    this.#sleepFootprint = new Int32Array(MAX_DEPTH * threads * 4);
    this.#judge = new Judge(this.#machine);
  }

  /** Searches until everything is explored, a violation is found or the time is over. */
  search(maxCpuSeconds: number): Verdict {
    const machine = this.#machine;
    machine.begin();
    const started = process.cpuUsage();
    let violation = this.#arrive(0) ?? null;
    let complete = true;
    let turns = 0;
    while (violation === null && this.#depth >= 0) {
      if ((++turns & 0xffff) === 0 && cpuSeconds(started) > maxCpuSeconds) {
        complete = false;
        break;
      }
      const open = this.#backtrack[this.#depth]! & ~this.#sleep[this.#depth]!;
      if (open === 0) this.#retreat();
      else violation = this.#take(31 - Math.clz32(open & -open)) ?? null;
    }
    return {
      executions: this.#executions,
      states: machine.steps,
      steps: machine.steps,
      complete,
      violation,
      choices: violation === null ? [] : [...this.#thread.subarray(0, this.#depth)],
    };
  }

  /** Opens the node at a depth; a node where nothing can be done is an end. */
  #arrive(depth: number): string | undefined {
    const machine = this.#machine;
    this.#depth = depth;
    if (depth === MAX_DEPTH - 1)
      return "an execution does not end (spinning code needs the stateful search)";
    if (machine.fault !== undefined) return machine.fault;
    const enabled = machine.enabledMask();
    const open = enabled & ~this.#sleep[depth]!;
    this.#backtrack[depth] = open & -open;
    if (enabled !== 0) return undefined;
    this.#executions++;
    return this.#judge.judge();
  }

  #retreat(): void {
    const depth = --this.#depth;
    if (depth < 0) return;
    this.#machine.undo(this.#marks[depth]!);
    const t = this.#thread[depth]!;
    this.#sleep[depth]! |= 1 << t;
    const at = (depth * this.#threads + t) * 4;
    for (let i = 0; i < 4; i++) this.#sleepFootprint[at + i] = this.#footprint[depth * 4 + i]!;
  }

  #take(t: number): string | undefined {
    const machine = this.#machine;
    const depth = this.#depth;
    this.#marks[depth] = machine.mark();
    this.#thread[depth] = t;
    machine.step(t);
    const f = depth * 4;
    this.#footprint[f] = machine.object1;
    this.#footprint[f + 1] = machine.write1;
    this.#footprint[f + 2] = machine.object2;
    this.#footprint[f + 3] = machine.write2;
    this.#order(t, depth);
    this.#inheritSleep(depth);
    return this.#arrive(depth + 1);
  }

  /** Finds the races of the new event with earlier ones, then lets it happen after them. */
  #order(t: number, depth: number): void {
    const { mem } = this.#machine;
    const P = this.#threads;
    const own = this.#clocks + t * P;
    const f = depth * 4;
    this.#racingCount = 0;
    for (let k = 0; k < 4; k += 2) {
      const object = this.#footprint[f + k]!;
      if (object >= 0) this.#findRaces(t, object, this.#footprint[f + k + 1]! === 1);
    }
    for (let k = 0; k < 4; k += 2) {
      const object = this.#footprint[f + k]!;
      if (object < 0) continue;
      const at = this.#objects + object * (1 + P);
      if (mem[at]! > 0) this.#join(own, mem[at]! - 1);
      if (this.#footprint[f + k + 1] === 0) {
        this.#machine.set(at + 1 + t, depth + 1);
        continue;
      }
      for (let u = 0; u < P; u++) {
        if (mem[at + 1 + u]! === 0) continue;
        this.#join(own, mem[at + 1 + u]! - 1);
        this.#machine.set(at + 1 + u, 0);
      }
      this.#machine.set(at, depth + 1);
    }
    this.#machine.set(own + t, depth + 1);
    for (let u = 0; u < P; u++) this.#clock[depth * P + u] = mem[own + u]!;
    // A woken thread goes on after the wake-up.
    for (let i = 0; i < this.#machine.wokenCount; i++) {
      this.#join(this.#clocks + this.#machine.woken[i]! * P, depth);
    }
    for (let i = 0; i < this.#racingCount; i++) this.#reverse(this.#racing[i]!, depth);
  }

  #findRaces(t: number, object: number, write: boolean): void {
    const { mem } = this.#machine;
    const P = this.#threads;
    const own = this.#clocks + t * P;
    const at = this.#objects + object * (1 + P);
    let readers = 0;
    for (let u = 0; u < P; u++) {
      const read = mem[at + 1 + u]!;
      if (read === 0) continue;
      readers++;
      if (write && u !== t && read > mem[own + u]!) this.#racing[this.#racingCount++] = read - 1;
    }
    // A write that was read since is not the last conflict of a later write.
    if (write && readers > 0) return;
    const written = mem[at]!;
    if (written === 0) return;
    const u = this.#thread[written - 1]!;
    if (u !== t && written > mem[own + u]!) this.#racing[this.#racingCount++] = written - 1;
  }

  /** Makes sure that the race of event `e` with the new event is also run in the opposite order. */
  #reverse(e: number, depth: number): void {
    const P = this.#threads;
    const racing = this.#thread[e]!;
    let seen = 0;
    let initials = 0;
    for (let d = e + 1; d <= depth; d++) {
      // Events that depend on e come after the reversed race; the others, and the new event, before it.
      if (d < depth && this.#clock[d * P + racing]! > e) continue;
      const u = 1 << this.#thread[d]!;
      if ((seen & u) === 0 && this.#isInitial(d, e, racing)) initials |= u;
      seen |= u;
    }
    if ((this.#backtrack[e]! & initials) === 0) this.#backtrack[e]! |= initials & -initials;
  }

  /** Could d be the first to run in place of e: does no event in between, independent of e, happen before d? */
  #isInitial(d: number, e: number, racing: number): boolean {
    const P = this.#threads;
    for (let u = 0; u < P; u++) {
      const last = this.#clock[d * P + u]! - 1;
      if (last > e && last !== d && this.#clock[last * P + racing]! <= e) return false;
    }
    return true;
  }

  #join(into: number, event: number): void {
    const { mem } = this.#machine;
    const P = this.#threads;
    for (let u = 0; u < P; u++) {
      const time = this.#clock[event * P + u]!;
      if (time > mem[into + u]!) this.#machine.set(into + u, time);
    }
  }

  #inheritSleep(depth: number): void {
    const P = this.#threads;
    let inherited = 0;
    for (let rest = this.#sleep[depth]!; rest !== 0; rest &= rest - 1) {
      const t = 31 - Math.clz32(rest & -rest);
      const at = (depth * P + t) * 4;
      if (this.#conflicts(at, depth * 4)) continue;
      inherited |= 1 << t;
      for (let i = 0; i < 4; i++)
        this.#sleepFootprint[at + P * 4 + i] = this.#sleepFootprint[at + i]!;
    }
    this.#sleep[depth + 1] = inherited;
  }

  #conflicts(sleeping: number, event: number): boolean {
    for (let i = 0; i < 4; i += 2) {
      const object = this.#sleepFootprint[sleeping + i]!;
      if (object < 0) continue;
      for (let k = 0; k < 4; k += 2) {
        if (this.#footprint[event + k] !== object) continue;
        if ((this.#sleepFootprint[sleeping + i + 1]! | this.#footprint[event + k + 1]!) !== 0)
          return true;
      }
    }
    return false;
  }
}

/** CPU seconds of this process since a reading. */
export function cpuSeconds(since: NodeJS.CpuUsage): number {
  const used = process.cpuUsage(since);
  return (used.user + used.system) / 1e6;
}
