/** Exit codes of the command line; they are an interface and never change meaning. */
export const EXIT = {
  finished: 0,
  fault: 1,
  usage: 2,
  limit: 3,
  diskFull: 4,
  corrupt: 5,
  nothingFetched: 6,
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

/** The disk cannot take more now. */
export class DiskFullError extends OrbweaverError {
  constructor(message: string, cause?: unknown) {
    super("OW_DISK_FULL", message, EXIT.diskFull, cause);
  }
}

/** What the system says when a disk takes nothing now and may do so later, in words. */
const DISK_TROUBLES: Readonly<Record<string, string>> = {
  ENOSPC: "no space for",
  EDQUOT: "no space (quota) for",
  EFBIG: "no space (file size) for",
  EIO: "the disk failed (EIO) on",
  EROFS: "the disk is read-only for",
  EMFILE: "too many open files for",
  ENFILE: "too many open files for",
};

/** Whether a fault is one of a disk that may work again. */
export function isDiskTrouble(fault: unknown): boolean {
  const code = (fault as NodeJS.ErrnoException | undefined)?.code ?? "";
  return fault instanceof DiskFullError || code in DISK_TROUBLES;
}

/** A DiskFullError for what such a disk did not take; any other fault as it is. */
export function diskFault(cause: unknown, what: string): unknown {
  const trouble = DISK_TROUBLES[(cause as NodeJS.ErrnoException | undefined)?.code ?? ""];
  return trouble === undefined ? cause : new DiskFullError(`${trouble} ${what}`, cause);
}

/** What the system says about a path that the user can name another one for, in words. */
const PATH_TROUBLES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "a part of the path is a file, not a folder",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "the name is too long",
};

/** Why the system does not let us use a path, in words; undefined for any other fault. */
export function pathTrouble(fault: unknown): string | undefined {
  return PATH_TROUBLES[(fault as NodeJS.ErrnoException | undefined)?.code ?? ""];
}

/** A UsageError for a path that this user must not, or nobody can, use; any other fault as it is. */
export function pathFault(cause: unknown): unknown {
  const { path } = (cause ?? {}) as NodeJS.ErrnoException;
  const trouble = cause instanceof OrbweaverError ? undefined : pathTrouble(cause);
  if (trouble === undefined || path === undefined) return cause;
  return new UsageError(`cannot use ${path}: ${trouble}`, cause);
}

/** A worker thread ended before it was told to. */
export class WorkerDiedError extends OrbweaverError {
  constructor(worker: string, cause?: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    // The exit code of its fault comes along: a full disk stays one.
    const { exitCode = EXIT.fault } = (cause ?? {}) as { exitCode?: number };
    super("OW_WORKER_DIED", `${worker} ended unexpectedly${why}`, exitCode, cause);
  }
}

/** A listener of a program threw, or rejected: the crawl is stopped and committed. `cause` is what it threw. */
export class ListenerFailedError extends OrbweaverError {
  constructor(cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    super("OW_LISTENER_FAILED", `a listener of the crawl failed: ${text}`, EXIT.fault, cause);
  }
}

/** What a user's handler may not do. Its page fails as `handler_failed`, unless the handler catches it. */
export class HandlerError extends OrbweaverError {
  constructor(message: string, code = "OW_HANDLER") {
    super(code, message, EXIT.usage);
  }
}

/** spin or the C compiler could not do its part for a model. */
export class ModelCheckerError extends OrbweaverError {
  constructor(message: string) {
    super("OW_MODEL_CHECKER", message);
  }
}
