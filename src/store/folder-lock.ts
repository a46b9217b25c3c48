import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderTakenError } from "../errors.ts";
import { crawlPaths } from "./crawl-folder.ts";
import { removeIfThere } from "./replace-file.ts";

/**
 * Keeps a crawl folder to one process. The lock names the process and when it was started, so that one that a killed
 * process left behind is known to be stale. Returns what gives the folder free.
 */
export function lockFolder(dir: string): () => void {
  const path = join(dirname(crawlPaths(dir).state), "lock");
  const me = `${process.pid} ${startOf(process.pid) ?? ""}`;
  for (;;) {
    try {
      const file = openSync(path, "wx");
      writeSync(file, me);
      closeSync(file);
      return () => removeIfThere(path);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== "EEXIST") throw fault;
    }
    const holder = readHolder(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new FolderTakenError(
        `process ${holder.pid} is crawling in ${dir}: wait until it has ended, or stop it`,
      );
    }
    removeIfThere(path);
  }
}

interface Holder {
  readonly pid: number;
  readonly start: string;
}

function readHolder(path: string): Holder | undefined {
  try {
    const [pid = "", start = ""] = readFileSync(path, "utf8").split(" ");
    return { pid: Number(pid), start };
  } catch {
    return undefined;
  }
}

function isAlive({ pid, start }: Holder): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "EPERM";
  }
  // The number may belong to another process by now.
  const now = startOf(pid);
  return now === undefined || start === "" || now === start;
}

/** When a process was started, in the kernel's own measure; undefined where that cannot be told. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
