import { parentPort, workerData } from "node:worker_threads";
import type { Configuration } from "../configuration.ts";
import { Image, Memory } from "../memory.ts";
import { loadRewritten, type Patch } from "../rewrite/modules.ts";
import { TurnRuntime } from "./turn-runtime.ts";
import * as T from "./turnstile.ts";

/** What a replaying thread is told. */
export interface ReplayOrders {
  readonly module: string;
  readonly name: string;
  readonly patches: readonly Patch[];
  readonly thread: number;
  readonly threads: number;
  readonly eager: boolean;
  readonly free: boolean;
  readonly turnstile: Int32Array;
  readonly schedule: Int32Array;
  readonly buffers: SharedArrayBuffer[];
}

const orders = workerData as ReplayOrders;
const { turnstile, thread } = orders;
const runtime = new TurnRuntime(
  turnstile,
  orders.schedule,
  orders.threads,
  thread,
  orders.eager,
  orders.free,
);
// Modules may look into arrays of their own while they are loaded.
runtime.image = new Image(orders.buffers);
const module = loadRewritten(orders.module, runtime, "turns", orders.patches);
const configuration = (module.configurations as Configuration[]).find(
  (c) => c.name === orders.name,
)!;
parentPort!.postMessage("ready");

for (let run = 1; ; run++) {
  while (Atomics.load(turnstile, T.RUN) < run) Atomics.wait(turnstile, T.RUN, run - 1);
  if (Atomics.load(turnstile, T.RUN) !== run) break;
  runtime.reset();
  let how: number | undefined = T.ENDED;
  try {
    configuration.program(configuration.attach(new Memory(orders.buffers), thread + 1), thread);
  } catch (error) {
    how = error instanceof T.OutOfSteps ? T.OUT_OF_STEPS : T.FAULTED;
    // Killed threads have said so themselves; stopped ones are not asked any more.
    if (error instanceof T.Stopped) how = undefined;
  }
  if (how !== undefined) runtime.finish(how);
  // Everybody must have left the run before its memory is wiped for the next one.
  Atomics.sub(turnstile, T.TICKETS + 1, 1);
  Atomics.notify(turnstile, T.TICKETS + 1);
}
