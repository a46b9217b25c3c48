import { StoreCorruptError } from "../../errors.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { ScriptModel } from "./script-model.ts";
import { SimWorker } from "./sim-worker.ts";

/** Something that goes wrong at one moment of a crawl. */
export type Disturbance =
  /** kill -9 after a round; of the calls that it made the engine still executes the first ones. */
  | { readonly kind: "kill"; readonly worker: number; readonly executed: "none" | "one" | "all" }
  /** The connection breaks: answers are lost, their calls are sent again. */
  | { readonly kind: "break"; readonly worker: number }
  /** SIGSTOP after a round, for longer than a lease lasts; what it has sent arrives when it goes on. */
  | {
      readonly kind: "stop";
      readonly worker: number;
      readonly time: "short" | "long";
      /** The answers to what it says first when it goes on are lost. */
      readonly breaks: boolean;
    }
  /** It is told to leave: it sends what it has, gives its partitions back, and its process ends; then power may be lost. */
  | { readonly kind: "leave"; readonly worker: number; readonly losesPower: boolean }
  /** What this worker asks in a round arrives one round later. */
  | { readonly kind: "delay"; readonly worker: number }
  /** The engine comes back without what it acknowledged since it last synced: at once, or when every lease has run out. */
  | { readonly kind: "power loss"; readonly time: "short" | "long" };

/** Where a crawl is disturbed: before which step, and by which of the disturbances that are possible there. */
export interface Placed {
  readonly step: number;
  readonly choice: number;
}

/** Rounds in a row whose order and calls are chosen: each turn is one of `TURNS`. */
export interface Window {
  readonly from: number;
  readonly turns: readonly number[];
}

const EXECUTED = ["none", "one", "all"] as const;

/** A broken variant, as changes of the parts that are simulated. */
export interface EngineMutant {
  readonly name: string;
  readonly Model?: typeof ScriptModel;
  readonly settlesBeforeArchive?: boolean;
}

/** How a disturbed crawl went. */
export interface DisturbedResult {
  readonly violation: string | undefined;
  /** How many disturbances were possible before each step. */
  readonly choices: readonly number[];
  readonly disturbances: readonly string[];
}

const WORKERS = 2;
/** Whose round it is, and how many of its calls reach the engine. */
export const TURNS = WORKERS * EXECUTED.length;
const PARTITIONS = 2;
/** Longer than a producer takes to notice that the engine has lost blocks. */
const LEASE_MS = 3000;
const STEP_MS = 75;
/** The second worker joins when the first has something to give away. */
const JOIN_STEP = 12;
/** About every second, and not when producers ask for it: what they may forget is not all that was answered. */
const SYNC_MS = 900;
/** Until others have taken over, or until they are done. */
const STOPPED_MS = { short: 1.4 * LEASE_MS, long: 4 * LEASE_MS };
const AWAY_MS = { short: 0, long: 1.4 * LEASE_MS };
const MAX_STEPS = 4000;
/**
 * Engine or worker, not both at the same instant. A worker that dies within this of a power loss may take with it what only
 * it could resend; one that stands still is taken for the holder by an engine that has forgotten who came after it.
 */
const APART_MS = 3 * LEASE_MS;

const page = (host: string, number: number) => `http://${host}.test/${number}`;
/** Links of a small web on two sites, which belong to two partitions; the first page is the seed. */
const WEB = new Map<string, readonly string[]>([
  [page("a", 0), [page("a", 1), page("d", 0), page("d", 1), page("d", 2), page("d", 3)]],
  [page("a", 1), [page("a", 0), page("d", 0), page("d", 1)]],
  [page("d", 0), [page("d", 1), page("a", 1)]],
  [page("d", 1), [page("a", 2)]],
  [page("d", 2), []],
  [page("d", 3), [page("a", 3)]],
  [page("a", 2), []],
  [page("a", 3), []],
]);
const SEED = page("a", 0);

/** Two workers and an engine take turns; what is placed happens in between. */
export class DisturbedCrawl {
  readonly #model: ScriptModel;
  readonly #workers: readonly SimWorker[];
  readonly #choices: number[] = [];
  readonly #log: string[] = [];
  #nowMs = 0;
  #kept: ReturnType<ScriptModel["snapshot"]>;
  #syncedMs = 0;
  #hurtMs = Number.NEGATIVE_INFINITY;
  #lostMs = Number.NEGATIVE_INFINITY;
  /** Until then the engine does not answer. */
  #awayMs = 0;
  /** A worker was killed, or stood still. */
  #hasHurtWorkers = false;
  /** Workers that had left when power was lost, or left meanwhile: the engine may not know, and then rightly takes them for dead. */
  readonly #gone = new Set<number>();
  #violation: string | undefined;
  /** Power is lost as soon as its process has ended. */
  #losesPowerAfter: SimWorker | undefined;
  #runs = 1;

