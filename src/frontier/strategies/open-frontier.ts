import { CapacityError } from "../../errors.ts";
import { CoarseFrontier } from "./coarse.ts";
import { FineFrontier } from "./fine.ts";
import {
  checkShape,
  type FixedFrontier,
  type FrontierShape,
  type Technique,
} from "./fixed-frontier.ts";
import { LockFreeFrontier } from "./lock-free.ts";
import { MonitorFrontier } from "./monitor.ts";
import { OptimisticFrontier } from "./optimistic.ts";
import { PessimisticFrontier } from "./pessimistic.ts";
import { SemaphoreFrontier } from "./semaphore.ts";
import { UnsynchronisedFrontier } from "./unsynchronised.ts";

const ONE_CONDITION = 1;
const TWO_CONDITIONS = 2;

/** Bytes of shared memory for a frontier; a growing one reserves addresses and uses memory only as it fills. */
export function frontierBytes(technique: Technique, shape: FrontierShape): number {
  checkShape(technique, shape);
  switch (technique) {
    case "lock-free":
      return LockFreeFrontier.bytes(shape);
    case "semaphore":
      return SemaphoreFrontier.bytes(shape);
    case "monitor":
    case "monitor-one-condition":
      return MonitorFrontier.bytes(shape);
    case "coarse":
      return CoarseFrontier.bytes(shape);
    case "fine":
      return FineFrontier.bytes(shape);
    case "optimistic":
      return OptimisticFrontier.bytes(shape);
    case "pessimistic":
      return PessimisticFrontier.bytes(shape);
    case "unsynchronised":
      return UnsynchronisedFrontier.bytes(shape);
  }
}

/** Makes the memory of an empty frontier, to be handed to every thread that opens it. */
export function createFrontier(technique: Technique, shape: FrontierShape): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(frontierBytes(technique, shape));
  if (technique === "coarse") new CoarseFrontier(memory, shape, 1).initialise();
  else if (technique === "fine") new FineFrontier(memory, shape, 1).initialise();
  else if (technique === "optimistic") new OptimisticFrontier(memory, shape, 1).initialise();
  return memory;
}

/** Opens the frontier in that memory for the thread with that id; the shape must be the one it was made with. */
export function openFrontier(
  technique: Technique,
  memory: SharedArrayBuffer,
  shape: FrontierShape,
  owner: number,
): FixedFrontier {
  checkShape(technique, shape, owner);
  if (memory.byteLength < frontierBytes(technique, shape)) {
    throw new CapacityError(
      `${memory.byteLength} bytes are too few for this ${technique} frontier`,
    );
  }
  switch (technique) {
    case "lock-free":
      return new LockFreeFrontier(memory, shape, owner);
    case "semaphore":
      return new SemaphoreFrontier(memory, shape, owner);
    case "monitor":
      return new MonitorFrontier(memory, shape, owner, TWO_CONDITIONS);
    case "monitor-one-condition":
      return new MonitorFrontier(memory, shape, owner, ONE_CONDITION);
    case "coarse":
      return new CoarseFrontier(memory, shape, owner);
    case "fine":
      return new FineFrontier(memory, shape, owner);
    case "optimistic":
      return new OptimisticFrontier(memory, shape, owner);
    case "pessimistic":
      return new PessimisticFrontier(memory, shape, owner);
    case "unsynchronised":
      return new UnsynchronisedFrontier(memory, shape);
  }
}
