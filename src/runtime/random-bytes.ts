import { closeSync, openSync, readSync } from "node:fs";

/** Where Linux, macOS and other systems have random bytes as good as those of node:crypto. */
const SOURCE = "/dev/urandom";

/**
 * Unpredictable bytes, for what is drawn a few times per crawl. Not from node:crypto where the system has a file of them:
 * loading it takes 4 ms, and the supervisor needs nothing else of it.
 */
export function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  try {
    const file = openSync(SOURCE, "r");
    try {
      if (readSync(file, bytes, 0, count, null) === count) return bytes;
    } finally {
      closeSync(file);
    }
  } catch {
    // A system without that file, or a process that must not open it.
  }
  return process.getBuiltinModule("node:crypto").randomBytes(count);
}
