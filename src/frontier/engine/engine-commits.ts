import type { CrawlUrl } from "../../url/crawl-url.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { UNIT } from "../cash/cash-book.ts";
import type { Discovery } from "../discovery.ts";
import type { Fact } from "../fact.ts";
import type { Finish } from "../finish.ts";
import type { Lease } from "../host.ts";
import type { AdmissionRules } from "../seen/admission-key.ts";
import type { BlockLog } from "./block-log.ts";
import type { SentBlock } from "./ends/doubt-log.ts";
import type { BlockAnswer, Engine, EngineLink, EngineOrder, SettledUrl } from "./engine.ts";
import type { HeldPartition } from "./held-partition.ts";
import { decimalOf, idOf, recordOf } from "./link-record.ts";

/** Links of one block at most: above this a script call costs little per link. */
const MAX_BLOCK_LINKS = 1000;
/** Links that were sent before are not sent again, as far as they are remembered. */
const MAX_REMEMBERED = 200_000;

/** A visit that is over, or a URL that is given up (no `end`). */
export interface EndedVisit {
  readonly lease: Lease;
  readonly end: Finish | undefined;
  readonly partition: HeldPartition;
  /** Its cash, which its links get. */
  readonly cash: number;
}

/** What committing needs of the frontier around it. */
export interface CommitParts {
  readonly rules: AdmissionRules;
  readonly order: EngineOrder;
  readonly hasBudgets: boolean;
  readonly partOf: (hostname: string) => number;
  readonly worker: string;
  /** Runs an answer in the thread's round. */
  readonly post: (answer: () => void) => void;
  /** Facts are durable: the others are to know them. */
  readonly onFacts: (facts: readonly Fact[]) => void;
  /** URLs were new. */
  readonly onFresh: (count: number) => void;
  /** A block of ends is about to leave. */
  readonly onSending: (block: SentBlock, visits: readonly EndedVisit[]) => void;
  /** The engine has accepted these ends, or not. */
  readonly onSettled: (visits: readonly EndedVisit[], isAccepted: boolean) => void;
  readonly onLost: (partition: HeldPartition) => void;
  /** Whether a partition should be this holder's: its links need not wait for the next superstep. */
  readonly isMine: (partition: number) => boolean;
}

/** What a superstep sends: its number, and what becomes of its blocks. */
export interface StepSending {
  readonly step: number;
  /** A block leaves for another holder's partition, or for one of this holder's. */
  readonly onBlock: (partition: number, links: number, bytes: number, isMail: boolean) => void;
  /** So many links of this holder's own partitions were new, so many credits late. */
  readonly onInserted: (fresh: number, late: number) => void;
  /** All blocks have arrived. */
  readonly onSent: () => void;
}

/** Makes ended visits part of the engine: what they found out, then their links, then, when all have arrived, their ends. */
export class EngineCommits {
  readonly #parts: CommitParts;
  #engine: Engine;
  #log: BlockLog;
  #remembered = new Set<string>();
  /** Groups of visits on their way. */
  active = 0;
  /** Blocks sent. */
  blocks = 0;

  constructor(parts: CommitParts, engine: Engine, log: BlockLog) {
    this.#parts = parts;
    this.#engine = engine;
    this.#log = log;
  }

  /** From now on as another holder; what the old one has on its way is still answered. */
  restart(engine: Engine, log: BlockLog): void {
    this.#engine = engine;
    this.#log = log;
    this.#remembered = new Set();
  }

  /** Their records are durable; in a crawl in supersteps, what a step brings. */
  commit(visits: readonly EndedVisit[], sending?: StepSending): void {
    this.active++;
    const facts = visits.flatMap(({ end }) => end?.facts ?? []);
    if (facts.length === 0) {
      this.#insertLinks(visits, sending);
      return;
    }
    const log = this.#log;
    const { worker, post, onFacts } = this.#parts;
    this.#engine.addFacts(
      facts.map((fact) => encodeFact(worker, fact)),
      () =>
        post(() => {
          onFacts(facts);
          if (log === this.#log) this.#insertLinks(visits, sending);
          else this.#giveUp(visits);
        }),
    );
  }

