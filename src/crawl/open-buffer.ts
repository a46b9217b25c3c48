import type { CrawlConfig } from "../config/schema.ts";
import { CounterRow } from "../stats/counters.ts";
import { HandOffBuffer } from "../sync/hand-off-buffer.ts";
import { BufferPlan, builderCount } from "./buffer-plan.ts";
import { BufferSender } from "./hand-off/buffer-sender.ts";
import { bellsOf, type CrawlMemory } from "./shared-memory.ts";

type BufferConfig = Pick<CrawlConfig, "threads" | "builders" | "bufferSize" | "handOff">;

/** A hand-off buffer as any of its threads uses it. */
export function openBuffer(
  memory: CrawlMemory,
  config: BufferConfig,
  buffer: number,
): HandOffBuffer {
  const bell = bellsOf(memory).builders[buffer % builderCount(config)]!;
  const crawlers = new BufferPlan(config).crawlersOf(buffer).length;
  return new HandOffBuffer(memory.buffers[buffer]!, config.bufferSize, crawlers, bell);
}

/** A crawler that has not been started has nothing to hand over: the other one of its buffer does not wait for it. */
export function restInBuffer(memory: CrawlMemory, config: BufferConfig, thread: number): void {
  const plan = new BufferPlan(config);
  openBuffer(memory, config, plan.bufferOf(thread)).idle(plan.laneOf(thread));
}

/** Pages that a dead predecessor put into the buffer: what no builder took was lost with its builder, and has left, too. */
function pagesBefore(memory: CrawlMemory, thread: number): number {
  const taken = new Int32Array(memory.taken);
  const added = new CounterRow(memory.counters, thread).get("handedOver");
  const pages = Math.max(added, Atomics.load(taken, thread));
  Atomics.store(taken, thread, pages);
  return pages;
}

/** A crawler's end of its buffer. */
export function openSender(
  memory: CrawlMemory,
  config: BufferConfig,
  thread: number,
): BufferSender {
  const plan = new BufferPlan(config);
  const buffer = openBuffer(memory, config, plan.bufferOf(thread));
  const stored = new Int32Array(memory.stored);
  const pages = pagesBefore(memory, thread);
  return new BufferSender(buffer, plan.laneOf(thread), config.handOff, stored, thread, pages);
}
