import { asyncWait, KIND, OK, type Operation, WAIT_ANSWERS } from "../operations.ts";
import type { Values } from "./answer-values.ts";
import type { Fiber, FiberRuntime } from "./fiber-runtime.ts";
import { STEP } from "./history.ts";

/** Starts the program of one thread from its beginning. */
export type StartFiber = () => Fiber;

const FINISH: Operation = { kind: KIND.finish, byte: 0, bytes: 0, a: 0, b: 0 };

/**
 * One thread program as a table: local state x answer of its pending operation -> next local state.
 *
 * The table is filled by running the real code, and only where the search goes; afterwards a step costs a lookup,
 * states can be copied like numbers, and going back needs no re-execution. A local state is the pending operation
 * together with the structured history that led to it, so the real code can always be run up to it again.
 */
export class Automaton {
  readonly kind: number[] = [];
  /** Index of the control word in the image, or of the first word of payload. */
  readonly cell: number[] = [];
  readonly a: number[] = [];
  readonly b: number[] = [];
  readonly operations: Operation[] = [];
  readonly #unused: boolean[] = [];
  readonly #runtime: FiberRuntime;
  readonly #values: Values;
  readonly #start: StartFiber;
  readonly #stateOfHistory = new Map<number, number>();
  /** How each state was first reached: from which state, with which answer. */
  readonly #from: number[] = [];
  readonly #answer: number[] = [];
  readonly #firstAnswer: number[] = [];
  readonly #firstNext: number[] = [];
  readonly #more: Map<number, number>[] = [];
  /** Fibers that wait at a state and can be moved on from there. */
  readonly #parked = new Map<number, Fiber>();

  constructor(runtime: FiberRuntime, values: Values, start: StartFiber) {
    this.#runtime = runtime;
    this.#values = values;
    this.#start = start;
    const fiber = start();
    this.#run(fiber, undefined, -1, 0);
  }

  /** Steps between local states found so far. */
  edges = 0;

  /** Local states found so far. */
  get size(): number {
    return this.kind.length;
  }

  /** The local state after the pending operation of `state` was answered. */
  next(state: number, real: number): number {
    const answer = this.#unused[state] ? 0 : real;
    if (this.#firstAnswer[state] === answer && this.#firstNext[state] !== -1) {
      return this.#firstNext[state]!;
    }
    const known = this.#more[state]!.get(answer);
    return known === undefined ? this.#extend(state, answer) : known;
  }

  /** Does the code not look at the answer here? Then all answers count as 0. */
  ignoresAnswer(state: number): boolean {
    return this.#unused[state]!;
  }

  /** Every answer found at a state, and where it led. */
  eachEdge(state: number, visit: (answer: number, next: number) => void): void {
    if (this.#firstNext[state] !== -1) visit(this.#firstAnswer[state]!, this.#firstNext[state]!);
    for (const [answer, next] of this.#more[state]!) visit(answer, next);
  }

  #extend(state: number, answer: number): number {
    const fiber = this.#parked.get(state) ?? this.#rebuild(state);
    this.#parked.delete(state);
    const next = this.#feed(fiber, state, answer);
    if (this.#firstNext[state] === -1) {
      this.#firstAnswer[state] = answer;
      this.#firstNext[state] = next;
    } else this.#more[state]!.set(answer, next);
    this.edges++;
    return next;
  }

  #feed(fiber: Fiber, state: number, answer: number): number {
    const value = this.#decode(this.operations[state]!, answer);
    fiber.history = this.#runtime.histories.extend(fiber.history, STEP.result, String(answer));
    return this.#run(fiber, value, state, answer);
  }

  /** Runs real code up to its next operation. */
  #run(fiber: Fiber, value: unknown, from: number, answer: number): number {
    this.#runtime.fiber = fiber;
    let pending: Operation;
    let history: number;
    try {
      const step = fiber.code.next(value);
      pending = step.done === true ? FINISH : step.value;
      history = step.done === true ? -1 : this.#runtime.stateOf(fiber);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      pending = { ...FINISH, kind: KIND.fault, message };
      history = this.#runtime.stateOf(fiber);
    }
    let state = this.#stateOfHistory.get(history);
    if (state === undefined) {
      state = this.#add(pending, history, from, answer);
      if (history !== -1) this.#parked.set(state, fiber);
    }
    return state;
  }

  #add(pending: Operation, history: number, from: number, answer: number): number {
    const state = this.kind.length;
    this.kind.push(pending.kind);
    this.cell.push(pending.byte >> 2);
    this.a.push(pending.a);
    this.b.push(pending.b);
    this.operations.push(pending);
    this.#unused.push(pending.unused === true);
    this.#stateOfHistory.set(history, state);
    this.#from.push(from);
    this.#answer.push(answer);
    this.#firstAnswer.push(0);
    this.#firstNext.push(-1);
    this.#more.push(new Map());
    return state;
  }

  /** Brings fresh code to a known state by giving it the same answers as the first time. */
  #rebuild(state: number): Fiber {
    const path: number[] = [];
    for (let at = state; this.#from[at] !== -1; at = this.#from[at]!) path.push(at);
    const fiber = this.#start();
    this.#run(fiber, undefined, -1, 0);
    for (const at of path.reverse()) this.#feed(fiber, this.#from[at]!, this.#answer[at]!);
    return fiber;
  }

  #decode(operation: Operation, answer: number): unknown {
    switch (operation.kind) {
      case KIND.wait:
        return WAIT_ANSWERS[answer];
      case KIND.waitAsync:
        return asyncWait(answer === OK);
      case KIND.read:
        return operation.decode!(this.#values.bytes(answer, operation.bytes));
      case KIND.write:
      case KIND.report:
      case KIND.invoke:
      case KIND.respond:
      case KIND.awaitEnd:
      case KIND.awaitRing:
        return undefined;
      default:
        return operation.bytes === 8 && operation.kind !== KIND.notify
          ? this.#values.wide(answer)
          : answer;
    }
  }
}
