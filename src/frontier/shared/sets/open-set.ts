import { refuseUnless } from "../techniques/record-queue.ts";
import { CasSet } from "./cas-set.ts";
import { StripedSet } from "./striped-set.ts";
import { checkSetShape, type SetShape, type VisitedKind, type VisitedSet } from "./visited-set.ts";

/** Bytes of shared memory for a visited set; addresses are reserved, memory is used as the set fills. */
export function visitedSetBytes(kind: VisitedKind, shape: SetShape): number {
  checkSetShape(shape);
  return kind === "cas" ? CasSet.bytes(shape) : StripedSet.bytes(shape);
}

/** Opens the visited set in that memory, which is zero at first, for the thread with that id. */
export function openVisitedSet(
  kind: VisitedKind,
  memory: SharedArrayBuffer,
  shape: SetShape,
  owner: number,
): VisitedSet {
  checkSetShape(shape, owner);
  const { byteLength } = memory;
  const isLargeEnough = byteLength >= visitedSetBytes(kind, shape);
  refuseUnless(isLargeEnough, `${byteLength} bytes are too few for this ${kind} set`);
  return kind === "cas" ? new CasSet(memory, shape) : new StripedSet(memory, shape, owner);
}
