import { parentPort, workerData } from "node:worker_threads";
import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import { loadOwnSync, wordsOf } from "../own-lock.ts";
import { exploreOwn, OWN_ENTRIES, type OwnResult, patchOf } from "./judge-own-lock.ts";

/** What the thread is asked: to load a lock, and perhaps to explore it. */
export interface OwnQuestion {
  readonly file: string;
  /** CPU seconds per search; undefined only loads. */
  readonly budgetSeconds: number | undefined;
}

/** What it answers, in this order: loaded, results, done; or refused. */
export type OwnAnswer =
  | { readonly kind: "loaded" }
  | { readonly kind: "result"; readonly result: OwnResult }
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly why: string; readonly isUsage: boolean };

const SIZES = [1, 2, 30];
const { file, budgetSeconds } = workerData as OwnQuestion;
const answer = (message: OwnAnswer) => parentPort!.postMessage(message);

try {
  const Sync = await loadOwnSync(file);
  for (const size of SIZES) {
    const words = new Int32Array(new SharedArrayBuffer(4 * wordsOf(Sync, size)));
    new Sync(words, size, 1);
  }
  const patch = budgetSeconds === undefined ? undefined : patchOf(file);
  answer({ kind: "loaded" });
  if (patch !== undefined)
    for (const entry of OWN_ENTRIES)
      answer({ kind: "result", result: exploreOwn(entry, patch, budgetSeconds!, Sync) });
  answer({ kind: "done" });
} catch (error) {
  const why = printable(error instanceof Error ? error.message : String(error));
  answer({ kind: "refused", why, isUsage: error instanceof UsageError });
}
