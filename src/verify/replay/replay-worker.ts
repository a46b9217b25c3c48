import { parentPort, workerData } from "node:worker_threads";
import type { Patch } from "../configuration.ts";
import { Memory } from "../memory.ts";
import { loadConfiguration } from "../rewrite/modules.ts";
import { type TurnOrders, TurnRuntime } from "./turn-runtime.ts";
import * as T from "./turnstile.ts";

/** What a replaying thread is told. */
export interface ReplayOrders extends TurnOrders {
  readonly module: string;
  readonly name: string;
  readonly patches: readonly Patch[];
}

const orders = workerData as ReplayOrders;
const { turnstile, thread, buffers, module, name, patches } = orders;
const runtime = new TurnRuntime(orders);
const configuration = loadConfiguration(module, name, runtime, "turns", patches);
parentPort!.postMessage("ready");

for (let run = 1; ; run++) {
  while (Atomics.load(turnstile, T.WORD.run) < run) Atomics.wait(turnstile, T.WORD.run, run - 1);
  if (Atomics.load(turnstile, T.WORD.run) !== run) break;
  runtime.reset();
  let how: number | undefined = T.REST.ended;
  try {
    configuration.program(configuration.attach(new Memory(buffers), thread + 1), thread);
  } catch (error) {
    how = error instanceof T.OutOfSteps ? T.REST.outOfSteps : T.REST.faulted;
    // Killed threads have recorded that themselves; stopped ones no longer matter.
    if (error instanceof T.Stopped) how = undefined;
  }
  if (how !== undefined) runtime.finish(how);
  // All threads must have left the run before its memory is wiped for the next one.
  Atomics.sub(turnstile, T.WORD.leaving, 1);
  Atomics.notify(turnstile, T.WORD.leaving);
}
