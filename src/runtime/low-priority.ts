import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** As `nice -n 10`: it runs when no other thread wants to, and is never starved. */
const PRIORITY = 10;

/**
 * Lets all other threads run before this one, for work that nothing waits for: on few cores it would otherwise take
 * turns with the crawlers. Where threads have no number of their own (not Linux) nothing changes.
 */
export function runInBackground(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (getPriority(thread) < PRIORITY) setPriority(thread, PRIORITY);
  } catch {
    // Then it runs as often as the others.
  }
}
