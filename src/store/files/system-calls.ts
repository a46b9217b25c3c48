import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../errors.ts";

/** Opens a file, uses it, and closes it in any case. */
export function withFile<T>(path: string, flags: string | number, use: (file: number) => T): T {
  const file = openSync(path, flags);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Whether a step went well; false when it failed with one of these codes of the system, such as "ENOENT". */
export function succeeds(step: () => void, ...codes: readonly string[]): boolean {
  try {
    step();
    return true;
  } catch (fault) {
    if (codes.includes((fault as NodeJS.ErrnoException).code ?? "")) return false;
    throw fault;
  }
}

/** Removes a file; one that is gone already is fine. */
export function removeIfThere(path: string): void {
  succeeds(() => unlinkSync(path), "ENOENT");
}

/** Makes the entries of a folder durable: a new name is not safe before this. */
export function syncFolder(folder: string): void {
  withFile(folder, "r", fsyncSync);
}

/** Makes a file shorter, durably. */
export function cutFile(path: string, size: number): void {
  withFile(path, "r+", (file) => {
    ftruncateSync(file, size);
    fsyncSync(file);
  });
}

/** A byte that is not what was written, and what was. */
export interface Repair {
  readonly offset: number;
  readonly value: number;
}

/** Puts bytes of a file right, in place and durably. */
export function repairFile(path: string, repairs: readonly Repair[]): void {
  if (repairs.length === 0) return;
  withFile(path, "r+", (file) => {
    for (const { offset, value } of repairs) writeSync(file, Buffer.of(value), 0, 1, offset);
    fsyncSync(file);
  });
}

/**
 * Makes a folder and those above it. Not with `recursive`: where nothing can be made, as in /proc, Node 20 tries for
 * ever.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      succeeds(() => mkdirSync(folder), "EEXIST");
    } catch (fault) {
      // The folder above it is there.
      if ((fault as NodeJS.ErrnoException).code !== "ENOENT") throw fault;
      throw new UsageError(`no folder can be made at ${folder}; choose another place`, fault);
    }
  }
}
