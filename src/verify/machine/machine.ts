import type { Automaton } from "../fibers/automaton.ts";
import { isPlain, KIND, NOT_EQUAL, OK, type Operation, TIMED_OUT } from "../operations.ts";
import { RESULTS } from "./arithmetic.ts";
import { FRESH, held, hold, makeStale, STALE } from "./clock-words.ts";
import type { World } from "./explored-world.ts";
import type { RaceClocks } from "./race-clocks.ts";
import { firstInQueue, leaveQueue, listenTo, queueLength, ringListeners } from "./sleepers.ts";
import { KILLED, LISTENS, LOG, QUEUED, RUNG, THREAD_CELLS } from "./state-layout.ts";
import { Trail } from "./trail.ts";
import { applyWide } from "./wide-values.ts";

const READS = 0;
const WRITES = 1;

/**
 * Executes operations of virtual threads on one array of numbers that holds the whole state, and can undo them.
 * What an operation touched is left in `object1`, `write1`, `object2`, `write2` (-1: nothing) and `woken`.
 */
export class Machine extends Trail {
  readonly threads: number;
  readonly cells: number;
  /** Cells that make up the state: image, threads, history of invocations. */
  readonly stateCells: number;
  readonly history: number;
  readonly world: World;
  readonly automata: readonly Automaton[];
  races: RaceClocks | undefined;
  /** Payload accesses run together with the step before them instead of being steps of their own. */
  readonly eagerPayload: boolean;
  steps = 0;
  object1 = -1;
  write1 = READS;
  object2 = -1;
  write2 = READS;
  readonly woken: Int32Array;
  wokenCount = 0;
  fault: string | undefined;
  /** Answer of the last operation, -1 when it went to sleep. */
  answer = 0;

  constructor(world: World, eagerPayload: boolean, extraCells = 0) {
    const cells = world.image.bytes >> 2;
    const threads = world.automata.length;
    super(cells + threads * THREAD_CELLS + 1 + extraCells);
    this.world = world;
    this.automata = world.automata;
    this.threads = threads;
    this.cells = cells;
    this.history = this.cells + this.threads * THREAD_CELLS;
    this.stateCells = this.history + 1;
    this.woken = new Int32Array(this.threads);
    this.eagerPayload = eagerPayload;
    this.mem.set(world.initial);
  }

  /** Brings every thread to its first operation; afterwards the machine is at the initial state. */
  begin(): void {
    for (let t = 0; t < this.threads; t++) this.#settle(t);
    this.commit();
  }

  override undo(mark: number): void {
    super.undo(mark);
    this.fault = undefined;
  }

  /** First of the cells of a thread. */
  cellsOf(t: number): number {
    return this.cells + t * THREAD_CELLS;
  }

  /** The pending operation of a thread. */
  operationOf(t: number): Operation {
    return this.automata[t]!.operations[this.mem[this.cellsOf(t)]!]!;
  }

  /** The kind of the pending operation. */
  kindOf(t: number): number {
    return this.automata[t]!.kind[this.mem[this.cellsOf(t)]!]!;
  }

  /** Has the thread ended, by itself or killed? */
  ended(t: number): boolean {
    return this.mem[this.cellsOf(t) + KILLED] === 1 || this.kindOf(t) >= KIND.finish;
  }

  /** Can the thread take a step now? */
  enabled(t: number): boolean {
    const at = this.cellsOf(t);
    if (this.mem[at + KILLED] === 1) return false;
    const state = this.mem[at]!;
    const automaton = this.automata[t]!;
    const kind = automaton.kind[state]!;
    if (kind >= KIND.finish) return false;
    if (this.mem[at + QUEUED]! > 0) return this.world.timeouts && automaton.b[state] === 1;
    if (kind === KIND.awaitRing) return this.mem[at + LISTENS] === RUNG;
    return kind !== KIND.awaitEnd || this.ended(automaton.a[state]!);
  }