  constructor(mutant: EngineMutant) {
    const Model = mutant.Model ?? ScriptModel;
    this.#model = new Model({ partitions: PARTITIONS, order: "bfs", leaseMs: LEASE_MS });
    this.#workers = Array.from(
      { length: WORKERS },
      (_, number) =>
        new SimWorker({
          model: this.#model,
          number,
          leaseMs: LEASE_MS,
          linksOf: (url) => WEB.get(url) ?? [],
          onRequest: (worker, lease) => this.#check(worker, lease),
          settlesBeforeArchive: mutant.settlesBeforeArchive ?? false,
        }),
    );
    this.#workers[0]!.open([SEED]);
    this.#kept = this.#model.snapshot();
  }

  /** Runs to the end of the crawl. */
  run(placed: readonly Placed[], window?: Window): DisturbedResult {
    const at = new Map(placed.map(({ step, choice }) => [step, choice]));
    for (let step = 0; this.#violation === undefined && !this.#isOver(); step++) {
      if (step > MAX_STEPS) {
        this.#violation = "it does not end";
        break;
      }
      const turn = window?.turns[step - window.from];
      const worker = this.#workers[(turn ?? step) % WORKERS]!;
      const possible = this.#possible(worker, step);
      this.#choices.push(possible.length);
      const chosen = at.get(step);
      const disturbance = chosen === undefined ? undefined : possible[chosen]!;
      if (disturbance !== undefined)
        this.#log.push(`${this.#nowMs} ms: ${JSON.stringify(disturbance)}`);
      const executed = EXECUTED[Math.floor((turn ?? 2 * WORKERS) / WORKERS)]!;
      try {
        this.#step(worker, step, disturbance, executed);
      } catch (fault) {
        if (!(fault instanceof StoreCorruptError)) throw fault;
        this.#violation = fault.message;
      }
    }
    this.#violation ??= this.#verdict();
    return { violation: this.#violation, choices: this.#choices, disturbances: this.#log };
  }

  /** One worker's round, then the engine executes what that worker has asked. */
  #step(
    worker: SimWorker,
    step: number,
    disturbance: Disturbance | undefined,
    executed: (typeof EXECUTED)[number],
  ): void {
    const kind = disturbance?.kind;
    if (disturbance?.kind === "power loss") this.#losePower(AWAY_MS[disturbance.time]);
    else if (kind === "break") this.#break(worker);
    if (disturbance?.kind === "leave") {
      worker.isLeaving = true;
      if (disturbance.losesPower) this.#losesPowerAfter = worker;
    }
    this.#nowMs += STEP_MS;
    this.#model.nowMs = this.#nowMs;
    if (!this.#mayAct(worker, step)) return;
    if (worker.breaksIn > 0 && --worker.breaksIn === 0) this.#break(worker);
    worker.round(this.#nowMs);
    // Nobody hears that it leaves.
    if (worker.hasExited && this.#nowMs < this.#awayMs) this.#gone.add(worker.number);
    if (worker.hasExited && worker === this.#losesPowerAfter) {
      this.#losesPowerAfter = undefined;
      this.#losePower(0);
    }
    if (disturbance?.kind === "kill") this.#kill(worker, disturbance.executed);
    else if (disturbance?.kind === "stop") {
      this.#hasHurtWorkers = true;
      worker.stoppedMs = this.#nowMs + STOPPED_MS[disturbance.time];
      this.#hurtMs = worker.stoppedMs;
      worker.breaksIn = disturbance.breaks ? 2 : 0;
    } else if (kind !== "delay") this.#execute(worker, executed);
    // The disk is as slow as every second round of its worker.
    if (!worker.isDead && step % (2 * WORKERS) >= WORKERS) worker.sync();
    if (this.#nowMs - this.#syncedMs < SYNC_MS || this.#nowMs < this.#awayMs) return;
    this.#syncedMs = this.#nowMs;
    this.#kept = this.#model.snapshot();
    this.#model.sync();
  }

  #mayAct(worker: SimWorker, step: number): boolean {
    if (worker.number > 0 && step < JOIN_STEP) return false;
    return !worker.isDead && !worker.hasExited && this.#nowMs >= worker.stoppedMs;
  }

  /** What may happen to the worker whose turn it is, and to the engine. */
  #possible(worker: SimWorker, step: number): Disturbance[] {
    const { number, link, hasEnded } = worker;
    const alive = this.#workers.filter(
      (one) => !one.isDead && !one.isLeaving && !one.hasExited && !one.hasEnded,
    );
    const isBegun = this.#model.partitions.some(({ inserted }) => (inserted ?? 0) > 0);
    const all: Disturbance[] = [];
    if (this.#mayAct(worker, step) && !hasEnded) {
      if (alive.length > 1 && isBegun && !worker.isLeaving)
        for (const losesPower of [false, true])
          all.push({ kind: "leave", worker: number, losesPower });
      if (alive.length > 1 && isBegun && this.#nowMs - this.#lostMs > APART_MS)
        for (const executed of ["none", "one", "all"] as const)
          all.push({ kind: "kill", worker: number, executed });
      if (link.answered > 0) all.push({ kind: "break", worker: number });
      if (this.#nowMs - this.#lostMs > APART_MS)
        for (const time of ["short", "long"] as const)
          for (const breaks of [false, true])
            all.push({ kind: "stop", worker: number, time, breaks });
      all.push({ kind: "delay", worker: number });
    }
    if (isBegun && this.#nowMs - this.#hurtMs > APART_MS)
      for (const time of ["short", "long"] as const) all.push({ kind: "power loss", time });
    return all;
  }

  #losePower(awayMs: number): void {
    this.#awayMs = this.#nowMs + awayMs;
    this.#lostMs = this.#awayMs;
    this.#model.restart(this.#kept, `run${++this.#runs}`);
    for (const { isLeaving, hasExited, number } of this.#workers)
      if (isLeaving || hasExited) this.#gone.add(number);
    // It may lose power again before it syncs.
    this.#kept = this.#model.snapshot();
    for (const worker of this.#workers) this.#break(worker);
  }

  #kill(worker: SimWorker, executed: "none" | "one" | "all"): void {
    this.#hurtMs = this.#nowMs;
    this.#hasHurtWorkers = true;
    this.#execute(worker, executed);
    worker.isDead = true;
  }

  /** The engine executes the first calls that the worker has made. */
  #execute({ link }: SimWorker, executed: (typeof EXECUTED)[number]): void {
    if (this.#nowMs < this.#awayMs) return;
    const { waiting } = link;
    link.execute({ none: 0, one: Math.min(1, waiting), all: waiting }[executed]);
  }

  #break(worker: SimWorker): void {
    if (worker.isDead) return;
    worker.link.break();
    worker.frontier.onReconnected();
  }

  /** A request leaves: nobody else may hold its host, as the engine sees it. */
  #check(worker: SimWorker, { shard, url }: Lease): void {
    const { holder, quietMs } = this.#model.partitions[shard]!;
    if (holder === undefined || holder.startsWith(`w${worker.number}/`)) return;
    // After a rollback the engine knows an older holder, and gives nothing away until it is corrected.
    if (this.#nowMs < quietMs || this.#nowMs - this.#lostMs <= LEASE_MS) return;
    this.#violation ??= `${url} is asked by worker ${worker.number}, but ${holder} holds its host`;
  }

  #pagesOf(worker: number): number {
    let pages = 0;
    for (const { pagesOf } of this.#model.partitions)
      for (const [holder, count] of pagesOf) if (holder.startsWith(`w${worker}/`)) pages += count;
    return pages;
  }

  #isOver(): boolean {
    return this.#workers.every(({ isDead, hasExited }) => isDead || hasExited);
  }

  #verdict(): string | undefined {
    const archived = new Set(this.#workers.flatMap((worker) => [...worker.archived]));
    const lost = [...WEB.keys()].filter((url) => !archived.has(url));
    if (lost.length > 0) return `lost: ${lost.join(", ")}`;
    const sum = (name: "inserted" | "settled") =>
      this.#model.partitions.reduce((total, one) => total + (one[name] ?? 0), 0);
    const [inserted, settled] = [sum("inserted"), sum("settled")];
    if (inserted !== WEB.size || settled !== WEB.size)
      return `${inserted} inserted and ${settled} settled, of ${WEB.size}`;
    const isGone = (holder: string) =>
      [...this.#gone].some((number) => holder.startsWith(`w${number}/`));
    const dead = [...this.#model.dead].filter((holder) => !isGone(holder));
    if (!this.#hasHurtWorkers && dead.length > 0)
      return `${dead.join(", ")} was taken for dead, and only the engine was away`;
    for (const { number, isDead, accepted } of this.#workers) {
      const pages = this.#pagesOf(number);
      if (!isDead && accepted !== pages)
        return `worker ${number} believes that ${accepted} pages were accepted, and ${pages} were`;
    }
    return undefined;
  }
}
