// The range queue of the crawl over a scratch file, one file at a time; removed when the program ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RangeQueue } from "../../build/src/frontier/queue/range-queue.js";
import { openScratchFile } from "../../build/src/runtime/scratch-file.js";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-queue-"));
let current;

process.on("exit", () => {
  current?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A range queue with so many blocks in memory; closes the one made before. */
export function rangeQueue(frames) {
  current?.close();
  current = undefined;
  return new RangeQueue(() => {
    current = openScratchFile(join(folder, "queue.scratch"));
    return current;
  }, frames);
}
