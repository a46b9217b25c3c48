/** Exit codes of the command line; they are an interface and never change meaning. */
export const EXIT = {
  finished: 0,
  fault: 1,
  usage: 2,
  limit: 3,
  diskFull: 4,
  corrupt: 5,
  interrupted: 130,
  terminated: 143,
} as const;

/** Every deliberate error: a stable code for programs, a sentence for people, an exit code for shells. */
export class OrbweaverError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number = EXIT.fault, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Wrong command line, configuration or seed file. */
export class UsageError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_USAGE", message, EXIT.usage, cause);
  }
}

/** The output folder already holds a crawl, or something else: nothing there is ever overwritten. */
export class FolderTakenError extends OrbweaverError {
  constructor(message: string) {
    super("OW_FOLDER_TAKEN", message, EXIT.usage);
  }
}

/** A value does not fit the shared memory made for it: size 0, a URL longer than a slot, too many threads. */
export class CapacityError extends OrbweaverError {
  constructor(message: string) {
    super("OW_CAPACITY", message, EXIT.usage);
  }
}

/** A file of the archive or the state is not what was written; the message names file and offset. */
export class StoreCorruptError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_STORE_CORRUPT", message, EXIT.corrupt, cause);
  }
}

/** The disk cannot take more. */
export class DiskFullError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_DISK_FULL", message, EXIT.diskFull, cause);
  }
}

/** A worker thread ended before it was told to. */
export class WorkerDiedError extends OrbweaverError {
  constructor(worker: string, cause?: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    super("OW_WORKER_DIED", `${worker} ended unexpectedly${why}`, EXIT.fault, cause);
  }
}

/** spin or the C compiler could not do its part for a model. */
export class ModelCheckerError extends OrbweaverError {
  constructor(message: string) {
    super("OW_MODEL_CHECKER", message);
  }
}