  /** All threads that can take a step, as bits. */
  enabledMask(): number {
    let mask = 0;
    for (let t = 0; t < this.threads; t++) if (this.enabled(t)) mask |= 1 << t;
    return mask;
  }

  /** Ends a thread from outside, wherever it is. */
  kill(t: number): void {
    this.steps++;
    if (this.mem[this.cellsOf(t) + QUEUED]! > 0) leaveQueue(this, t);
    this.set(this.cellsOf(t) + LISTENS, 0);
    this.set(this.cellsOf(t) + KILLED, 1);
  }

  /** Follows a choice of a schedule: the step of a thread, or its death when the choice is `threads` higher. */
  follow(choice: number): void {
    if (choice < this.threads) this.step(choice);
    else this.kill(choice - this.threads);
  }

  /** Lets the thread execute its pending operation and run on to the next one. */
  step(t: number): void {
    this.steps++;
    this.wokenCount = 0;
    this.answer = -1;
    this.#execute(t);
    this.#settle(t);
  }

  #execute(t: number): void {
    const automaton = this.automata[t]!;
    const state = this.mem[this.cellsOf(t)]!;
    const kind = automaton.kind[state]!;
    const cell = automaton.cell[state]!;
    this.object2 = -1;
    this.object1 = cell;
    this.write1 = READS;
    if (kind > KIND.compareExchange) {
      this.#special(t, automaton, state, kind);
      return;
    }
    if (automaton.operations[state]!.bytes === 8) {
      this.#finishAtomic(t, state, applyWide(this, automaton.operations[state]!));
      return;
    }
    const clock = this.world.clockOf(cell);
    if (clock >= 0) {
      // Only equality with the value read last matters: a reading is fresh until the word changes, then stale for
      // ever. Counting the values out would make the state space infinite.
      if (kind === KIND.load) hold(this, t, clock, FRESH);
      else makeStale(this, clock);
      this.#finishAtomic(t, state, 0);
      return;
    }
    const old = this.mem[cell]!;
    const a = this.world.outward(automaton.a[state]!, t);
    const next = RESULTS[kind]!(old, a, this.world.outward(automaton.b[state]!, t));
    const failed = kind === KIND.compareExchange && old !== a;
    if (next !== old) {
      this.set(cell, next);
      this.write1 = WRITES;
    } else if (kind !== KIND.load && !failed && this.races !== undefined) this.write1 = WRITES;
    if (this.races !== undefined) {
      if (kind !== KIND.store) this.races.acquire(t, cell);
      // A failed compare is a read: two of them commute, and so do their traces.
      if (kind !== KIND.load && !failed) this.races.release(t, cell);
    }
    const answer = kind === KIND.store ? automaton.a[state]! : this.world.inward(old, t);
    this.#advance(t, state, answer);
  }

  /** Ends an access to a 64-bit or clock word, which counts as a write unless it is a load. */
  #finishAtomic(t: number, state: number, answer: number): void {
    this.write1 = this.automata[t]!.kind[state] === KIND.load ? READS : WRITES;
    this.races?.acquire(t, this.object1);
    if (this.write1 === WRITES) this.races?.release(t, this.object1);
    this.#advance(t, state, answer);
  }

  #special(t: number, automaton: Automaton, state: number, kind: number): void {
    const cell = automaton.cell[state]!;
    const a = automaton.a[state]!;
    const at = this.cellsOf(t);
    switch (kind) {
      case KIND.wait: {
        const expected = this.world.outward(a, t);
        const queue = this.stateCells + cell;
        const clock = this.world.clockOf(cell);
        const differs = clock < 0 ? this.mem[cell] !== expected : held(this, t, clock) === STALE;
        if (clock >= 0) hold(this, t, clock, 0);
        if (this.mem[at + QUEUED]! > 0) {
          this.object1 = queue;
          this.write1 = WRITES;
          leaveQueue(this, t);
          this.#advance(t, state, TIMED_OUT);
        } else if (differs) {
          this.races?.acquire(t, cell);
          this.#advance(t, state, NOT_EQUAL);
        } else {
          this.object2 = queue;
          this.write2 = WRITES;
          this.set(at + QUEUED, queueLength(this, cell) + 1);
        }
        return;
      }
      case KIND.waitAsync: {
        const equal = this.mem[cell] === a;
        this.races?.acquire(t, cell);
        this.object2 = this.stateCells + cell;
        this.write2 = WRITES;
        if (equal) this.fault ??= listenTo(this, t, cell);
        this.#advance(t, state, equal ? OK : NOT_EQUAL);
        return;
      }
      case KIND.notify:
        this.object1 = this.stateCells + cell;
        this.#wake(t, cell, a);
        if (this.wokenCount > 0) this.write1 = WRITES;
        this.#advance(t, state, this.wokenCount);
        return;
      case KIND.invoke:
      case KIND.respond:
        this.object1 = this.history;
        this.write1 = kind === KIND.respond ? WRITES : READS;
        this.set(
          this.history,
          this.world.records.record(this.mem[this.history]!, t, kind, a, automaton.b[state]!),
        );
        this.#advance(t, state, 0);
        return;
      case KIND.awaitRing:
      case KIND.awaitEnd:
        if (kind === KIND.awaitRing) this.set(at + LISTENS, 0);
        this.#advance(t, state, 0);
        return;
      default:
        this.#plain(t, automaton, state, kind);
    }
  }

  /** Payload and reports, whose exact moment no other thread may depend on. */
  #plain(t: number, automaton: Automaton, state: number, kind: number): void {
    const operation = automaton.operations[state]!;
    let answer = 0;
    if (kind === KIND.report) {
      const log = this.cellsOf(t) + LOG;
      this.set(log, this.world.logs.append(this.mem[log]!, operation.a));
    } else if (kind === KIND.read) {
      answer = this.world.values.bytesKey(this.bytes, operation.byte, operation.bytes);
      this.fault ??= this.races?.read(t, operation.byte, operation.bytes);
    } else {
      this.write1 = WRITES;
      const last = (operation.byte + operation.bytes - 1) >> 2;
      for (let cell = operation.byte >> 2; cell <= last; cell++) this.set(cell, this.mem[cell]!);
      const data = operation.data!;
      for (let i = 0; i < data.length; i++) this.bytes[operation.byte + i] = data[i]!;
      this.fault ??= this.races?.write(t, operation.byte, operation.bytes);
    }
    this.#advance(t, state, answer);
  }

  /** Runs what is not a scheduling point. */
  #settle(t: number): void {
    const at = this.cellsOf(t);
    const automaton = this.automata[t]!;
    for (;;) {
      const state = this.mem[at]!;
      const kind = automaton.kind[state]!;
      if (kind === KIND.report || (this.eagerPayload && isPlain(kind))) {
        const write = this.write1;
        this.#plain(t, automaton, state, kind);
        this.write1 = write;
      } else {
        if (kind === KIND.fault) this.fault ??= automaton.operations[state]!.message!;
        return;
      }
    }
  }

  #advance(t: number, state: number, answer: number): void {
    this.answer = answer;
    this.set(this.cellsOf(t), this.automata[t]!.next(state, answer));
  }

  /** Wakes the longest sleepers first, as engines do. */
  #wake(notifier: number, cell: number, count: number): void {
    let left = count;
    for (let first = firstInQueue(this, cell); left > 0 && first >= 0; left--) {
      leaveQueue(this, first);
      this.woken[this.wokenCount++] = first;
      this.races?.handOver(notifier, first);
      this.#advance(first, this.mem[this.cellsOf(first)]!, OK);
      this.#settle(first);
      first = firstInQueue(this, cell);
    }
    ringListeners(this, notifier, cell, left);
  }
}
