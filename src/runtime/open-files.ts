import { readFileSync } from "node:fs";

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