  /** Inserts links that nobody's end waits for; `onDone` when they are durable. */
  insert(found: readonly Discovery[], onDone: () => void): void {
    this.active++;
    const batch = this.#newBatch(() => {
      this.active--;
      onDone();
    });
    for (const one of found) batch.add(one, 0);
    batch.send();
  }

  /** They are another holder's to make by now. */
  #giveUp(visits: readonly EndedVisit[]): void {
    this.active--;
    this.#parts.onSettled(visits, false);
  }

  #insertLinks(visits: readonly EndedVisit[], sending: StepSending | undefined): void {
    const log = this.#log;
    const batch = this.#newBatch(() => {
      if (log !== this.#log) return this.#giveUp(visits);
      sending?.onSent();
      this.#settle(visits);
    }, sending);
    for (const { end, cash } of visits) {
      if (end === undefined) continue;
      const links = Math.max(end.links, end.found.length);
      const share = links === 0 ? 0 : Math.floor(cash / links);
      for (const found of end.found) batch.add(found, share);
    }
    batch.send();
  }

  /** Gathers links by partition and host. */
  #newBatch(onDone: () => void, sending?: StepSending) {
    const { order, partOf, rules, hasBudgets, onFresh, isMine } = this.#parts;
    const remembered = order === "opic" ? undefined : this.#remembered;
    const log = this.#log;
    const byPartition = new Map<number, Map<string, EngineLink[]>>();
    const add = (found: Discovery, credit: number) => {
      const host = hostnameOf(found.url);
      const link = recordOf(found, host, rules);
      if (remembered?.has(link.decimal)) return;
      remembered?.add(link.decimal);
      const partition = partOf(host);
      const hosts = byPartition.get(partition) ?? new Map<string, EngineLink[]>();
      byPartition.set(partition, hosts);
      const links = hosts.get(host) ?? [];
      hosts.set(host, links);
      const bonus = order === "opic" && isMinted(found) ? UNIT : 0;
      links.push({ ...link, credit, bonus });
    };
    const send = () => {
      if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.clear();
      const blocks = [...byPartition].flatMap(([partition, hosts]) =>
        cut(hosts).map((some) => ({ partition, hosts: some })),
      );
      let waiting = blocks.length;
      if (waiting === 0) return onDone();
      for (const { partition, hosts } of blocks) {
        const withSites = hosts.map(({ host, links }) => {
          return { host, site: hasBudgets ? siteOf(host) : "", links };
        });
        this.blocks++;
        const isMail = sending !== undefined && !isMine(partition);
        const step = isMail ? { step: sending.step } : {};
        const block = { kind: "insert", partition, hosts: withSites, ...step } as const;
        const all = hosts.flatMap(({ links }) => links);
        const bytes = all.reduce((sum, { record }) => sum + record.length, 0);
        sending?.onBlock(partition, all.length, bytes, isMail);
        this.#send(log, block, (answer) => {
          if (answer.kind === "inserted" && log === this.#log) {
            onFresh(answer.fresh);
            sending?.onInserted(answer.fresh, answer.late);
            if (answer.woke) this.#engine.wake(partition);
          }
          if (--waiting === 0) onDone();
        });
      }
    };
    return { add, send };
  }

  #settle(visits: readonly EndedVisit[]): void {
    const byPartition = new Map<HeldPartition, EndedVisit[]>();
    for (const visit of visits) {
      const some = byPartition.get(visit.partition) ?? [];
      byPartition.set(visit.partition, some);
      some.push(visit);
    }
    let waiting = byPartition.size;
    if (waiting === 0) this.active--;
    const done = (some: readonly EndedVisit[], isAccepted: boolean) => {
      this.#parts.onSettled(some, isAccepted);
      if (--waiting === 0) this.active--;
    };
    for (const [partition, some] of byPartition) {
      if (partition.isLost) {
        done(some, false);
        continue;
      }
      const notes = [...partition.notes];
      partition.notes = new Map();
      const urls = some.map((visit) => this.#ended(visit));
      const { number, token } = partition;
      const block = { kind: "settle", partition: number, token, urls, notes } as const;
      const { holder } = this.#engine;
      this.#send(
        this.#log,
        block,
        (answer) => {
          if (answer.kind === "late") this.#parts.onLost(partition);
          done(some, answer.kind !== "late");
        },
        (count) => this.#parts.onSending({ holder, partition: number, number: count, token }, some),
      );
    }
  }

  #ended({ lease, end }: EndedVisit): SettledUrl {
    const id = idOf(lease.low, lease.high);
    const site = this.#parts.hasBudgets ? siteOf(lease.host.name) : "";
    return { id, decimal: decimalOf(id), outcome: end?.outcome ?? 0, site };
  }

  #send(
    log: BlockLog,
    block: Parameters<BlockLog["send"]>[0],
    onAnswer: (answer: BlockAnswer) => void,
    onNumbered?: (number: number) => void,
  ): void {
    log.send(block, (answer) => this.#parts.post(() => onAnswer(answer)), onNumbered);
  }
}

/** A seed, or the home page of a host, begins with a unit of cash. */
function isMinted({ via, url }: Discovery): boolean {
  return via === "seed" || url.indexOf("/", "https://".length) === url.length - 1;
}

/** Blocks of at most `MAX_BLOCK_LINKS` links. */
function cut(hosts: ReadonlyMap<string, EngineLink[]>): { host: string; links: EngineLink[] }[][] {
  const blocks: { host: string; links: EngineLink[] }[][] = [];
  let room = 0;
  for (const [host, all] of hosts) {
    for (let from = 0; from < all.length; ) {
      if (room === 0) {
        blocks.push([]);
        room = MAX_BLOCK_LINKS;
      }
      const links = all.slice(from, from + room);
      blocks.at(-1)!.push({ host, links });
      from += links.length;
      room -= links.length;
    }
  }
  return blocks;
}

/** A fact as all workers read it: who found it out, its kind, its bytes. */
function encodeFact(worker: string, { kind, bytes }: Fact): Buffer {
  return Buffer.concat([Buffer.from(`${worker} ${kind} `), bytes]);
}

/** Reads a fact. */
export function decodeFact(text: Buffer): { worker: string; fact: Fact } {
  const first = text.indexOf(" ");
  const second = text.indexOf(" ", first + 1);
  const kind = Number(text.toString("latin1", first + 1, second));
  return {
    worker: text.toString("latin1", 0, first),
    fact: { kind, bytes: Uint8Array.from(text.subarray(second + 1)) },
  };
}

/** Seeds as found links. */
export function seedsOf(urls: readonly CrawlUrl[]): Discovery[] {
  return urls.map((url) => {
    return { url, parent: undefined, depth: 0, via: "seed", seed: true, chain: [] };
  });
}
