import type { CrawlUrl } from "../../url/crawl-url.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { UNIT } from "../cash/cash-book.ts";
import type { Discovery } from "../discovery.ts";
import type { Fact } from "../fact.ts";
import type { Finish } from "../finish.ts";
import type { Lease } from "../host.ts";
import type { AdmissionRules } from "../seen/admission-key.ts";
import type { BlockLog, NewBlock } from "./block-log.ts";
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
  /** It had accepted them, lost that with its last writes, and gave their partition to another before it was told again. */
  readonly onRevoked: (visits: readonly EndedVisit[]) => void;
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

/** Links on their way to one partition, and the visits that may not end before they have arrived. */
interface Parcel {
  blocks: number;
  /** Undefined when everything has arrived. */
  waiting: Set<UnsentVisit> | undefined;
}

/** A visit whose end may not be sent while links that it found are on their way. */
interface UnsentVisit {
  readonly visit: EndedVisit;
  /** Of the holder under whose name it was made. */
  readonly log: BlockLog;
  parcels: number;
}

/**
 * Makes ended visits part of the engine: what they found out, then their links, then, when these have arrived, their ends.
 * Each visit waits for its own links alone, so that a server that does not answer holds up only the pages that link there.
 */
export class EngineCommits {
  readonly #parts: CommitParts;
  #engine: Engine;
  #log: BlockLog;
  /** Links that were sent, and with what. */
  #remembered = new Map<string, Parcel>();
  /** Visits all of whose links have arrived. */
  #ready: UnsentVisit[] = [];
  /** Partitions with notes of hosts that have not been sent. */
  readonly #noted = new Set<HeldPartition>();
  /** Visits, and blocks of links that nobody's end waits for, on their way. */
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
    this.#remembered = new Map();
  }

  /** Their records are durable; in a crawl in supersteps, what a step brings. */
  commit(visits: readonly EndedVisit[], sending?: StepSending): void {
    this.active += visits.length;
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
          else this.#done(visits, false);
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

  /** There is something to tell about hosts of a partition: it must not wait for the next page of theirs. */
  noted(partition: HeldPartition): void {
    this.#noted.add(partition);
  }

  /** Sends the ends of visits whose links have arrived, in blocks, and notes of hosts; called once in a round. */
  flush(): void {
    if (this.#ready.length > 0) this.#sendReady();
    for (const partition of this.#noted)
      if (partition.notes.size > 0 && !partition.isLost) this.#sendEnds(partition, []);
    this.#noted.clear();
  }

  #sendReady(): void {
    const ready = this.#ready;
    this.#ready = [];
    // Of a holder that was given up, they are another's to make by now.
    const late = ready.filter(({ log }) => log !== this.#log).map(({ visit }) => visit);
    if (late.length > 0) this.#done(late, false);
    this.#settle(ready.filter(({ log }) => log === this.#log).map(({ visit }) => visit));
  }

  #done(visits: readonly EndedVisit[], isAccepted: boolean): void {
    this.active -= visits.length;
    this.#parts.onSettled(visits, isAccepted);
  }

  #insertLinks(visits: readonly EndedVisit[], sending: StepSending | undefined): void {
    const log = this.#log;
    const batch = this.#newBatch(() => {
      if (log === this.#log) sending?.onSent();
    }, sending);
    const unsent = visits.map((visit): UnsentVisit => ({ visit, log, parcels: 0 }));
    for (const one of unsent) {
      const { end, cash } = one.visit;
      if (end === undefined) continue;
      const links = Math.max(end.links, end.found.length);
      const share = links === 0 ? 0 : Math.floor(cash / links);
      for (const found of end.found) batch.add(found, share, one);
    }
    this.#ready.push(...unsent.filter(({ parcels }) => parcels === 0));
    batch.send();
  }

  /** Gathers links by partition and host. */
  #newBatch(onDone: () => void, sending?: StepSending) {
    const { order, partOf, rules, hasBudgets, onFresh, isMine } = this.#parts;
    const remembered = order === "opic" ? undefined : this.#remembered;
    const log = this.#log;
    const byPartition = new Map<number, Map<string, EngineLink[]>>();
    const parcels = new Map<number, Parcel>();
    const add = (found: Discovery, credit: number, visit?: UnsentVisit) => {
      const host = hostnameOf(found.url);
      const link = recordOf(found, host, rules);
      const known = remembered?.get(link.decimal);
      if (known !== undefined) {
        waitFor(visit, known);
        return;
      }
      const partition = partOf(host);
      const parcel = parcels.get(partition) ?? { blocks: 0, waiting: new Set() };
      parcels.set(partition, parcel);
      waitFor(visit, parcel);
      remembered?.set(link.decimal, parcel);
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
      for (const { partition } of blocks) parcels.get(partition)!.blocks++;
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
          this.#arrived(parcels.get(partition)!);
          if (--waiting === 0) onDone();
        });
      }
    };
    return { add, send };
  }

  /** A block of it has arrived. */
  #arrived(parcel: Parcel): void {
    if (--parcel.blocks > 0) return;
    for (const visit of parcel.waiting!) if (--visit.parcels === 0) this.#ready.push(visit);
    parcel.waiting = undefined;
  }

  #settle(visits: readonly EndedVisit[]): void {
    const byPartition = new Map<HeldPartition, EndedVisit[]>();
    for (const visit of visits) {
      const some = byPartition.get(visit.partition) ?? [];
      byPartition.set(visit.partition, some);
      some.push(visit);
    }
    for (const [partition, some] of byPartition)
      if (partition.isLost) this.#done(some, false);
      else this.#sendEnds(partition, some);
  }

  #sendEnds(partition: HeldPartition, visits: readonly EndedVisit[]): void {
    const notes = [...partition.notes];
    partition.notes = new Map();
    const urls = visits.map((visit) => this.#ended(visit));
    const { number, token } = partition;
    const block = { kind: "settle", partition: number, token, urls, notes } as const;
    const { holder } = this.#engine;
    this.#log.send(block, {
      onNumbered: (count) =>
        this.#parts.onSending({ holder, partition: number, number: count, token }, visits),
      onAnswer: (answer) =>
        this.#parts.post(() => {
          if (answer.kind === "late") this.#parts.onLost(partition);
          this.#done(visits, answer.kind !== "late");
        }),
      onRevoked: () => this.#parts.post(() => this.#parts.onRevoked(visits)),
    });
  }

  #ended({ lease, end }: EndedVisit): SettledUrl {
    const id = idOf(lease.low, lease.high);
    const site = this.#parts.hasBudgets ? siteOf(lease.host.name) : "";
    return { id, decimal: decimalOf(id), outcome: end?.outcome ?? 0, site };
  }

  #send(log: BlockLog, block: NewBlock, onAnswer: (answer: BlockAnswer) => void): void {
    log.send(block, { onAnswer: (answer) => this.#parts.post(() => onAnswer(answer)) });
  }
}

/** A visit does not end before these links have arrived. */
function waitFor(visit: UnsentVisit | undefined, { waiting }: Parcel): void {
  if (visit === undefined || waiting === undefined || waiting.has(visit)) return;
  waiting.add(visit);
  visit.parcels++;
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
