/** Where the words of a free-running thread go; the explorer rewrites the calls below and never uses this. */
export interface Sink {
  report(value: number): void;
  awaitEnd(thread: number): void;
}

let sink: Sink | undefined;

/** Connects this thread of a free-running control. */
export function listen(to: Sink): void {
  sink = to;
}

/** Says a number that the check at the end gets to see, per thread and in order. */
export function report(value: number): void {
  sink?.report(value);
}

/** An operation of the sequential specification begins. */
export function invoke(_operation: number, _argument: number): void {}

/** It ended with that result. */
export function respond(_result: number): void {}

/** Blocks until another thread has finished or died, as a supervisor learns it from the exit event. */
export function awaitEnd(thread: number): void {
  sink?.awaitEnd(thread);
}
