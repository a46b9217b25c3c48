import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { FolderTakenError } from "../../errors.ts";

/*
 * state/lock while a process has the folder, one line of a fixed length:
 *
 *   orbweaver 2 TOKEN(32) how(6) boot id(36) pid(10) time of the last heartbeat in ms(15)
 */

const MAGIC = "orbweaver 2";
const TOKEN_AT = MAGIC.length + 1;
const TOKEN_BYTES = 32;
const BEAT_AT = TOKEN_AT + TOKEN_BYTES + 1 + 6 + 1 + 36 + 1 + 10 + 1;
const BEAT_BYTES = 15;
const LINE_BYTES = BEAT_AT + BEAT_BYTES + 1;

/** A holder whose heartbeat is older has lost the folder, unless the system knows that it lives. */
export const LEASE_MS = 15_000;
/** How often a holder says that it lives. */
export const BEAT_MS = 2000;

/** How a holder keeps others out beside its lease. */
export type LockKind = "flock" | "socket" | "none";

/** Who has a folder. */
export interface Lease {
  /** Random: a holder that finds another one has lost the folder. */
  readonly token: string;
  readonly kind: LockKind;
  /** The start of the system it runs on: the same in all containers of a machine. */
  readonly boot: string;
  /** In its own namespace: for people. */
  readonly pid: number;
  readonly beatMs: number;
}

/** The lease in an open lock file; undefined when there is none, "old" for the lock of an earlier version. */
export function readLease(file: number): Lease | "old" | undefined {
  const bytes = Buffer.alloc(LINE_BYTES);
  const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, LINE_BYTES, 0));
  const words = text.trim().split(/\s+/);
  if (/^\d+( \d*)?$/.test(text.trim())) return "old";
  if (words[0] !== "orbweaver" || words[1] !== "2" || words.length !== 7) return undefined;
  const [, , token, kind, boot, pid, beat] = words as [
    string,
    string,
    string,
    LockKind,
    string,
    string,
    string,
  ];
  return { token, kind, boot, pid: Number(pid), beatMs: Number(beat) };
}

/** Writes a lease over whatever is in the file; in place, so that a holder that lost the folder finds it. */
export function writeLease(file: number, { token, kind, boot, pid, beatMs }: Lease): void {
  const words = [
    MAGIC,
    token,
    kind.padEnd(6),
    boot.padEnd(36),
    String(pid).padEnd(10),
    beat(beatMs),
  ];
  writeSync(file, Buffer.from(`${words.join(" ")}\n`, "latin1"), 0, LINE_BYTES, 0);
}

/** Says that the holder lives. */
export function writeBeat(file: number, nowMs: number): void {
  writeSync(file, Buffer.from(beat(nowMs), "latin1"), 0, BEAT_BYTES, BEAT_AT);
}

function beat(nowMs: number): string {
  return String(Math.floor(nowMs)).padStart(BEAT_BYTES);
}

/** Whether a holder has not been heard of for so long that it counts as gone. A heartbeat from the future is none. */
export function hasRunOut({ beatMs }: Lease, nowMs: number): boolean {
  return Math.abs(nowMs - beatMs) > LEASE_MS;
}

/** The start of this system; "" where that is not known. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "unknown";
  }
}

/** Which folder a process holds, and by which token: enough for a thread to see that it is lost. */
export interface HeldLease {
  readonly path: string;
  readonly token: string;
}

/** Looks whether the folder is still ours, for a thread that is about to write. That is one small read. */
export class LeaseWatch {
  /** Undefined when the lock is gone. */
  readonly #file: number | undefined;
  readonly #held: HeldLease;
  readonly #bytes = Buffer.alloc(TOKEN_BYTES);

  constructor(held: HeldLease) {
    this.#held = held;
    this.#file = openIfThere(held.path);
  }

  /** Throws FolderTakenError when another process has taken the folder. */
  check(): void {
    if (this.isLost) throw lostFolder(this.#held.path);
  }

  get isLost(): boolean {
    if (this.#file === undefined) return true;
    const bytes = this.#bytes;
    const length = readSync(this.#file, bytes, 0, TOKEN_BYTES, TOKEN_AT);
    if (length < TOKEN_BYTES || bytes.toString("latin1") !== this.#held.token) return true;
    // Without a name it is not the lock any more, and another one may have taken its place.
    return fstatSync(this.#file).nlink === 0;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** The error of a process that had a folder and has it no more. */
export function lostFolder(path: string): FolderTakenError {
  return new FolderTakenError(
    `another process has taken over the folder, or removed ${path}: this one stops and writes nothing more`,
  );
}

function openIfThere(path: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fault;
  }
}
