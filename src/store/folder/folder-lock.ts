import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
} from "node:fs";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { FolderTakenError, isDiskTrouble } from "../../errors.ts";
import { randomBytes } from "../../runtime/random-bytes.ts";
import { removeIfThere } from "../files/system-calls.ts";
import { crawlPaths } from "./crawl-folder.ts";
import {
  BEAT_MS,
  bootId,
  type HeldLease,
  hasRunOut,
  LEASE_MS,
  type Lease,
  LeaseWatch,
  type LockKind,
  readLease,
  writeBeat,
  writeLease,
} from "./lease.ts";
import { answers, listenOn, tryFlock } from "./system-lock.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/** A folder that this process has for itself. */
export interface FolderLock extends HeldLease {
  /** Throws FolderTakenError when another process has taken the folder. */
  check(): void;
  /** Gives the folder back; nothing happens when it was lost. */
  release(): void;
}

/**
 * Keeps a crawl folder to one process, also where processes do not see each other: containers on one volume, machines on
 * one network file system. The system's lock decides where there is one, else a socket that answers, else the age of the
 * heartbeat in the lease. Calls `onLost` when another process has taken the folder all the same.
 */
export function lockFolder(dir: string, onLost: () => void = () => {}): FolderLock {
  const path = join(dirname(crawlPaths(dir).state), "lock");
  for (;;) {
    const file = openLock(path);
    try {
      const flock = tryFlock(file);
      if (flock === "taken") throw takenBy(readLease(file), dir);
      // Its holder may have removed it meanwhile.
      if (!isNamed(file, path)) {
        closeSync(file);
        continue;
      }
      if (flock === "held") return hold(dir, path, file, "flock", onLost);
      return claiming(path, dir, () => hold(dir, path, file, "socket", onLost));
    } catch (fault) {
      closeSync(file);
      throw fault;
    }
  }
}

/** Opens the lock without waiting and without following a link; what is not a plain file of ours is refused. */
function openLock(path: string): number {
  let file: number;
  try {
    file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  } catch (fault) {
    const { code = "" } = fault as NodeJS.ErrnoException;
    const why = REFUSALS[code];
    if (why === undefined) throw fault;
    throw new FolderTakenError(`${path} ${why}`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new FolderTakenError(`${path} ${NO_FILE}`);
}

const NO_FILE = "is not a file, as the lock of a crawl is: remove it if no crawl is running there";
const NOT_OURS =
  "cannot be written by this user: it belongs to another one, or the folder is read-only";
const REFUSALS: Readonly<Record<string, string>> = {
  EISDIR: NO_FILE,
  ELOOP: NO_FILE,
  EMLINK: NO_FILE,
  ENXIO: NO_FILE,
  ENODEV: NO_FILE,
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  EROFS: NOT_OURS,
};

function isNamed(file: number, path: string): boolean {
  const { ino, dev } = fstatSync(file);
  const named = statSync(path, { throwIfNoEntry: false });
  return named?.ino === ino && named.dev === dev;
}

/** Where the system has no locks: of several processes that look at a lock at once, one goes on. */
function claiming<T>(path: string, dir: string, take: () => T): T {
  const claim = `${path}.claim`;
  try {
    closeSync(openSync(claim, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "EEXIST") throw fault;
    const madeMs = statSync(claim, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // A process that was killed in between left it; the next one finds it gone.
    if (Math.abs(Date.now() - madeMs) > LEASE_MS) removeIfThere(claim);
    throw new FolderTakenError(`another process is opening ${dir}: try again in a moment`);
  }
  try {
    return take();
  } finally {
    removeIfThere(claim);
  }
}

/** Takes the folder unless the holder that its lease names lives. */
function hold(
  dir: string,
  path: string,
  file: number,
  kind: LockKind,
  onLost: () => void,
): FolderLock {
  const socket = `${path}.sock`;
  const before = readLease(file);
  if (before === "old" ? isOldAlive(path) : before && isAlive(before, kind, socket))
    throw takenBy(before, dir);
  const server = kind === "socket" ? listenOn(socket) : undefined;
  const own = kind === "socket" && server === undefined ? "none" : kind;
  const token = randomBytes(16).toString("hex");
  const { pid } = process;
  writeLease(file, { token, kind: own, boot: bootId(), pid, beatMs: Date.now() });
  return new HeldLock(path, token, file, server, onLost);
}

function isAlive(before: Lease, own: LockKind, socket: string): boolean {
  if (before.boot === bootId()) {
    // We have the lock that it would have.
    if (before.kind === "flock" && own === "flock") return false;
    if (before.kind === "socket") {
      const answer = answers(socket);
      if (answer !== "missing") return answer === "yes";
    }
  }
  return !hasRunOut(before, Date.now());
}

class HeldLock implements FolderLock {
  readonly path: string;
  readonly token: string;
  readonly #file: number;
  readonly #server: Server | undefined;
  readonly #watch: LeaseWatch;
  readonly #timer: NodeJS.Timeout;
  #isReleased = false;

  constructor(
    path: string,
    token: string,
    file: number,
    server: Server | undefined,
    onLost: () => void,
  ) {
    this.path = path;
    this.token = token;
    this.#file = file;
    this.#server = server;
    this.#watch = new LeaseWatch(this);
    this.#timer = setInterval(() => {
      if (this.#beats()) return;
      clearInterval(this.#timer);
      onLost();
    }, BEAT_MS).unref();
  }

  /** Says that this process lives; false when the folder is lost. A disk that refuses it only makes the lease older. */
  #beats(): boolean {
    try {
      if (this.#watch.isLost) return false;
      writeBeat(this.#file, Date.now());
    } catch (fault) {
      if (!isDiskTrouble(fault)) throw fault;
    }
    return true;
  }

  check(): void {
    this.#watch.check();
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearInterval(this.#timer);
    if (!this.#watch.isLost) unlinkSync(this.path);
    this.#watch.close();
    // Only now: whoever gets the lock looks whether the file still has its name.
    if (this.#server !== undefined) removeIfThere(`${this.path}.sock`);
    this.#server?.close();
    closeSync(this.#file);
  }
}

function takenBy(holder: Lease | "old" | undefined, dir: string): FolderTakenError {
  const who = typeof holder === "object" ? `process ${holder.pid}` : "another process";
  return new FolderTakenError(`${who} is crawling in ${dir}: wait until it has ended, or stop it`);
}

/** Whether the process that an earlier version of this program noted lives: its number and when it was started. */
function isOldAlive(path: string): boolean {
  const [pid = "", start = ""] = (textOf(path) ?? "").trim().split(" ");
  const number = Number(pid);
  if (!Number.isInteger(number) || number <= 0) return false;
  const stat = textOf(`/proc/${number}/stat`);
  const now = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  // The number may belong to another process by now.
  return now !== undefined && (start === "" || now === start);
}

/** A small file; undefined when it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
