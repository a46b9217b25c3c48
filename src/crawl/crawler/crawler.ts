import { ByteCount } from "../../frontier/byte-count.ts";
import type { ShardExchange } from "../../frontier/fold/exchange-check.ts";
import { type Fact, type FrontierStats, type Lease, OUTCOME } from "../../frontier/frontier.ts";
import { openFrontier } from "../../frontier/open-frontier.ts";
import { PageLimit } from "../../frontier/page-limit.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { WakeTimer } from "../../runtime/wake-timer.ts";
import { CounterRow } from "../../stats/counters.ts";
import { FailureCounts } from "../../stats/failure-counts.ts";
import { type HostEnd, HostRows } from "../../stats/host-rows.ts";
import { LatencyCounts } from "../../stats/latency-counts.ts";
import { checkArchives } from "../../store/finish/check-archives.ts";
import { LoopDoorbell, type WorkSource } from "../../sync/loop-doorbell.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { BufferPlan } from "../buffer-plan.ts";
import { BESIDE_CRAWLER, JoinedBuilder } from "../builder/joined-builder.ts";
import type { ThreadChange } from "../control/control-change.ts";
import { extraFiles } from "../file-budget.ts";
import { FRAMES } from "../hand-off/frames.ts";
import { HandOffPort } from "../hand-off/hand-off-port.ts";
import { robotsParts } from "../hand-off/robots-frame.ts";
import { SendRecords } from "../hand-off/send-records.ts";
import { openSender } from "../open-buffer.ts";
import { Account, bellsOf, Control, debugRingOf, MODES } from "../shared-memory.ts";
import { DebugLog } from "../visit/debug-log.ts";
import { FAILURE_CODES } from "../visit/error-codes.ts";
import { HandlerRunner } from "../visit/handler-runner.ts";
import { HandlerWatch, MAX_HANDLER_MS } from "../visit/handler-watch.ts";
import { learnFact } from "../visit/learn-fact.ts";
import { readRulesOf } from "../visit/read-page.ts";
import { inTurn, RemoteHandler } from "../visit/remote-handler.ts";
import { CrawlerStages } from "../visit/stages.ts";
import { Visit } from "../visit/visit.ts";
import { CrawlerLoop } from "./crawler-loop.ts";
import type { FromCrawler, ToCrawler } from "./crawler-message.ts";
import { type CrawlerParts, crawlerParts } from "./crawler-parts.ts";
import type { CrawlerRules } from "./crawler-rules.ts";
import { describeHosts, type HostPlaces, rankHosts } from "./host-list.ts";
import { robotsText } from "./robots-text.ts";
import { ThreadPlaces } from "./thread-places.ts";
import { Uncommitted } from "./uncommitted.ts";

// Longer than 400 lines because all parts of a crawler thread are put together here.

/** Which counter tells of which outcome; pages count when they are committed. */
const OUTCOME_COUNTERS = [
  ["redirects", OUTCOME.redirect],
  ["failed", OUTCOME.failed],
  ["refused", OUTCOME.refused],
  ["sitemaps", OUTCOME.sitemap],
  ["unchanged", OUTCOME.unchanged],
] as const;

/** How an outcome counts for its host; all others are done. */
const HOST_ENDS: Readonly<Record<number, HostEnd>> = {
  [OUTCOME.failed]: "failed",
  [OUTCOME.refused]: "refused",
};

/** URLs left that are sent in one message. */
const LEFT_AT_ONCE = 10_000;

/** Counters that are a figure of the frontier, under the same name. */
const COUNTED_BY_FRONTIER = [
  "pages",
  "known",
  "queued",
  "hostsWaiting",
  "nextUrls",
  "exchanges",
  "exchangeVisits",
  "pivot",
] as const;

