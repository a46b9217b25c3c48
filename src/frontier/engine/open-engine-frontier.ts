import { join } from "node:path";
import type { CrawlConfig } from "../../config/schema.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { openScratchFile } from "../../runtime/scratch-file.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import type { Pending } from "../../sync/pending.ts";
import { PARTITIONS } from "../../url/site.ts";
import type { Fact } from "../fact.ts";
import type { JournalPort } from "../journal-port.ts";
import { ExchangeSize } from "../opic/exchange-size.ts";
import type { PageLimit } from "../page-limit.ts";
import { ChainQueue } from "../queue/chain-queue.ts";
import { QueueLog } from "../queue/queue-log.ts";
import { SiteShares } from "../site-shares.ts";
import { DoubtLog } from "./ends/doubt-log.ts";
import { EndJournal, readEnds } from "./ends/end-journal.ts";
import { EngineFrontier } from "./engine-frontier.ts";
import { EngineKeys } from "./engine-keys.ts";
import { addressOf, openClient, type RedisClient } from "./load-ioredis.ts";
import { LogSync } from "./log-sync.ts";
import { RedisEngine } from "./redis-engine.ts";
import { defineScripts } from "./scripts/named-scripts.ts";
import { StepFile } from "./steps/step-file.ts";

/** With one connection few, else enough for all of them. */
const MIN_AHEAD = 4;
const MAX_AHEAD = 256;
/** What is fetched ahead stays in memory up to this; more than that has never been seen. */
const QUEUE_BYTES = 32 * 1024 * 1024;
/** Leases are renewed and looked at so often, also when nothing else happens. */
const TICK_MS = 100;

/** What the frontier of one thread on the engine is opened with. */
export interface EngineParts {
  readonly config: CrawlConfig;
  readonly thread: number;
  readonly epoch: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly startMs: number;
  readonly onRecalled: (hash: number, delayMs: number, heldMs: number) => void;
  readonly pending: Pending;
  readonly limit: PageLimit;
  readonly bells: readonly Doorbell[];
  readonly port: JournalPort;
  /** Folder of the journals. */
  readonly journals: string | undefined;
  readonly onLast: () => void;
  readonly onFacts: (facts: readonly Fact[]) => void;
  readonly onEnded?: ((hostname: string, outcome: number) => void) | undefined;
}

/** Opens a thread's own connection and its frontier. */
export function openEngineFrontier(parts: EngineParts): EngineFrontier {
  const { config, thread, epoch, bells } = parts;
  const { delayMs, perHost, order, threads, engineLeaseMs: leaseMs } = config;
  const { dropSessionIds, dropTracking, trailingSlash } = config;
  const bell = bells[thread]!;
  const ring = () => bell.ring();
  const keys = new EngineKeys(config.crawlName!, PARTITIONS);
  const { id } = config.worker!;
  const address = addressOf(config.engine!, process.env);
  const onFault = (error: unknown) => {
    // A fault of ours, or of the server: the thread ends with it.
    setImmediate(() => {
      throw error;
    });
  };
  let onWake = (_: number): void => {};
  let onStep = (_: number): void => {};
  const client = openClient(address).then((opened) => {
    defineScripts(opened);
    // Said once by the main thread; calls wait until the connection is back.
    opened.on("error", () => {});
    opened.on("ready", () => frontier.onReconnected());
    return opened;
  });
  const listener = client.then((opened) =>
    listen(
      opened,
      keys,
      (partition) => onWake(partition),
      (step) => onStep(step),
    ),
  );
  for (const opening of [client, listener]) opening.catch(onFault);
  const logSync = new LogSync({ client, keys, partitions: PARTITIONS });
  const tick = setInterval(ring, TICK_MS);
  const scratch = join(config.out!, "state", `ahead-${thread}.scratch`);
  const log = new QueueLog(() => openScratchFile(scratch), QUEUE_BYTES / threads);
  const report = config.supersteps
    ? new StepFile(join(config.out!, "reports", "supersteps.jsonl"), id, thread)
    : undefined;
  const before = readEnds(parts.journals!, thread);
  parts.port.begin(thread, before.end.segment === 0 ? undefined : before.end);
  const doubts = new DoubtLog(join(config.out!, "state"), thread);
  const frontier = new EngineFrontier({
    ...parts,
    ends: new EndJournal(parts.port, thread, doubts),
    outcomesBefore: before.outcomes,
    ...{ delayMs, perHost, order, leaseMs, dropSessionIds, dropTracking, trailingSlash },
    worker: id,
    addresses: { holder: `${id}/${thread}/${epoch}`, clock: monotonicMs },
    learnsFacts: thread === 0,
    openEngine: (life, wake, step) => {
      onWake = wake;
      onStep = step;
      const holder = `${id}/${thread}/${epoch}.${life}`;
      return new RedisEngine(client, {
        ...{ keys, holder, order, leaseMs, onFault },
        partitions: PARTITIONS,
        logsSynced: () => logSync.synced(),
        logsFlushed: () => logSync.flushed(),
      });
    },
    aheadPerHost: aheadOf(config),
    maxPagesPerSite: config.maxPagesPerSite,
    maxEngineBytes: config.engineMemoryBytes,
    shares: new SiteShares(config.linksPerThread),
    queue: new ChainQueue(log, false),
    ring,
    supersteps: report && {
      size: new ExchangeSize(config.exchangeSize),
      places: config.linksPerThread,
      onReport: (line) => report.write(line),
    },
    onClose: () => {
      report?.close();
      doubts.close();
      logSync.close();
      clearInterval(tick);
      log.close();
      for (const opening of [client, listener]) void opening.then((opened) => opened.disconnect());
    },
  });
  return frontier;
}

/** URLs of a host that are fetched ahead: by cash none but the next, because links may raise others meanwhile. */
function aheadOf({ order, perHost }: CrawlConfig): number {
  if (order === "opic" && perHost === 1) return 1;
  return Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, 2 * perHost));
}

/** A second connection, because one that listens can do nothing else. */
async function listen(
  client: RedisClient,
  keys: EngineKeys,
  onWake: (partition: number) => void,
  onStep: (step: number) => void,
): Promise<RedisClient> {
  const listener = (client as { duplicate(): RedisClient }).duplicate();
  listener.on("error", () => {});
  const wake = `${keys.crawl}:wake`;
  listener.on("message", (channel: string, text: string) => {
    if (channel === wake) onWake(Number(text));
    else onStep(Number(text));
  });
  await listener.subscribe(wake, `${keys.crawl}:step`);
  return listener;
}
