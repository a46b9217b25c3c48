import { pathToFileURL } from "node:url";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";

/**
 * A lock of one's own, as one thread sees it: it decides who may fill or empty which slot of a ring, and when. The slots
 * themselves are copied by us, between `before…` and `after…`. `docs/lab/own-lock.md` is the tutorial.
 */
export interface OwnSync {
  /** Waits for room and returns the slot to fill, 0 to size - 1. */
  beforeInsert(): number;
  /** The slot is filled. */
  afterInsert(slot: number): void;
  /** Waits for a record and returns its slot. */
  beforeTake(): number;
  /** The slot may be filled again. */
  afterTake(slot: number): void;
}

/** The class that such a module exports as `Sync`. */
export interface OwnSyncClass {
  new (words: Int32Array, size: number, owner: number): OwnSync;
  /** Words of shared memory, zero at first. */
  words(size: number): number;
  /** What the words are called in schedules, in their order. */
  readonly names?: readonly string[];
}

const METHODS = ["beforeInsert", "afterInsert", "beforeTake", "afterTake"] as const;
const MAX_WORDS = 4096;

/** Loads the module and checks that it exports what is needed. */
export async function loadOwnSync(file: string): Promise<OwnSyncClass> {
  const shown = printable(file);
  let module: { Sync?: OwnSyncClass };
  try {
    module = (await import(pathToFileURL(file).href)) as { Sync?: OwnSyncClass };
  } catch (error) {
    const why = printable(error instanceof Error ? error.message : String(error));
    throw new UsageError(`cannot load ${shown}: ${why}`);
  }
  const { Sync } = module;
  if (typeof Sync !== "function" || typeof Sync.words !== "function")
    throw new UsageError(`${shown} must export a class Sync with a static method words(size)`);
  const missing = METHODS.find((name) => typeof Sync.prototype?.[name] !== "function");
  if (missing !== undefined) throw new UsageError(`class Sync in ${shown} has no ${missing}()`);
  return Sync;
}

/** Words of shared memory that a lock asks for; refuses what is no number of words. */
export function wordsOf(Sync: OwnSyncClass, size: number): number {
  const words = Sync.words(size);
  if (Number.isInteger(words) && words >= 1 && words <= MAX_WORDS) return words;
  throw new UsageError(
    `Sync.words(${size}) returned ${printable(String(words))}; use a whole number from 1 to ${MAX_WORDS}`,
  );
}
