import { Worker } from "node:worker_threads";
import { Memory } from "../memory.ts";
import { loadConfiguration } from "../rewrite/modules.ts";
import { resolveSchedule } from "./replay-schedule.ts";
import type { ReplayOrders } from "./replay-worker.ts";
import { threadPlan } from "./thread-plan.ts";
import { ThreadVerdict } from "./thread-verdict.ts";
import { TurnRuntime } from "./turn-runtime.ts";
import * as T from "./turnstile.ts";

/** Between two looks at threads from which nothing is heard. */
const LOOK_MS = 60;
/** Threads that take no step between so many looks do not follow the schedule; a machine that stood still is one look. */
const PATIENT_LOOKS = 80;
/** Free-running threads that neither end nor sleep for this long go on for ever; there may be a hundred runs of them. */
const FREE_MS = 100;
/** Free-running threads that all rest are given up after this: some of them sleep only for a time. */
const FREE_REST_MS = 5000;

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

/** The control experiment: the same broken code in real threads without a schedule. */
export function runFreely(text: string, times: number): Promise<ThreadReplay> {
  return run(text, times, true);
}

async function run(text: string, times: number, free: boolean): Promise<ThreadReplay> {
  const { entry, patches } = resolveSchedule(text);
  const plan = threadPlan(text);
  const { violation, world, eager } = plan;
  const { name, threads } = entry.configuration;
  const { buffers } = world.memory;
  const turnstile = new Int32Array(new SharedArrayBuffer(T.turnstileWords(threads) * 4));
  const schedule = Int32Array.from(plan.choices);
  const turns = { turnstile, schedule, buffers, threads, eager, free };
  const orders = { ...turns, module: entry.module, name, patches };
  // This thread runs freely: initialise is done by the same rewritten code, alone and without turns.
  const alone = new TurnRuntime({ ...turns, thread: 0, eager: true, free: true });
  const own = loadConfiguration(entry.module, name, alone, "turns", patches);
  const workers = Array.from({ length: threads }, (_, thread) =>
    startWorker({ ...orders, thread }),
  );
  // From here on this thread blocks between looks at the turnstile and would miss a failed start.
  await Promise.all(workers.map(({ ready }) => ready));
  let reproduced = 0;
  for (let n = 1; n <= times; n++) {
    for (const buffer of buffers) new Uint8Array(buffer).fill(0);
    turnstile.fill(0, T.WORD.resting);
    Atomics.store(turnstile, T.WORD.step, 0);
    own.initialise?.(own.attach(new Memory(buffers), 1));
    Atomics.store(turnstile, T.WORD.leaving, threads);
    Atomics.store(turnstile, T.WORD.run, n);
    Atomics.notify(turnstile, T.WORD.run);
    const isAtRest = awaitRest(turnstile, threads, schedule.length, free);
    // All of many threads that run on may sleep at one moment; that says nothing, unless running on is the fault.
    const isJudged = isAtRest || !free || plan.circling.size > 0;
    if (isJudged && new ThreadVerdict(turnstile, plan, free).failure() !== undefined) reproduced++;
    stop(turnstile, threads);
  }
  Atomics.store(turnstile, T.WORD.run, times + 2);
  Atomics.notify(turnstile, T.WORD.run);
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

/** Waits until the schedule is over, or, running freely, until all threads have ended or sleep; false when that does not come. */
function awaitRest(turnstile: Int32Array, threads: number, steps: number, free: boolean): boolean {
  if (free) return awaitFreeRest(turnstile, threads);
  let step = 0;
  for (let idleLooks = 0; idleLooks < PATIENT_LOOKS; ) {
    const resting = Atomics.load(turnstile, T.WORD.resting);
    if (resting === threads && Atomics.load(turnstile, T.WORD.step) >= steps) return true;
    const waited = Atomics.wait(turnstile, T.WORD.resting, resting, LOOK_MS);
    const now = Atomics.load(turnstile, T.WORD.step);
    idleLooks = now !== step ? 0 : idleLooks + (waited === "timed-out" ? 1 : 0);
    step = now;
  }
  return false;
}

/**
 * A thread that was woken counts as asleep until it runs, which may be long on a busy machine. So all sleep for ever only
 * when, since all were seen to rest, each sleeper has slept through a whole slice: then nobody was woken, and nobody is
 * left to wake them.
 */
function awaitFreeRest(turnstile: Int32Array, threads: number): boolean {
  const startMs = performance.now();
  let restingSince: readonly T.Rest[] | undefined;
  for (;;) {
    const resting = Atomics.load(turnstile, T.WORD.resting);
    if (resting === threads && allEnded(turnstile, threads)) return true;
    const rests = T.freeRests(turnstile, threads);
    const isSame = restingSince?.every(({ rest, sleeps }, t) => {
      return rest === rests[t]!.rest && sleeps === rests[t]!.sleeps;
    });
    if (resting !== threads) restingSince = undefined;
    else if (!isSame) restingSince = rests;
    else if (restingSince!.every((from, t) => hasSleptOn(from, rests[t]!))) return true;
    const maxMs = resting === threads ? FREE_REST_MS : FREE_MS;
    if (performance.now() - startMs > maxMs) return false;
    Atomics.wait(turnstile, T.WORD.resting, resting, T.FREE_SLICE_MS);
  }
}

/** Whether it has ended, or slept through a slice that began after the first look. */
function hasSleptOn(from: T.Rest, now: T.Rest): boolean {
  return now.rest !== T.REST.sleeping || now.slices >= from.slices + 2;
}

function allEnded(turnstile: Int32Array, threads: number): boolean {
  return T.restsOf(turnstile, threads).every(
    (rest) => rest === T.REST.ended || rest === T.REST.faulted,
  );
}

/** Makes all threads leave the run and waits until they have. */
function stop(turnstile: Int32Array, threads: number): void {
  Atomics.store(turnstile, T.WORD.stop, 1);
  for (let t = 0; t < threads; t++) {
    if (Atomics.load(turnstile, T.wordsOf(t) + T.OWN.rest) === T.REST.sleeping)
      T.wake(turnstile, t, T.WOKEN_BY.stop);
  }
  for (let left = threads; left > 0; left = Atomics.load(turnstile, T.WORD.leaving)) {
    Atomics.notify(turnstile, T.WORD.step);
    Atomics.wait(turnstile, T.WORD.leaving, left, LOOK_MS);
  }
}
