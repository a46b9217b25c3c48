import { monotonicMs } from "../runtime/clock.ts";

/** A stream to write to that may be a terminal. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A stream to read from that may be a terminal. */
export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** What a command may touch of the outside world; tests hand in their own. */
export interface Io {
  readonly stdin: Input;
  /** Results only. */
  readonly stdout: Output;
  /** Progress, notes and errors. */
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** The streams, environment and clock of this process. */
export function processIo(): Io {
  return {
    // Made when it is read: it is a stream with a handle of its own.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    now: monotonicMs,
  };
}

/** Prints a result as one line of JSON. */
export function printJson(io: Io, result: unknown): void {
  io.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Calls the handler on Ctrl-C and on SIGTERM, until the function that is answered has been called. */
export function onSignals(handler: (signal: NodeJS.Signals) => void): () => void {
  process.on("SIGINT", handler);
  process.on("SIGTERM", handler);
  return () => {
    process.off("SIGINT", handler);
    process.off("SIGTERM", handler);
  };
}
