import { CapacityError } from "../../errors.ts";
import { whole } from "../../frontier/queue/priority-queue.ts";
import { MAX_PIVOTS, PivotSlice, sliceBytes } from "./pivot-slice.ts";

/** Memory of all slices of one queue: the common pivots, then slice after slice. Plain data, so it can go to a thread. */
export interface SliceMemory {
  readonly buffer: ArrayBufferLike;
  readonly slices: number;
  readonly keysPerSlice: number;
}

const MAX_KEYS_PER_SLICE = 2 ** 30; // positions run up to twice the capacity and must stay 32-bit integers

/** Makes memory for `capacity` keys in `slices` slices; `shared` for slices that threads work on. */
export function makeSliceMemory(slices: number, capacity: number, shared: boolean): SliceMemory {
  if (!Number.isInteger(slices) || slices < 1) {
    throw new CapacityError(`a queue needs at least 1 slice, not ${slices}`);
  }
  // Batches fill the shortest slices first, so no slice ever holds more than its even share of the capacity.
  const keysPerSlice = Math.max(
    1,
    Math.ceil(whole(capacity, 0, "the capacity of a queue") / slices),
  );
  if (keysPerSlice > MAX_KEYS_PER_SLICE) {
    throw new CapacityError(
      `a slice holds at most ${MAX_KEYS_PER_SLICE} keys, not ${keysPerSlice}`,
    );
  }
  const bytes = 8 * MAX_PIVOTS + slices * sliceBytes(keysPerSlice);
  const buffer = shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  return { buffer, slices, keysPerSlice };
}

/** The pivots that all slices share, those of the worst keys first. */
export function pivotsOf(memory: SliceMemory): Float64Array {
  return new Float64Array(memory.buffer, 0, MAX_PIVOTS);
}

/** Slice number `index`. */
export function sliceOf(memory: SliceMemory, index: number): PivotSlice {
  const at = 8 * MAX_PIVOTS + index * sliceBytes(memory.keysPerSlice);
  return new PivotSlice(memory.buffer, at, memory.keysPerSlice, pivotsOf(memory));
}

/** All slices. */
export function slicesOf(memory: SliceMemory): PivotSlice[] {
  return Array.from({ length: memory.slices }, (_, index) => sliceOf(memory, index));
}
