import { linkSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderTakenError } from "../../errors.ts";
import { removeIfThere, succeeds } from "../files/system-calls.ts";
import { crawlPaths } from "./crawl-folder.ts";

/**
 * Keeps a crawl folder to one process. The lock names the process and when it was started, so that one that a killed
 * process left behind is known to be stale. It appears with its content, in one step: an empty lock would look stale.
 * Answers a function that unlocks the folder.
 */
export function lockFolder(dir: string): () => void {
  const path = join(dirname(crawlPaths(dir).state), "lock");
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startOf(process.pid) ?? ""}`);
  try {
    for (;;) {
      if (succeeds(() => linkSync(mine, path), "EEXIST")) return () => removeIfThere(path);
      const text = textOf(path);
      if (text === undefined) continue;
      const holder = holderOf(text);
      if (isAlive(holder)) throw takenBy(holder, dir);
      removeStale(path, text, dir);
    }
  } finally {
    removeIfThere(mine);
  }
}

/** Removes a stale lock. Of several processes only one can move it, and a new lock that was moved by mistake is put back. */
function removeStale(path: string, stale: string, dir: string): void {
  const aside = `${path}.${process.pid}.stale`;
  succeeds(() => renameSync(path, aside), "ENOENT");
  const text = textOf(aside);
  const isNew = text !== undefined && text !== stale;
  if (isNew) succeeds(() => linkSync(aside, path), "EEXIST");
  removeIfThere(aside);
  if (isNew) throw takenBy(holderOf(text), dir);
}

function takenBy({ pid }: Holder, dir: string): FolderTakenError {
  return new FolderTakenError(
    `process ${pid} is crawling in ${dir}: wait until it has ended, or stop it`,
  );
}

interface Holder {
  readonly pid: number;
  readonly start: string;
}

/** A small file; undefined when it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function holderOf(text: string): Holder {
  const [pid = "", start = ""] = text.split(" ");
  return { pid: Number(pid), start };
}

function isAlive({ pid, start }: Holder): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EPERM";
  }
  // The number may belong to another process by now.
  const now = startOf(pid);
  return now === undefined || start === "" || now === start;
}

/** When a process was started, in clock ticks of the kernel; undefined where that is not known. */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
