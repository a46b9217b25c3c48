/**
 * Waits for one result without a promise, which would cost as much as a stage of a visit. It is told once, by either, and
 * never before the call that it was given to has returned.
 */
export interface Receiver<Result> {
  settled(result: Result): void;
  /** A fault in our own code, or in the caller's. */
  threw(fault: unknown): void;
}

/** The promise of a result that `begin` returns if it is known at once, and tells its receiver otherwise. */
export function promiseOf<Result>(
  begin: (receiver: Receiver<Result>) => Result | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const known = begin({ settled: resolve, threw: reject });
    if (known !== undefined) resolve(known);
  });
}

/** Tells the receiver what becomes of a promise. */
export function tell<Result>(promise: Promise<Result>, receiver: Receiver<Result>): void {
  promise.then(
    (result) => receiver.settled(result),
    (fault: unknown) => receiver.threw(fault),
  );
}
