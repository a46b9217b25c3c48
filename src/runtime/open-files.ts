import { readFileSync } from "node:fs";

/** How many files this process may have open; Infinity where the system does not report it. */
export function maxOpenFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

let lastBytes = 0;

/** Memory of this process. Reading it needs an open file; when there is none left, the last value. */
export function residentBytes(): number {
  try {
    lastBytes = process.memoryUsage.rss();
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "EMFILE") throw fault;
  }
  return lastBytes;
}
