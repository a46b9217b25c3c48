import { Worker, type WorkerOptions } from "node:worker_threads";
import { WorkerDiedError } from "../errors.ts";
import { compileAsUsual, compileLess } from "./compile-less.ts";

/**
 * Page bodies are garbage as soon as they are stored, but they are outside V8's heap, so it sees no reason to collect
 * them. A small young generation makes it collect more often. Of 4, 8, 12 and 24 MiB this one cost 20,000 small pages least CPU,
 * 2 % less than 4, for 6 MiB more in the process.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1536 };

/** A running worker and the promise that settles when it has ended. */
export interface RunningWorker {
  readonly name: string;
  readonly worker: Worker;
  /** Resolves when the worker ended by itself; rejects with WorkerDiedError otherwise. */
  readonly ended: Promise<void>;
  /** Ends it wherever it is. */
  readonly terminate: () => Promise<unknown>;
}

/** Starts a worker thread. The listeners are attached before it can end, so no ending is missed. */
export function runWorker(module: URL, name: string, options: WorkerOptions): RunningWorker {
  const execArgv = process.execArgv.some(isAboutText) ? { execArgv: withoutText() } : {};
  compileAsUsual();
  const worker = new Worker(module, { resourceLimits, ...execArgv, ...options, argv: [], name });
  const ended = new Promise<void>((resolve, reject) => {
    let cause: unknown;
    worker.once("error", (error) => {
      cause = error;
    });
    worker.once("exit", (code) => {
      compileLess();
      if (cause === undefined && code === 0) resolve();
      else reject(new WorkerDiedError(name, cause ?? new Error(`exit code ${code}`)));
    });
  });
  // A later `await ended` still gets the rejection; this only keeps it from being "unhandled" meanwhile.
  ended.catch(() => {});
  return { name, worker, ended, terminate: () => worker.terminate() };
}

const isAboutText = (option: string) => option.startsWith("--input-type");

/** The options of Node without those of a program given as text (`node --input-type=module -e …`): a thread runs a file. */
function withoutText(): string[] {
  const kept: string[] = [];
  for (let i = 0; i < process.execArgv.length; i++) {
    const option = process.execArgv[i]!;
    if (["-e", "--eval", "-p", "--print", "-pe", "--input-type"].includes(option)) i++;
    else if (!isAboutText(option)) kept.push(option);
  }
  return kept;
}
