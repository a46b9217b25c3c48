import { readFileSync } from "node:fs";

/** With fewer files than this a program must be careful: the loader of modules alone opens some hundred at once. */
const MANY_FILES = 512;

/** How many files this process may have open; infinite where the system does not tell. */
export function maxOpenFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether files are so few that one must be careful. */
export function filesAreFew(most: number = maxOpenFiles()): boolean {
  return most < MANY_FILES;
}

let lastBytes = 0;

/** Memory of this process. Asking costs an open file, of which there may be none at this moment: then as last known. */
export function residentBytes(): number {
  try {
    lastBytes = process.memoryUsage.rss();
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "EMFILE") throw fault;
  }
  return lastBytes;
}
