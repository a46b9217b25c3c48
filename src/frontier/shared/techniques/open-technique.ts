import { CapacityError } from "../../../errors.ts";
import { CoarseQueue } from "./coarse-queue.ts";
import { FineQueue } from "./fine-queue.ts";
import { LockFreeQueue } from "./lock-free-queue.ts";
import { MonitorQueue } from "./monitor-queue.ts";
import { OptimisticQueue } from "./optimistic-queue.ts";
import { PessimisticQueue } from "./pessimistic-queue.ts";
import { checkShape, type QueueShape, type RecordQueue, type Technique } from "./record-queue.ts";
import { SemaphoreQueue } from "./semaphore-queue.ts";
import { UnsynchronisedQueue } from "./unsynchronised-queue.ts";

const ONE_CONDITION = 1;
const TWO_CONDITIONS = 2;

/** Bytes of shared memory for a frontier; a growing one reserves addresses and uses memory only as it fills. */
export function techniqueBytes(technique: Technique, shape: QueueShape): number {
  checkShape(technique, shape);
  switch (technique) {
    case "lock-free":
      return LockFreeQueue.bytes(shape);
    case "semaphore":
      return SemaphoreQueue.bytes(shape);
    case "monitor":
    case "monitor-one-condition":
      return MonitorQueue.bytes(shape);
    case "coarse":
      return CoarseQueue.bytes(shape);
    case "fine":
      return FineQueue.bytes(shape);
    case "optimistic":
      return OptimisticQueue.bytes(shape);
    case "pessimistic":
      return PessimisticQueue.bytes(shape);
    case "unsynchronised":
      return UnsynchronisedQueue.bytes(shape);
  }
}

/** Makes the memory of an empty frontier, to be handed to every thread that opens it. */
export function createTechnique(technique: Technique, shape: QueueShape): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(techniqueBytes(technique, shape));
  if (technique === "coarse") new CoarseQueue(memory, shape, 1).initialise();
  else if (technique === "fine") new FineQueue(memory, shape, 1).initialise();
  else if (technique === "optimistic") new OptimisticQueue(memory, shape, 1).initialise();
  return memory;
}

/** Opens the frontier in that memory for the thread with that id; the shape must be the one it was made with. */
export function openTechnique(
  technique: Technique,
  memory: SharedArrayBuffer,
  shape: QueueShape,
  owner: number,
): RecordQueue {
  checkShape(technique, shape, owner);
  if (memory.byteLength < techniqueBytes(technique, shape)) {
    throw new CapacityError(
      `${memory.byteLength} bytes are too few for this ${technique} frontier`,
    );
  }
  switch (technique) {
    case "lock-free":
      return new LockFreeQueue(memory, shape, owner);
    case "semaphore":
      return new SemaphoreQueue(memory, shape, owner);
    case "monitor":
      return new MonitorQueue(memory, shape, owner, TWO_CONDITIONS);
    case "monitor-one-condition":
      return new MonitorQueue(memory, shape, owner, ONE_CONDITION);
    case "coarse":
      return new CoarseQueue(memory, shape, owner);
    case "fine":
      return new FineQueue(memory, shape, owner);
    case "optimistic":
      return new OptimisticQueue(memory, shape, owner);
    case "pessimistic":
      return new PessimisticQueue(memory, shape, owner);
    case "unsynchronised":
      return new UnsynchronisedQueue(memory, shape);
  }
}
