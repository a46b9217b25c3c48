import { Worker } from "node:worker_threads";
import { isEager } from "./concrete.ts";
import type { Outcome } from "./configuration.ts";
import { Image, Memory } from "./memory.ts";
import { loadRewritten } from "./modules.ts";
import { isPlain, KIND } from "./operations.ts";
import { replaySchedule, resolveSchedule } from "./replay.ts";
import type { ReplayOrders } from "./replay-worker.ts";
import { TurnRuntime } from "./turn-runtime.ts";
import * as T from "./turnstile.ts";
import { World } from "./world.ts";

/** Threads that have not left the current run yet. */
const LEAVING = T.TICKETS + 1;
/** Free-running threads that all sleep for this long will sleep for ever. */
const STABLE_MS = 60;

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
  const { schedule, entry, patches } = resolveSchedule(text);
  const { configuration, module } = entry;
  const { violation } = replaySchedule(text);
  const world = new World(module, configuration, patches);
  const { threads } = configuration;
  const { buffers } = world.memory;
  const turnstile = new Int32Array(new SharedArrayBuffer(T.turnstileWords(threads) * 4));
  const steps = Int32Array.from(schedule.choices);
  const orders = {
    module,
    name: configuration.name,
    patches,
    threads,
    free,
    eager: isEager(world),
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
    if (failure(turnstile, threads, buffers, configuration.check) !== undefined) reproduced++;
    stop(turnstile, threads);
  }
  Atomics.store(turnstile, T.RUN, times + 2);
  Atomics.notify(turnstile, T.RUN);
  await Promise.all(workers);
  return { violation, times, reproduced };
}

function startWorker(orders: ReplayOrders): Promise<void> {
  const worker = new Worker(new URL("./replay-worker.js", import.meta.url), { workerData: orders });
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}

function awaitRest(turnstile: Int32Array, threads: number, steps: number, free: boolean): void {
  for (;;) {
    const resting = Atomics.load(turnstile, T.RESTING);
    const over = free ? allEnded(turnstile, threads) : Atomics.load(turnstile, T.STEP) >= steps;
    if (resting === threads && over) return;
    const waited = Atomics.wait(turnstile, T.RESTING, resting, STABLE_MS);
    if (free && resting === threads && waited === "timed-out") return;
  }
}

function allEnded(turnstile: Int32Array, threads: number): boolean {
  return restsOf(turnstile, threads).every((rest) => rest === T.ENDED || rest === T.FAULTED);
}

function restsOf(turnstile: Int32Array, threads: number): number[] {
  return Array.from({ length: threads }, (_, t) => Atomics.load(turnstile, T.wordsOf(t) + T.REST));
}

/** What is wrong with the run that has just come to rest. */
function failure(
  turnstile: Int32Array,
  threads: number,
  buffers: SharedArrayBuffer[],
  check: ((outcome: Outcome) => string | undefined) | undefined,
): string | undefined {
  const rests = restsOf(turnstile, threads);
  if (rests.includes(T.FAULTED)) return "a thread threw";
  // A loop that waits for a ring waits in the turnstile.
  const isWaiting = (t: number): boolean =>
    rests[t] === T.SLEEPING ||
    (rests[t] === T.OUT_OF_STEPS && turnstile[T.wordsOf(t) + T.NEXT_KIND] === KIND.awaitRing);
  if (rests.every((rest, t) => rest === T.ENDED || isWaiting(t)) && !rests.every(hasEnded)) {
    return "deadlock";
  }
  if (rests.includes(T.OUT_OF_STEPS)) return raceOfNext(turnstile, threads, rests);
  if (rests.includes(T.SLEEPING)) return "deadlock";
  return check?.({
    reports: rests.map((_, t) => {
      const at = T.wordsOf(t);
      const count = Atomics.load(turnstile, at + T.REPORTS);
      return [...turnstile.slice(at + T.REPORT_VALUES, at + T.REPORT_VALUES + count)];
    }),
    words: (n) => new Int32Array(buffers[n]!).slice(),
  });
}

function hasEnded(rest: number): boolean {
  return rest === T.ENDED;
}

/** Two threads stand before accesses to the same payload: the race is there. */
function raceOfNext(turnstile: Int32Array, threads: number, rests: number[]): string | undefined {
  const next = rests.map((rest, t) => {
    const at = T.wordsOf(t);
    return {
      rest,
      kind: turnstile[at + T.NEXT_KIND]!,
      byte: turnstile[at + T.NEXT_BYTE]!,
      bytes: turnstile[at + T.NEXT_BYTES]!,
    };
  });
  for (let t = 0; t < threads; t++) {
    for (let u = 0; u < t; u++) {
      const [a, b] = [next[t]!, next[u]!];
      if (a.rest !== T.OUT_OF_STEPS || b.rest !== T.OUT_OF_STEPS) continue;
      if (!isPlain(a.kind) || !isPlain(b.kind)) continue;
      if (a.kind === KIND.read && b.kind === KIND.read) continue;
      if (Math.max(a.byte, b.byte) < Math.min(a.byte + a.bytes, b.byte + b.bytes))
        return "data race";
    }
  }
  return undefined;
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
    Atomics.wait(turnstile, LEAVING, left, STABLE_MS);
  }
}
