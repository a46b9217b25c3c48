import { closeSync, fsync, fsyncSync, openSync, write, writeSync } from "node:fs";

/*
 * Work with files that is written once and done in several ways: at once by a thread that may block, and by the system's pool
 * of threads for one that has other things to attend to, all of it or the syncs alone. Work is a generator: it yields each call
 * that may take long and gets what the call answers, or what it throws, and everything between two calls is the same in all ways.
 */

/** A call that may take long. */
export interface FileCall<T = unknown> {
  now(): T;
  /** Calls back on the event loop, never before it returns. */
  later(done: (fault: unknown, result?: T) => void): void;
  /** It waits for the disk itself; what is written waits for memory alone, as a rule. */
  readonly isSync?: boolean;
}

/** Work with files; answers when it is done. */
export type FileWork<R = void> = Generator<FileCall, R, unknown>;

/** The call that can run out of space; tests hand in one that does. Answers the bytes written. */
export type WriteBytes = (file: number, bytes: Uint8Array, from: number) => number;

/** Writes some of the bytes from `from` on; answers how many. */
export function* writeSome(
  file: number,
  bytes: Uint8Array,
  from: number,
  writeNow: WriteBytes = writeSync,
): FileWork<number> {
  const now = () => writeNow(file, bytes, from);
  const later: FileCall<number>["later"] =
    writeNow === writeSync
      ? (done) => write(file, bytes, from, bytes.length - from, null, done)
      : onLoop(now);
  return (yield { now, later }) as number;
}

/** Makes a file durable. */
export function* syncOf(file: number, syncNow: (file: number) => void = fsyncSync): FileWork {
  const now = () => syncNow(file);
  const later: FileCall["later"] =
    syncNow === fsyncSync ? (done) => fsync(file, done) : onLoop(now);
  yield { now, later, isSync: true };
}

/** Makes the entries of a folder durable: a new name is not safe before this. */
export function* syncOfFolder(folder: string): FileWork {
  const handle = openSync(folder, "r");
  try {
    yield* syncOf(handle);
  } finally {
    closeSync(handle);
  }
}

/** Has work with files done, at once or by and by. */
export type DoFileWork = (work: FileWork<unknown>, done: (fault?: unknown) => void) => void;

/** Does the work before it returns. */
export function doNow<R>(work: FileWork<R>): R {
  let step = work.next();
  while (step.done !== true) step = doCall(work, step.value);
  return step.value;
}

/** Does the work by and by; `done` is called on the event loop, unless there is nothing to wait for. */
export const doLater: DoFileWork = (work, done) => doSome(work, () => true, done);

/** Syncs by and by and does everything else before it returns, for a thread that may wait as long as a write takes. */
export const syncLater: DoFileWork = (work, done) =>
  doSome(work, ({ isSync }) => isSync === true, done);

function doSome(
  work: FileWork<unknown>,
  isForLater: (call: FileCall) => boolean,
  done: (fault?: unknown) => void,
): void {
  const goOn = (next: () => IteratorResult<FileCall, unknown>): void => {
    let step: IteratorResult<FileCall, unknown>;
    try {
      step = next();
      while (step.done !== true && !isForLater(step.value)) step = doCall(work, step.value);
    } catch (fault) {
      done(fault);
      return;
    }
    if (step.done === true) {
      done();
      return;
    }
    step.value.later((fault, result) =>
      goOn(() => (fault == null ? work.next(result) : work.throw(fault))),
    );
  };
  goOn(() => work.next());
}

/** Does one call at once; answers what comes next. */
function doCall<R>(work: FileWork<R>, call: FileCall): IteratorResult<FileCall, R> {
  let result: unknown;
  try {
    result = call.now();
  } catch (fault) {
    return work.throw(fault);
  }
  return work.next(result);
}

/** A call that only exists as one that blocks: in tests. */
function onLoop<T>(now: () => T): FileCall<T>["later"] {
  return (done) =>
    setImmediate(() => {
      let result: T;
      try {
        result = now();
      } catch (fault) {
        done(fault);
        return;
      }
      done(null, result);
    });
}
