import { CounterRow, endedIn } from "../../stats/counters.ts";
import type { Flow, FlowSample } from "../../stats/hourly-statistics.ts";
import type { BufferPlan } from "../buffer-plan.ts";
import type { CrawlMemory } from "../shared-memory.ts";

/** What has passed through crawler queues in all runs, and through hand-off buffers in this one. */
export function flowOf(memory: CrawlMemory, plan: BufferPlan): FlowSample {
  const queues: Flow[] = [];
  let stored = 0;
  let bytes = 0;
  for (let thread = 0; thread < memory.threads; thread++) {
    const row = new CounterRow(memory.counters, thread);
    queues.push({ added: row.get("known"), removed: endedIn((name) => row.get(name)) });
    stored += row.get("pages");
    bytes += row.get("bytes");
  }
  return { stored, bytes, queues, buffers: bufferFlow(memory, plan) };
}

/**
 * Pages that went into each hand-off buffer, and those that its builder took out. A builder counts a page before it gives
 * its permit back, and what went in is read first here: so the difference is never more than the buffer holds.
 */
export function bufferFlow(memory: CrawlMemory, plan: BufferPlan): Flow[] {
  const threads = Array.from({ length: memory.threads }, (_, thread) => thread);
  const added = threads.map((thread) => new CounterRow(memory.counters, thread).get("handedOver"));
  const taken = new Int32Array(memory.taken);
  const buffers = Array.from({ length: plan.count }, () => ({ added: 0, removed: 0 }));
  for (const thread of threads) {
    const removed = Atomics.load(taken, thread);
    const buffer = buffers[plan.bufferOf(thread)]!;
    buffer.removed += removed;
    // A crawler publishes what it put in when its round is over, and the builder may be faster.
    buffer.added += Math.max(removed, added[thread]!);
  }
  return buffers;
}
