import { CounterRow } from "../../stats/counters.ts";
import type { Flow, FlowSample } from "../../stats/hourly-statistics.ts";
import type { BufferPlan } from "../buffer-plan.ts";
import type { CrawlMemory } from "../shared-memory.ts";

/** What has passed through crawler queues and hand-off buffers since the start. A record leaves its buffer when it is durable. */
export function flowOf(memory: CrawlMemory, plan: BufferPlan): FlowSample {
  const stored = new Int32Array(memory.stored);
  const queues: Flow[] = [];
  const buffers = Array.from({ length: plan.count }, () => ({ added: 0, removed: 0 }));
  let pages = 0;
  for (let thread = 0; thread < memory.threads; thread++) {
    const row = new CounterRow(memory.counters, thread);
    const known = row.get("known");
    queues.push({ added: known, removed: known - row.get("queued") });
    const removed = Atomics.load(stored, thread);
    const buffer = buffers[plan.bufferOf(thread)]!;
    buffer.removed += removed;
    // A crawler that died did not publish its last count.
    buffer.added += Math.max(removed, row.get("handedOver"));
    pages += row.get("pages");
  }
  return { stored: pages, queues, buffers };
}
