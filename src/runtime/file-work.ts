import { closeSync, fsync, fsyncSync, openSync, write, writeSync } from "node:fs";

/*
 * Work with files that is written once and done in two ways: at once by a thread that may block, and by the system's pool
 * of threads for one that has sockets to attend to. Work is a generator: it yields each call that may take long and gets
 * what the call answers, or what it throws, and everything between two calls is the same in both ways.
 */

/** A call that may take long. */
export interface FileCall<T = unknown> {
  now(): T;
  /** Calls back on the event loop, never before it returns. */
  later(done: (fault: unknown, result?: T) => void): void;
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
  yield { now, later };
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

/** Does the work before it returns. */
export function doNow<R>(work: FileWork<R>): R {
  let step = work.next();
  while (step.done !== true) {
    let result: unknown;
    try {
      result = step.value.now();
    } catch (fault) {
      step = work.throw(fault);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}

/** Does the work by and by; `done` is called on the event loop, unless there is nothing to wait for. */
export function doLater(work: FileWork<unknown>, done: (fault?: unknown) => void): void {
  const goOn = (next: () => IteratorResult<FileCall, unknown>): void => {
    let step: IteratorResult<FileCall, unknown>;
    try {
      step = next();
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
