import { existsSync } from "node:fs";
import { join } from "node:path";

/** A folder that does not exist yet, named after the time: crawls/20260131-235959, then …-2 and so on. */
export function freshFolder(parent: string, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  for (let number = 1; ; number++) {
    const folder = join(parent, number === 1 ? stamp : `${stamp}-${number}`);
    if (!existsSync(folder)) return folder;
  }
}
