import { openTechnique, techniqueBytes } from "../../frontier/shared/techniques/open-technique.ts";
import type { RecordQueue, Technique } from "../../frontier/shared/techniques/record-queue.ts";
import type { Patch } from "../configuration.ts";
import type { Memory } from "../memory.ts";

/** A frontier as one thread sees it. */
export interface Subject {
  readonly frontier: RecordQueue & { initialise?(): void };
  /** The same frontier for one that takes the place of thread 0, which has id 1. */
  readonly replacement: RecordQueue;
  /** What this thread sends or receives, outside shared memory. */
  readonly box: Uint8Array;
}

/** Opens a frontier of one-byte records; one attempt per lock, and none before a sleep, keeps the states few. */
export function attachTechnique(
  technique: Technique,
  size: number,
  memory: Memory,
  owner: number,
  patience = 0,
): Subject {
  const shape = { size, slotBytes: 1, owners: 4, spins: 1, patience };
  const buffer = memory.buffer(techniqueBytes(technique, shape));
  return {
    frontier: openTechnique(technique, buffer, shape, owner),
    replacement: openTechnique(technique, buffer, shape, 1),
    box: new Uint8Array(1),
  };
}

/**
 * Words that only count up: of the two event counts at the start of the memory, of those of the permits, or of
 * the two conditions.
 */
export function clockWordsOf(technique: Technique): number[] {
  return /semaphore|monitor/.test(technique) ? [4, 6] : [1, 3];
}

/** One exact change of the compiled text of a strategy. */
export function patch(file: string, find: string, replace: string): Patch {
  return { module: `frontier/shared/techniques/${file}.js`, find, replace };
}
