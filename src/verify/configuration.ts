import type { Memory } from "./memory.ts";

/** How the interleavings are searched. */
export type Strategy = "dpor" | "stateful" | "pct";

/** What is left when all threads have ended. */
export interface Outcome {
  /** What each thread reported, in order. */
  readonly reports: readonly (readonly number[])[];
  /** Final control words of buffer n. */
  words(buffer: number): Int32Array;
}

/** An operation of the history that a sequential specification has to explain. */
export interface Invocation {
  readonly thread: number;
  readonly operation: number;
  readonly argument: number;
  readonly result: number;
}

/** A sequential object: the state after the operation, or undefined if it cannot give that result. */
export interface Specification {
  readonly initial: string;
  apply(state: string, invocation: Invocation): string | undefined;
}

/** A change of the shipped text that must make a configuration fail. */
export interface Patch {
  /** Compiled module below the shipped root, for example "sync/ring.js". */
  readonly module: string;
  /** Must occur exactly once; undefined replaces the whole module, as with a lock of one's own. */
  readonly find: string | undefined;
  readonly replace: string;
}

/** A broken variant that the search must catch. */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly Patch[];
}

/** A small program over shipped code, whose interleavings are explored. */
export interface Configuration<S = unknown> {
  readonly name: string;
  readonly technique: string;
  readonly threads: number;
  /** Operations of the subject per thread; 0 when threads repeat endlessly. */
  readonly operations: number;
  readonly strategy: Strategy;
  /** Makes one thread's view of the subject; touches no shared word. Owner ids are 1 and up. */
  attach(memory: Memory, owner: number): S;
  /** Runs alone before the threads start. */
  initialise?(subject: S): void;
  /** What thread 0, 1, 2, … does. Plain synchronous code. */
  program(subject: S, thread: number): void;
  /** A sentence when the outcome is wrong. Called when all threads have ended. */
  check?(outcome: Outcome): string | undefined;
  /** The sequential object that has to explain invocations and responses. */
  readonly specification?: Specification;
  /** A sleep with a time-out may time out at any moment. */
  readonly timeouts?: boolean;
  /** Threads that may be killed at any moment. */
  readonly mortal?: readonly number[];
  /** Search for fair cycles in which no thread makes progress. */
  readonly cycles?: boolean;
  /** Together with `cycles`: a thread that runs alone must come to an end from every state. */
  readonly nonBlocking?: boolean;
  /** Only the holder runs while one of these lock words is held: a critical section is one step. */
  readonly sectionWords?: readonly number[];
  /** Threads with the same role number are interchangeable; needs `ownerWords`. */
  readonly roles?: readonly number[];
  /** Words that hold an owner's id (with or without the sign bit), to be renamed with the threads. */
  readonly ownerWords?: readonly number[];
  /** Words that are only counted up, read, and slept on with the value read last: kept as "fresh" or "stale". */
  readonly clockWords?: readonly number[];
  /** Payload runs together with the step before it and is not checked for races (another configuration does). */
  readonly eagerPayload?: boolean;
  /** What the words of all buffers together are called in schedules, by number; "" where the code's own name will do. */
  readonly wordNames?: readonly string[];
  /** Stateful, without `cycles`: a step that no other thread can see or hinder is not interleaved. */
  readonly privateSteps?: boolean;
  /** A violation that must be found in the shipped code itself. */
  readonly expect?: "deadlock";
  /** Schedules of a random search. */
  readonly schedules?: number;
  /** Left out of the small set that npm test runs. */
  readonly long?: boolean;
  readonly mutants: readonly Mutant[];
}
