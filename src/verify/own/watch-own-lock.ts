import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import { runWorker } from "../../runtime/run-worker.ts";
import type { OwnResult } from "./judge-own-lock.ts";
import type { OwnAnswer, OwnQuestion } from "./own-lock-worker.ts";

const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
/** Loading a module and making a lock takes no time; what takes longer never ends. */
const LOAD_MS = 15_000;
/** Loops without a shared access are not seen by a search: beyond so many times its budget it hangs. */
const PATIENCE = 3;
const START_MS = 5000;
const LIMITS = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

/** What became of a lock of one's own. */
export interface OwnVerdict {
  readonly grade: "passes" | "fails" | "undecided";
  readonly results: readonly OwnResult[];
  /** Why it fails beside the results: it hangs or throws outside of a step. */
  readonly fault: string | undefined;
}

/** Explores a lock in a thread of its own, so that one that never comes back can be ended. */
export async function judgeOwnLock(
  file: string,
  budgetSeconds: number,
  onResult: (result: OwnResult) => void,
): Promise<OwnVerdict> {
  const results: OwnResult[] = [];
  const waitMs = PATIENCE * budgetSeconds * 1000 + START_MS;
  const fault = await ask({ file, budgetSeconds }, waitMs, (result) => {
    results.push(result);
    onResult(result);
  });
  const fails = fault !== undefined || results.some(({ violation }) => violation !== null);
  const isDecided = results.every(({ complete, violation }) => complete || violation !== null);
  return { grade: fails ? "fails" : isDecided ? "passes" : "undecided", results, fault };
}

/** Loads a lock in a thread of its own first: what hangs there would hang us. */
export async function checkOwnLock(file: string): Promise<void> {
  const fault = await ask({ file, budgetSeconds: undefined }, LOAD_MS, () => {});
  if (fault !== undefined) throw new UsageError(fault);
}

/** Returns a sentence when the lock hangs or throws, undefined when all was answered. */
async function ask(
  question: OwnQuestion,
  waitMs: number,
  onResult: (result: OwnResult) => void,
): Promise<string | undefined> {
  const module = new URL(`./own-lock-worker${EXTENSION}`, import.meta.url);
  const name = printable(question.file);
  const { worker, ended } = runWorker(module, "a lock of one's own", {
    workerData: question,
    resourceLimits: LIMITS,
    // What it prints is not ours.
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const late = (ms: number, what: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve(`${name} ${what} for ${ms / 1000} s: ended`), ms);
      };
      late(LOAD_MS, "does not come back from loading");
      worker.on("message", (answer: OwnAnswer) => {
        if (answer.kind === "loaded") late(waitMs, "does not come back from a step");
        else if (answer.kind === "result") {
          late(waitMs, "does not come back from a step");
          onResult(answer.result);
        } else if (answer.kind === "done") resolve(undefined);
        else if (answer.isUsage) reject(new UsageError(answer.why));
        else resolve(`${name} cannot be explored: ${answer.why}`);
      });
      ended.then(
        () => resolve(undefined),
        (error: Error) => resolve(`${name} ended its thread: ${printable(causeOf(error))}`),
      );
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
