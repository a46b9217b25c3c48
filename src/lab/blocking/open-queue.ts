import { createTechnique, openTechnique } from "../../frontier/shared/techniques/open-technique.ts";
import type { RecordQueue } from "../../frontier/shared/techniques/record-queue.ts";
import { loadOwnSync } from "../../verify/own-lock.ts";
import { type BlockingPlan, RECORD_BYTES, shapeOf } from "./blocking-plan.ts";
import { OwnQueue, ownQueueBytes } from "./own-queue.ts";

/** Makes the memory of a plan's frontier. */
export async function createQueue(plan: BlockingPlan): Promise<SharedArrayBuffer> {
  const { sync, size } = plan;
  if (typeof sync === "string") return createTechnique(sync, shapeOf(plan));
  const Sync = await loadOwnSync(sync.module);
  return new SharedArrayBuffer(ownQueueBytes(Sync, size as number, RECORD_BYTES));
}

/** Opens a plan's frontier for one thread: a technique of the product, or a lock of one's own. */
export async function openQueue(
  plan: BlockingPlan,
  memory: SharedArrayBuffer,
  owner: number,
): Promise<RecordQueue> {
  const { sync, size } = plan;
  if (typeof sync === "string") return openTechnique(sync, memory, shapeOf(plan), owner);
  return new OwnQueue(await loadOwnSync(sync.module), memory, size as number, RECORD_BYTES, owner);
}