/** One crawler thread: the loop, driven by sockets, a doorbell and a timer. */
export class Crawler {
  readonly #parts: CrawlerParts;
  readonly #control: Control;
  readonly #counters: CounterRow;
  readonly #port: HandOffPort;
  readonly #stages: CrawlerStages;
  readonly #loop: CrawlerLoop;
  readonly #places: ThreadPlaces;
  readonly #bell: LoopDoorbell;
  readonly #post: (message: FromCrawler) => void;
  readonly #builder: JoinedBuilder | undefined;
  readonly #timer = new WakeTimer(() => this.#round());
  readonly #frontier;
  readonly #handOff;
  readonly #uncommitted: Uncommitted;
  readonly #handlers: HandlerRunner | undefined;
  readonly #remote: RemoteHandler | undefined;
  readonly #hosts: HostRows;
  /** Visits in flight to hosts that could not be reached last time: they do not keep a crawl alive. */
  readonly #hopeful = new Set<Lease>();
  /** What the shards have exchanged, for the supervisor to compare. */
  #exchanges: ShardExchange[] = [];
  #isRoundPlanned = false;
  #isRunning = false;
  /** Both that share this thread. */
  readonly #work: WorkSource = {
    hasWork: () => this.#loop.hasWork() || (this.#builder?.hasWork() ?? false),
  };

  constructor(rules: CrawlerRules, post: (message: FromCrawler) => void) {
    const { thread, memory, config } = rules;
    this.#post = post;
    this.#control = new Control(memory);
    this.#counters = new CounterRow(memory.counters, thread);
    this.#hosts = new HostRows(memory.hostRows, thread, memory.threads);
    const bells = bellsOf(memory);
    const account = new Account(memory, thread);
    this.#handOff = openSender(memory, config, thread);
    this.#port = new HandOffPort(this.#handOff, rules.epoch);
    this.#builder =
      rules.build &&
      new JoinedBuilder(rules.build, {
        ...BESIDE_CRAWLER,
        onMessage: (message) => {
          if (message.kind === "places") this.#port.onPlaces(message.places);
          else post({ kind: "builder", message });
        },
        onWritten: () => this.#planRound(),
      });
    this.#handOff.goPast(this.#builder);
    const builderBell = bells.builders[new BufferPlan(config).builderOf(thread)]!;
    this.#uncommitted = new Uncommitted(config, account, builderBell);
    const wakeAll = () => {
      for (const bell of bells.all) bell.ring();
      this.#planRound();
    };
    const onLimit = () => {
      this.#control.end("limit", MODES.drain);
      wakeAll();
    };
    const byteCount = new ByteCount({
      maxBytes: config.maxBytes,
      total: this.#control.bytes,
      onReached: onLimit,
    });
    const startMs = rules.mustWait ? monotonicMs() + config.delayMs : 0;
    const isArchived = config.store.includes("warc");
    this.#parts = crawlerParts(
      rules,
      startMs,
      (bytes) => byteCount.received(bytes),
      isArchived ? (file) => this.#handOff.send(FRAMES.robots, robotsParts(file)) : undefined,
    );
    const { gatekeeper, fetcher, namedSitemaps, settings } = this.#parts;
    this.#frontier = openFrontier({
      ...rules,
      memory: memory.frontier,
      startMs,
      // Who has read robots.txt hands out the sitemaps that it names.
      mayLend: (lease) => fetcher.isCleared(lease) && !namedSitemaps.isWaiting(lease.url),
      onRecalled: (hash, delayMs, heldMs) => gatekeeper.recalled(hash, delayMs, heldMs),
      wallAheadMs: () => Date.now() - monotonicMs(),
      priority: rules.handler?.priority,
      settings,
      onHostChanged: (host, nowMs) => gatekeeper.changed(host, nowMs),
      pending: this.#control.pending,
      limit: new PageLimit({
        maxPages: config.maxPages,
        permits: this.#control.permits,
        countPages: (pages) => this.#control.countPages(pages),
        onReached: onLimit,
        onReturned: wakeAll,
      }),
      bytes: byteCount,
      bells: bells.crawlers,
      port: this.#port,
      counters: this.#counters,
      maxRecoveredFiles: Math.floor(extraFiles(config) / 2),
      onEnded: (host, outcome) => this.#hosts.add(host, HOST_ENDS[outcome] ?? "done"),
      onExchange: (found) => this.#exchanges.push(found),
      checkArchives: (ends) => checkArchives(rules.archive, ends, rules.lostArchives),
      onFacts: (facts) => {
        account.announced(facts.length);
        post({ kind: "facts", facts });
      },
      onLast: () => {
        this.#control.noteLast();
        bells.supervisor.ring();
      },
    });
    gatekeeper.floors = this.#frontier.floors;
    if (this.#frontier.hostMemory !== undefined)
      this.#parts.robots?.keepWith(this.#frontier.hostMemory);
    this.#loop = new CrawlerLoop({
      frontier: this.#frontier,
      handOff: this.#handOff,
      port: this.#port,
      control: this.#control,
      account,
      uncommitted: this.#uncommitted,
      bytes: byteCount,
      linksPerThread: config.linksPerThread,
      clock: monotonicMs,
      visit: (lease) => {
        const { host } = lease;
        const reach = host.hasSeveralOrigins ? host.reachOf(lease.url) : host;
        if (reach.failures > 0) this.#hopeful.add(lease);
        new Visit(lease, this.#stages).begin();
      },
      onOver: (lease) => {
        if (this.#hopeful.size > 0) this.#hopeful.delete(lease);
        if (!this.#isRoundPlanned) this.#planRound();
      },
      onUnavailable: (lease) => this.#stages.logUnavailable(lease),
    });
    this.#places = new ThreadPlaces(config, this.#counters, [this.#loop, this.#parts.addresses]);
    this.#remote = rules.wants.pages
      ? new RemoteHandler((page) => post({ kind: "page", page }))
      : undefined;
    this.#handlers = this.#openHandlers(rules);
    this.#stages = new CrawlerStages({
      ...this.#parts,
      rules,
      handlers: this.#handlers,
      tell: rules.wants.ends ? (told) => post({ kind: "told", told }) : undefined,
      frontier: this.#frontier,
      records: new SendRecords(this.#handOff, config.store !== "none"),
      counters: this.#counters,
      failures: new FailureCounts(memory.failures, thread, FAILURE_CODES),
      latency: new LatencyCounts(memory.latency, thread),
      bytes: byteCount,
      debugLog: config.debug
        ? new DebugLog(debugRingOf(memory, thread + 1), bells.debugLog, this.#counters)
        : undefined,
      isAborting: () => this.#control.mode === MODES.abort,
      ends: this.#loop,
      // A fault in our own code: the thread ends with it, and the supervisor starts another one.
      threw: (fault) =>
        setImmediate(() => {
          throw fault;
        }),
    });
    this.#bell = new LoopDoorbell(bells.crawlers[thread]!, () => this.#round());
  }

  /** The module's handler, then what the main thread does with pages. */
  #openHandlers({ handler, wants, config, memory, thread, hangs }: CrawlerRules) {
    const [own, remote] = [handler?.page, this.#remote?.handler];
    const both = own !== undefined && remote !== undefined ? inTurn(own, remote) : (own ?? remote);
    if (both === undefined) return undefined;
    return new HandlerRunner({
      handler: both,
      reading: readRulesOf(config),
      timeoutMs: wants.paces
        ? Number.POSITIVE_INFINITY
        : (config.handlerTimeoutMs ?? MAX_HANDLER_MS),
      watch: memory.handlers.byteLength > 0 ? new HandlerWatch(memory.handlers, thread) : undefined,
      hangs,
      log: (url, text) => this.#post({ kind: "handlerLog", url, text }),
      clock: monotonicMs,
    });
  }

  /** Reads the shards of this thread, admits their seeds, and reports what there is to do. Nothing runs before `go`. */
  start(ownSeeds: readonly CrawlUrl[]): void {
    // What earlier runs did, which the supervisor reads before anything runs.
    this.#publishFrontier(this.#frontier.stats());
    this.#frontier.open(ownSeeds);
    const { share, pages, bytes } = this.#frontier.stats();
    const facts = this.#frontier.facts();
    this.#post({ kind: "ready", share, pages, bytes, facts, exchanges: this.#exchanges });
    this.#exchanges = [];
  }

  /** What the supervisor sends after the first message. */
  onMessage(message: ToCrawler): void {
    if (message.kind === "go") {
      this.#learn(message.facts);
      for (const change of message.changes) this.#obey(change);
      this.#isRunning = true;
    } else if (message.kind === "facts") this.#learn(message.facts);
    else if (message.kind === "admit")
      this.#loop.admit(message.found, (fresh) =>
        this.#post({ kind: "admitted", number: message.number, fresh }),
      );
    else if (message.kind === "control") {
      this.#obey(message.change);
      this.#post({ kind: "obeyed", number: message.number });
    } else if (message.kind === "places") this.#port.onPlaces(message.places);
    else if (message.kind === "handled") this.#remote?.take(message.reply);
    else if (message.kind === "hangs") this.#handlers?.learn(message.hangs);
    else if (message.kind === "giveUpWaiting") this.#loop.giveUpWaiting();
    else if (message.kind === "rankHosts" || message.kind === "describeHosts") {
      const answer =
        message.kind === "rankHosts"
          ? rankHosts(message.question, this.#hostPlaces)
          : describeHosts(message.names, this.#hostPlaces);
      this.#post({ kind: "hosts", number: message.number, answer });
      return;
    }
    this.#planRound();
  }

  get #hostPlaces(): HostPlaces {
    const { robots } = this.#parts;
    return {
      rows: this.#hosts,
      eachHost: (use) => this.#frontier.eachHost?.(use),
      robotsOf: ({ origin }) => robotsText(robots?.known(origin)),
      nowMs: monotonicMs(),
    };
  }

  #learn(facts: readonly Fact[]): void {
    for (const fact of facts) learnFact(this.#parts, fact);
  }

  /** Obeys a change that somebody made while the crawl runs. */
  #obey(change: ThreadChange): void {
    const { settings, scope } = this.#parts;
    if (change.event === "setLinksPerThread") {
      this.#places.fix(change.linksPerThread);
      return;
    }
    const { host } = change;
    if (change.event === "setHost") settings.set(host, change);
    else {
      settings.block(host);
      scope.block(host);
    }
    this.#frontier.hostChanged?.(host, monotonicMs());
  }

  readonly #onImmediate = (): void => this.#round();

  #planRound(): void {
    if (this.#isRoundPlanned || !this.#isRunning) return;
    this.#isRoundPlanned = true;
    setImmediate(this.#onImmediate);
  }

  #round(): void {
    this.#isRoundPlanned = false;
    if (!this.#isRunning) return;
    this.#bell.awake();
    if (this.#control.mode === MODES.abort) void this.#parts.client.close();
    const startMs = performance.now();
    const lookMs = this.#loop.round();
    this.#counters.add("commitMs", performance.now() - startMs);
    const restMs = this.#builder?.turn() ?? Number.POSITIVE_INFINITY;
    this.#publish();
    if (this.#loop.hasEnded) {
      this.#end();
      return;
    }
    const nowMs = monotonicMs();
    const failed = this.#loop.stats.outcomes[OUTCOME.failed]! + this.#counters.get("retries");
    const { isFull, completed } = this.#loop;
    if (this.#places.adapt(nowMs, isFull, completed, failed)) this.#planRound();
    if (restMs === 0 || lookMs <= nowMs || this.#bell.fallAsleep(this.#work)) this.#planRound();
    else this.#timer.set(Math.min(lookMs, nowMs + restMs, this.#places.lookMs(nowMs)), nowMs);
  }

  #publish(): void {
    const counters = this.#counters;
    const { stats, inFlight } = this.#loop;
    this.#publishFrontier(stats);
    counters.set("foreignBlocks", stats.blocksSent);
    counters.set("maxNextUrls", Math.max(stats.nextUrls, counters.get("maxNextUrls")));
    counters.set("inFlight", inFlight);
    counters.set("maxInFlight", Math.max(inFlight, counters.get("maxInFlight")));
    counters.set("hopeful", this.#hopeful.size);
    counters.set("uncommitted", this.#uncommitted.visits);
    const isFull = this.#handOff.congested || this.#uncommitted.room <= inFlight;
    counters.set("congested", isFull ? 1 : 0);
    counters.set("handedOver", this.#handOff.pages);
    counters.set("robotsFetched", this.#parts.robots?.fetched ?? 0);
  }

  #publishFrontier(stats: FrontierStats): void {
    for (const name of COUNTED_BY_FRONTIER) this.#counters.set(name, stats[name]);
    for (const [name, outcome] of OUTCOME_COUNTERS)
      this.#counters.set(name, stats.outcomes[outcome]!);
  }

  #end(): void {
    this.#isRunning = false;
    this.#handlers?.close();
    this.#timer.clear();
    this.#bell.close();
    this.#postLeft();
    this.#frontier.close();
    void this.#parts.client.close().then(() => {
      if (this.#builder === undefined) this.#post({ kind: "finished" });
      else this.#builder.close(() => this.#post({ kind: "finished" }));
    });
  }

  /** Tells which URLs are left, where no journal does. */
  #postLeft(): void {
    let urls: string[] = [];
    let seeds = 0;
    this.#frontier.left?.(({ url, parent }) => {
      if (parent === undefined) seeds++;
      else if (urls.push(url) === LEFT_AT_ONCE) {
        this.#post({ kind: "left", urls, seeds: 0 });
        urls = [];
      }
    });
    if (urls.length + seeds > 0) this.#post({ kind: "left", urls, seeds });
  }
}
