import fs from "node:fs";

/**
 * Where a drill or a test has replaced `writeSync` and `fsyncSync`, their asynchronous forms go through the replaced ones,
 * on the event loop: what the drill counts, refuses or writes down is the same in both ways. Call it before
 * `syncBuiltinESMExports`; what it returns puts everything back.
 */
export function laterCallsToo(): () => void {
  const real = { write: fs.write, fsync: fs.fsync };
  fs.write = ((
    file: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    _position: null,
    done: (fault: unknown, written?: number) => void,
  ) => {
    // A call for all bytes has no length, as our own synchronous calls have none.
    const isAll = length === bytes.length - from;
    later(
      () => (isAll ? fs.writeSync(file, bytes, from) : fs.writeSync(file, bytes, from, length)),
      done,
    );
  }) as unknown as typeof fs.write;
  fs.fsync = ((file: number, done: (fault: unknown) => void) =>
    later(() => fs.fsyncSync(file), done)) as typeof fs.fsync;
  return () => Object.assign(fs, real);
}

function later<T>(call: () => T, done: (fault: unknown, result?: T) => void): void {
  setImmediate(() => {
    let result: T;
    try {
      result = call();
    } catch (fault) {
      done(fault);
      return;
    }
    done(null, result);
  });
}
