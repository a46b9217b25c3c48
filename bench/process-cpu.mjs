import { existsSync, readFileSync } from "node:fs";

/** CPU milliseconds of a process so far, its threads included; undefined where the system does not tell, or it is gone. */
export function cpuMsOf(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  // Behind the name in parentheses, which may hold anything. Linux counts hundredths of a second.
  const fields = readFileSync(path, "latin1").split(") ").at(-1).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
