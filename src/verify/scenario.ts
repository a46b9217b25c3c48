/*
 * What a thread program may call beside shipped code. The explorer and the replays rewrite these calls where
 * they stand; nothing below is ever run.
 */

/** Passes a number to the check at the end, per thread and in order. */
export function report(_value: number): void {}

/** An operation of the sequential specification begins. */
export function invoke(_operation: number, _argument: number): void {}

/** It ended with that result. */
export function respond(_result: number): void {}

/** Blocks until another thread has finished or died, which the main thread learns from its exit event. */
export function awaitEnd(_thread: number): void {}

/** Blocks until the asynchronous wait of this thread is over, as an event loop with nothing else to do. */
export function awaitRing(): void {}
