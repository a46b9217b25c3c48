import { Worker } from "node:worker_threads";
import { Image, Memory } from "../memory.ts";
import { loadRewritten } from "../rewrite/modules.ts";
import { resolveSchedule } from "./replay-schedule.ts";
import type { ReplayOrders } from "./replay-worker.ts";
import { threadPlan } from "./thread-plan.ts";
import { ThreadVerdict } from "./thread-verdict.ts";
import { TurnRuntime } from "./turn-runtime.ts";
import * as T from "./turnstile.ts";

/** Threads that have not left the current run yet. */
const LEAVING = T.TICKETS + 1;
/** Free-running threads that all sleep for this long will sleep for ever. */
const STABLE_MS = 60;
/** Threads that take no step for this long do not follow the schedule; free-running ones go round for ever. */
const PATIENCE_MS = 5000;

/** How often a schedule failed in real threads. */
export interface ThreadReplay {
  readonly violation: string | undefined;
  readonly times: number;
  readonly reproduced: number;
}

/** Runs a schedule in real worker threads, again and again. */
export function replayInThreads(text: string, times: number): Promise<ThreadReplay> {
  return run(text, times, false);
}

/** The control: the same broken code in real threads that nobody holds back. */
export function runFreely(text: string, times: number): Promise<ThreadReplay> {
  return run(text, times, true);
}

async function run(text: string, times: number, free: boolean): Promise<ThreadReplay> {
  const { entry, patches } = resolveSchedule(text);
  const { configuration, module } = entry;
  const plan = threadPlan(text);
  const { violation, world } = plan;
  const { threads } = configuration;
  const { buffers } = world.memory;
  const turnstile = new Int32Array(new SharedArrayBuffer(T.turnstileWords(threads) * 4));
  const steps = Int32Array.from(plan.choices);
  const orders = {
    module,
    name: configuration.name,
    patches,
    threads,
    free,
    eager: plan.eager,
  };
  const shared = { ...orders, turnstile, schedule: steps, buffers };
  // Freely running main: initialise is done by the same rewritten code, alone and without turns.
  const alone = new TurnRuntime(turnstile, steps, threads, 0, true, true);
  alone.image = new Image(buffers);
  const own = (
    loadRewritten(module, alone, "turns", patches).configurations as (typeof configuration)[]
  ).find((c) => c.name === configuration.name)!;
  const workers = Array.from({ length: threads }, (_, thread) =>
    startWorker({ ...shared, thread }),
  );
  // From here on this thread sleeps between looks at the turnstile and would not hear of a failed start.
  await Promise.all(workers.map(({ ready }) => ready));
  let reproduced = 0;
  for (let n = 1; n <= times; n++) {
    for (const buffer of buffers) new Uint8Array(buffer).fill(0);
    turnstile.fill(0, T.RESTING);
    Atomics.store(turnstile, T.STEP, 0);
    own.initialise?.(own.attach(new Memory(buffers), 1));
    Atomics.store(turnstile, LEAVING, threads);
    Atomics.store(turnstile, T.RUN, n);
    Atomics.notify(turnstile, T.RUN);
    awaitRest(turnstile, threads, steps.length, free);
    if (new ThreadVerdict(turnstile, plan, free).failure() !== undefined) reproduced++;
    stop(turnstile, threads);
  }
  Atomics.store(turnstile, T.RUN, times + 2);
  Atomics.notify(turnstile, T.RUN);
  await Promise.all(workers.map(({ ended }) => ended));
  return { violation, times, reproduced };
}

function startWorker(orders: ReplayOrders): { ready: Promise<unknown>; ended: Promise<unknown> } {
  const worker = new Worker(new URL("./replay-worker.js", import.meta.url), { workerData: orders });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
  const ready = Promise.race([new Promise((resolve) => worker.once("message", resolve)), ended]);
  return { ready, ended };
}

/** Waits until the schedule is over, or, running freely, until nobody gets on any more. */
function awaitRest(turnstile: Int32Array, threads: number, steps: number, free: boolean): void {
  let step = 0;
  let idleSinceMs = performance.now();
  for (;;) {
    const resting = Atomics.load(turnstile, T.RESTING);
    const over = free ? allEnded(turnstile, threads) : Atomics.load(turnstile, T.STEP) >= steps;
    if (resting === threads && over) return;
    const waited = Atomics.wait(turnstile, T.RESTING, resting, STABLE_MS);
    if (free && resting === threads && waited === "timed-out") return;
    if (step !== Atomics.load(turnstile, T.STEP)) idleSinceMs = performance.now();
    step = Atomics.load(turnstile, T.STEP);
    if (performance.now() - idleSinceMs > PATIENCE_MS) return;
  }
}

function allEnded(turnstile: Int32Array, threads: number): boolean {
  return T.restsOf(turnstile, threads).every((rest) => rest === T.ENDED || rest === T.FAULTED);
}

/** Lets everybody leave the run and waits until they have. */
function stop(turnstile: Int32Array, threads: number): void {
  Atomics.store(turnstile, T.STOP, 1);
  for (let t = 0; t < threads; t++) {
    if (Atomics.load(turnstile, T.wordsOf(t) + T.REST) !== T.SLEEPING) continue;
    Atomics.store(turnstile, T.wordsOf(t) + T.WOKEN, T.BY_STOP);
    Atomics.notify(turnstile, T.wordsOf(t) + T.WOKEN);
  }
  for (let left = threads; left > 0; left = Atomics.load(turnstile, LEAVING)) {
    Atomics.notify(turnstile, T.STEP);
    Atomics.wait(turnstile, LEAVING, left, STABLE_MS);
  }
}
