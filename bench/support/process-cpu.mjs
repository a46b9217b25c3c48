import { existsSync, readFileSync } from "node:fs";

/** CPU milliseconds of a process so far, all its threads; undefined without /proc, or when it is gone. */
export function cpuMsOf(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  // Fields come after the name in parentheses, which may hold anything. Linux counts hundredths of a second.
  const fields = readFileSync(path, "latin1").split(") ").at(-1).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** CPU microseconds that some work costs this process, all its threads. */
export function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
