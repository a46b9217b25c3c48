import { CoarseQueue } from "./coarse-queue.ts";
import { FineQueue } from "./fine-queue.ts";
import { LockFreeQueue } from "./lock-free-queue.ts";
import { MonitorQueue, OneConditionQueue } from "./monitor-queue.ts";
import { OptimisticQueue } from "./optimistic-queue.ts";
import { PessimisticQueue } from "./pessimistic-queue.ts";
import {
  checkShape,
  type QueueShape,
  type RecordQueue,
  refuseUnless,
  type Technique,
} from "./record-queue.ts";
import { SemaphoreQueue } from "./semaphore-queue.ts";
import { UnsynchronisedQueue } from "./unsynchronised-queue.ts";

interface QueueClass {
  new (memory: SharedArrayBuffer, shape: QueueShape, owner: number): RecordQueue;
  bytes(shape: QueueShape): number;
}

/** A list, because the explorer takes an indexed access, or a call of `get`, for one to shared memory. */
const QUEUES: readonly (readonly [Technique, QueueClass])[] = [
  ["lock-free", LockFreeQueue],
  ["semaphore", SemaphoreQueue],
  ["monitor", MonitorQueue],
  ["monitor-one-condition", OneConditionQueue],
  ["coarse", CoarseQueue],
  ["fine", FineQueue],
  ["optimistic", OptimisticQueue],
  ["pessimistic", PessimisticQueue],
  ["unsynchronised", UnsynchronisedQueue],
];

function queueClass(technique: Technique): QueueClass {
  const [, Queue] = QUEUES.find(([name]) => name === technique)!;
  return Queue;
}

/** Bytes of shared memory for a queue; a growing one reserves addresses and uses memory only as it fills. */
export function techniqueBytes(technique: Technique, shape: QueueShape): number {
  checkShape(technique, shape);
  return queueClass(technique).bytes(shape);
}

/** Makes the memory of an empty queue, to be handed to every thread that opens it. */
export function createTechnique(technique: Technique, shape: QueueShape): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(techniqueBytes(technique, shape));
  openTechnique(technique, memory, shape, 1).initialise?.();
  return memory;
}

/** Opens the queue in that memory for the thread with that id; the shape must be the one it was made with. */
export function openTechnique(
  technique: Technique,
  memory: SharedArrayBuffer,
  shape: QueueShape,
  owner: number,
): RecordQueue {
  checkShape(technique, shape, owner);
  const { byteLength } = memory;
  const isLargeEnough = byteLength >= techniqueBytes(technique, shape);
  refuseUnless(isLargeEnough, `${byteLength} bytes are too few for this ${technique} queue`);
  const Queue = queueClass(technique);
  return new Queue(memory, shape, owner);
}
