import { parentPort, workerData } from "node:worker_threads";
import { JsonlFile } from "../../store/files/jsonl.ts";
import { bellsOf, Control, type CrawlMemory, debugRingOf } from "../shared-memory.ts";

/** What the debug log thread is given. */
export interface DebugRules {
  readonly memory: CrawlMemory;
  readonly file: string;
}

const SLEEP_MS = 1000;

const { memory, file } = workerData as DebugRules;
const control = new Control(memory);
const bell = bellsOf(memory).debugLog;
const ring = debugRingOf(memory, memory.threads + 1);
const writer = new JsonlFile(file);
const bytes = Buffer.alloc(ring.slotBytes);

for (;;) {
  const mayEnd = control.buildersMayEnd;
  const length = ring.tryTake(bytes);
  if (length >= 0) {
    writer.writeLine(bytes.toString("utf8", 0, length));
    continue;
  }
  writer.flush();
  if (mayEnd) break;
  const armed = bell.arm();
  if (ring.size() > 0 || control.buildersMayEnd) bell.disarm();
  else bell.sleep(armed, SLEEP_MS);
}
writer.close();
parentPort!.close();
