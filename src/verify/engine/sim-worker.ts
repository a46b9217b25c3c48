import { EngineFrontier } from "../../frontier/engine/engine-frontier.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { OUTCOME } from "../../frontier/frontier.ts";
import { PageLimit } from "../../frontier/page-limit.ts";
import { ChainQueue } from "../../frontier/queue/chain-queue.ts";
import { QueueLog } from "../../frontier/queue/queue-log.ts";
import { SiteShares } from "../../frontier/site-shares.ts";
import { Pending } from "../../sync/pending.ts";
import { PERMITS_WORDS, Permits } from "../../sync/permits.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { DelayedEngine, DelayedLink } from "./delayed-engine.ts";
import { ModelEngine } from "./model-engine.ts";
import type { ScriptModel } from "./script-model.ts";

const SEEDS = { seedLow: 5, seedHigh: 6 };
const PLACES = 2;
const QUEUE_BYTES = 2 ** 16;

/** What a worker is part of. */
export interface SimWorkerParts {
  readonly model: ScriptModel;
  readonly number: number;
  readonly leaseMs: number;
  readonly linksOf: (url: string) => readonly string[];
  /** A request leaves. */
  readonly onRequest: (worker: SimWorker, lease: Lease) => void;
  /** Mutant: what was fetched counts as archived before it is on disk. */
  readonly settlesBeforeArchive: boolean;
}

/** The shipped frontier of one worker with one thread, a disk that syncs now and then, and requests that take one round. */
export class SimWorker {
  readonly number: number;
  readonly link = new DelayedLink();
  readonly frontier: EngineFrontier;
  /** URLs whose records would survive a crash. */
  readonly archived = new Set<string>();
  isDead = false;
  /** Knows that the crawl has ended. */
  hasEnded = false;
  /** Is told to leave before the crawl has ended. */
  isLeaving = false;
  /** Has left, and its process is gone. */
  hasExited = false;
  /** Stands still until then. */
  stoppedMs = 0;
  /** Its connection breaks before so many of its rounds. */
  breaksIn = 0;
  readonly #parts: SimWorkerParts;
  readonly #waiting: (() => void)[] = [];
  readonly #written: string[] = [];
  #inFlight: Lease[] = [];

  constructor(parts: SimWorkerParts) {
    this.#parts = parts;
    this.number = parts.number;
    const words = new Int32Array(new SharedArrayBuffer(4 * (1 + PERMITS_WORDS)));
    const pending = new Pending(words, 0);
    const limit = new PageLimit({
      maxPages: undefined,
      permits: new Permits(words, 1),
      countPages: () => 0,
      onReached: () => {},
      onReturned: () => {},
    });
    this.frontier = new EngineFrontier({
      ...SEEDS,
      pending,
      limit,
      delayMs: 0,
      perHost: 1,
      startMs: 0,
      order: "bfs",
      leaseMs: parts.leaseMs,
      worker: `w${parts.number}`,
      learnsFacts: false,
      openEngine: (life, onWake) => this.#connect(life, onWake),
      aheadPerHost: 2,
      maxPagesPerSite: undefined,
      shares: new SiteShares(PLACES),
      queue: new ChainQueue(
        new QueueLog(() => {
          throw new Error("so few URLs need no file");
        }, QUEUE_BYTES),
        false,
      ),
      ends: {
        stored: (_, onStored) => this.#mark(onStored),
        sending: () => {},
        decided: () => {},
      },
      onLast: () => {
        this.hasEnded = true;
      },
      onFacts: () => {},
      ring: () => {},
    });
    pending.add(1);
  }

  /** Pages whose ends the engine has accepted, as this worker knows. */
  get accepted(): number {
    return this.frontier.stats().outcomes[OUTCOME.page]!;
  }

  open(seeds: readonly string[]): void {
    this.frontier.open(seeds as CrawlUrl[]);
  }

  /** What a worker does between two events: answers, ends of requests, new requests, commits. */
  round(nowMs: number): void {
    this.link.deliver();
    for (const lease of this.#inFlight.splice(0)) this.#end(lease, nowMs);
    if (this.hasEnded || this.isLeaving) {
      this.frontier.turn(nowMs, "end");
      this.hasExited = this.#inFlight.length + this.frontier.stats().away === 0;
      return;
    }
    for (const lease of this.frontier.take(PLACES - this.#inFlight.length, nowMs)) {
      this.#parts.onRequest(this, lease);
      this.#inFlight.push(lease);
    }
    this.frontier.turn(nowMs, "run");
  }

  /** Its files reach the disk. */
  sync(): void {
    for (const url of this.#written.splice(0)) this.archived.add(url);
    for (const onStored of this.#waiting.splice(0)) onStored();
  }

  #connect(life: number, onWake: (partition: number) => void): DelayedEngine {
    const { model, number } = this.#parts;
    model.wakers.push((partition) => {
      if (!this.isDead) onWake(partition);
    });
    return new DelayedEngine(new ModelEngine(model, `w${number}/0/${life}`), this.link);
  }

  #mark(onStored: () => void): void {
    if (this.#parts.settlesBeforeArchive) onStored();
    else this.#waiting.push(onStored);
  }

  #end(lease: Lease, nowMs: number): void {
    this.#written.push(lease.url);
    this.frontier.requestEnded(lease, nowMs);
    const found = this.#parts.linksOf(lease.url).map((url) => ({
      url: url as CrawlUrl,
      parent: lease.url,
      depth: lease.depth + 1,
      via: "link" as const,
      seed: false,
      chain: [],
    }));
    this.frontier.settle(lease, {
      kind: "finish",
      outcome: OUTCOME.page,
      found,
      links: found.length,
      record: undefined,
      onCommitted: () => {},
    });
  }
}
