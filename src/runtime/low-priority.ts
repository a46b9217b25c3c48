import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** As `nice -n 10`: it runs when nobody else wants to, and still gets on. */
const PRIORITY = 10;

/**
 * Lets all other threads run before this one, for work that nobody waits for: on few cores a thread that computes takes
 * turns with the crawlers otherwise. Where a thread has no number of its own (not Linux) nothing changes.
 */
export function runInBackground(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (getPriority(thread) < PRIORITY) setPriority(thread, PRIORITY);
  } catch {
    // It only runs as often as the others.
  }
}
