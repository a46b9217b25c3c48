import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

/** A byte that is not what was written, and what was. */
export interface Repair {
  readonly offset: number;
  readonly value: number;
}

/** Puts bytes of a file right, in place and durably. */
export function repairFile(path: string, repairs: readonly Repair[]): void {
  if (repairs.length === 0) return;
  const file = openSync(path, "r+");
  try {
    for (const { offset, value } of repairs) writeSync(file, Buffer.of(value), 0, 1, offset);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
