import type {
  Arrival,
  BarrierAnswer,
  BeatAnswer,
  BlockAnswer,
  Chill,
  Claim,
  ClaimAnswer,
  ColdLinks,
  EngineOrder,
  Extract,
  ExtractAnswer,
  ExtractedHost,
  FloorAnswer,
  FloorCall,
  InsertBlock,
  Pack,
  PartitionCounts,
  PermitAnswer,
  PermitTotals,
  SettleBlock,
  StepAnswer,
  StepWanted,
  Unpack,
} from "../../frontier/engine/engine.ts";

interface Waiting {
  readonly id: string;
  readonly record: Buffer;
  cash: number;
}

interface Out extends Waiting {
  readonly host: string;
}

/** What the model keeps of one partition, in plain maps. */
class ModelPartition {
  inserted: number | undefined;
  settled = 0;
  pages = 0;
  late = 0;
  abandoned = 0;
  counter = 0;
  holder: string | undefined;
  token: string | undefined;
  expMs = 0;
  run: string | undefined;
  quietMs = 0;
  isFrozen = false;
  turn = 0;
  readonly reached = new Map<string, number>();
  /** First block of a producer under a lease that it had lost. */
  readonly lateFrom = new Map<string, number>();
  readonly pagesOf = new Map<string, number>();
  readonly seen = new Set<string>();
  readonly queues = new Map<string, Waiting[]>();
  /** Hosts that can be extracted, by their score. */
  readonly ready = new Map<string, number>();
  readonly engaged = new Set<string>();
  readonly out = new Map<string, Out>();
  readonly gone = new Set<string>();
  readonly notes = new Map<string, string>();
  /** What is kept by name. */
  readonly kept = new Map<string, Uint8Array>();
  readonly siteOf = new Map<string, string>();
  readonly sitePages = new Map<string, number>();
  posted = 0;
  readonly inbox: { readonly producer: string; readonly block: InsertBlock }[] = [];

  constructor(other?: ModelPartition) {
    if (other === undefined) return;
    Object.assign(
      this,
      structuredClone({ ...other, queues: undefined, out: undefined, inbox: undefined }),
    );
    this.inbox = [...other.inbox];
    this.queues = new Map([...other.queues].map(([host, urls]) => [host, urls.map(copy)]));
    this.out = new Map([...other.out].map(([id, url]) => [id, { ...url }]));
  }
}

interface ModelAddress {
  holder: string | undefined;
  expMs: number;
  freeMs: number;
  turn: number;
  isWanted: boolean;
}

const copy = (url: Waiting): Waiting => ({ ...url });

/** The barrier of a crawl in supersteps. */
interface Barrier {
  step: number;
  /** Who has arrived, and how much it did. */
  readonly at: Map<string, number>;
  readonly mail: Set<number>;
  balance: number;
  /** Partitions that were sent blocks in the last step. */
  read: readonly number[];
}

/** Settings of the model, which are those of a crawl. */
export interface ModelRules {
  readonly partitions: number;
  readonly order: EngineOrder;
  readonly leaseMs: number;
  readonly maxPages?: number | undefined;
}

// Longer than 400 lines because it is all scripts side by side, as the engine has them.

/**
 * What the scripts do, in plain TypeScript, for the explorer, for contract tests without a server, and for random traces
 * that a real server must answer alike. The clock is `nowMs`, which whoever uses the model moves.
 */
export class ScriptModel {
  readonly rules: ModelRules;
  nowMs = 1;
  run = "run1";
  partitions: ModelPartition[];
  members = new Map<string, { atMs: number; about: string }>();
  /** The run in which members were last heard, and when that was first. */
  heard = { run: "", sinceMs: 0 };
  dead = new Set<string>();
  facts: Buffer[] = [];
  /** What it says of its memory. */
  usedBytes = 0;
  permitsLeft: number;
  pages = 0;
  totals = new Map<string, { granted: number; returned: number; spent: number }>();
  /** Addresses by name; here all of them belong to the first partition. */
  addresses = new Map<string, ModelAddress>();
  /** Who waits until everything up to now is on disk. */
  syncWaiters: ((life: string | undefined) => void)[] = [];
  /** Called with each partition that somebody woke. */
  readonly wakers: ((partition: number) => void)[] = [];
  /** Called with the number of a step: above 0 when somebody has arrived at its barrier, below when that is open. */
  readonly callers: ((step: number) => void)[] = [];
  barrier: Barrier = { step: 1, at: new Map(), mail: new Set(), balance: 1, read: [] };

  constructor(rules: ModelRules) {
    this.rules = rules;
    this.permitsLeft = rules.maxPages ?? 0;
    this.partitions = Array.from({ length: rules.partitions }, () => new ModelPartition());
    this.found();
  }

  /** Every partition knows its run, as it does when a crawl begins. */
  found(): void {
    for (const one of this.partitions) one.run = this.run;
  }

  /** Everything as it is now, to come back to with `restart`: what an engine without its last writes knows. */
  snapshot(): Partial<ScriptModel> {
    return {
      partitions: this.partitions.map((one) => new ModelPartition(one)),
      members: new Map(this.members),
      heard: this.heard,
      dead: new Set(this.dead),
      facts: [...this.facts],
      addresses: new Map([...this.addresses].map(([name, one]) => [name, { ...one }])),
      permitsLeft: this.permitsLeft,
      pages: this.pages,
      totals: new Map([...this.totals].map(([name, one]) => [name, { ...one }])),
      barrier: {
        ...this.barrier,
        at: new Map(this.barrier.at),
        mail: new Set(this.barrier.mail),
      },
    };
  }

  /** The engine begins a new run with an older state. */
  restart(state: Partial<ScriptModel>, run: string): void {
    Object.assign(this, state);
    this.run = run;
    for (const waiter of this.syncWaiters.splice(0)) waiter(undefined);
  }

  /** Calls back when everything that was answered so far is on disk: with `sync`. */
  synced(onAnswer: (life: string | undefined) => void): void {
    this.syncWaiters.push(onAnswer);
  }

  /** The same, for a holder that leaves. */
  flushed(_holder: string, onAnswer: (life: string | undefined) => void): void {
    this.synced(onAnswer);
  }

  /** Everything is on disk. */
  sync(): void {
    for (const waiter of this.syncWaiters.splice(0)) waiter(this.run);
  }

  claim(holder: string, { partition, token }: Claim): ClaimAnswer {
    const at = this.partitions[partition]!;
    const { leaseMs } = this.rules;
    const now = this.nowMs;
    if (at.isFrozen) return { kind: "frozen" };
    this.#noteRun(at);
    if (at.inserted === undefined && at.inbox.length === 0) return { kind: "empty" };
    if (token !== "" && at.token === token && at.holder === holder) {
      at.expMs = now + leaseMs;
      return { kind: "claimed", token, moved: false };
    }
    if (now < at.quietMs) {
      const before = token === "" ? -1 : Number.parseInt(token, 10);
      if (before < at.counter) return { kind: "quiet", leftMs: at.quietMs - now };
      Object.assign(at, { holder, token, counter: before, expMs: now + leaseMs });
      return { kind: "claimed", token, moved: false };
    }
    if (token === "" && at.holder === holder && at.expMs > now) {
      at.expMs = now + leaseMs;
      return { kind: "claimed", token: at.token!, moved: false };
    }
    if (at.holder !== undefined && at.holder !== holder && at.expMs > now)
      return { kind: "held", holder: at.holder, leftMs: at.expMs - now };
    if (at.inbox.length === 0 && at.inserted === at.settled) return { kind: "empty" };
    this.#requeue(at);
    const moved = at.counter > 0;
    const mine = `${++at.counter}-${this.run}`;
    Object.assign(at, { holder, token: mine, expMs: now + leaseMs });
    return { kind: "claimed", token: mine, moved };
  }

  extract({ partition, token, hosts, perHost, refills, again }: Extract): ExtractAnswer {
    const at = this.partitions[partition]!;
    if (at.token !== token) return { kind: "lost" };
    if (at.isFrozen) return { kind: "frozen" };
    at.expMs = this.nowMs + this.rules.leaseMs;
    const answer: ExtractedHost[] = [];
    const tell = (host: string, urls: readonly Waiting[]) =>
      answer.push(this.#told(at, host, urls, at.queues.has(host)));
    if (again) {
      const byHost = new Map<string, Out[]>();
      for (const out of at.out.values())
        byHost.set(out.host, [...(byHost.get(out.host) ?? []), out]);
      for (const host of at.engaged) byHost.set(host, byHost.get(host) ?? []);
      for (const [host, urls] of byHost) tell(host, urls);
    }
    const hand = (host: string, count: number) => {
      let isCold = false;
      const urls: Waiting[] = [];
      const queue = at.queues.get(host) ?? [];
      while (urls.length < count && queue.length > 0) {
        const next = this.#shift(queue);
        isCold = isPacked(next.record);
        if (!isCold && at.gone.delete(next.id)) continue;
        at.out.set(next.id, { ...next, host });
        urls.push(next);
        if (isCold) break;
      }
      if (queue.length === 0) at.queues.delete(host);
      if (at.queues.has(host) || isCold) at.engaged.add(host);
      else at.engaged.delete(host);
      at.ready.delete(host);
      answer.push(this.#told(at, host, urls, at.queues.has(host) && !isCold));
    };
    for (const [host, count] of refills) hand(host, count);
    for (const host of byScore(at.ready).slice(0, hosts)) hand(host, perHost);
    return { kind: "extracted", left: at.ready.size, hosts: answer };
  }

  send(producer: string, block: InsertBlock | SettleBlock): BlockAnswer {
    const at = this.partitions[block.partition]!;
    if (at.isFrozen) return { kind: "frozen" };
    const reached = at.reached.get(producer) ?? 0;
    if (block.number <= reached) return this.#repeated(at, producer, block, reached);
    if (block.number > reached + 1) return { kind: "gap", reached };
    at.reached.set(producer, block.number);
    if (block.kind === "settle") return this.#settle(at, producer, block);
    if (block.step === undefined) {
      const wasEmpty = at.ready.size === 0;
      const { fresh, late } = this.#insert(at, block, 0);
      return { kind: "inserted", fresh, woke: wasEmpty && at.ready.size > 0, late };
    }
    at.posted++;
    at.inbox.push({ producer, block });
    return { kind: "inserted", fresh: 0, woke: false, late: 0 };
  }

  step(holder: string, wanted: StepWanted): StepAnswer {
    const { partition, token, step, level } = wanted;
    const at = this.partitions[partition]!;
    if (at.token !== token) return { kind: "lost" };
    if (at.isFrozen) return { kind: "frozen" };
    at.expMs = this.nowMs + this.rules.leaseMs;
    const received = { blocks: 0, links: 0, fresh: 0, lateOwn: 0, lateForeign: 0, missed: 0 };
    while (at.inbox.length > 0 && at.inbox[0]!.block.step! < step) {
      const { producer, block } = at.inbox.shift()!;
      const { links, fresh, late, lifted } = this.#insert(at, block, level);
      received.blocks++;
      received.links += links;
      received.fresh += fresh;
      if (producer === holder) received.lateOwn += late;
      else {
        received.lateForeign += late;
        received.missed += lifted;
      }
    }
    return { kind: "stepped", received, ...this.#top(at, wanted) };
  }

  /** The best URLs, one by one; the scripts take several of a host at a time where that is the same. */
  #top(at: ModelPartition, { urls, perHost, floor, full }: StepWanted) {
    const { order } = this.rules;
    const taken = new Map<string, Waiting[]>();
    const isFull = (host: string) =>
      full.includes(host) || (taken.get(host)?.length ?? 0) >= perHost;
    const first = () => byScore(at.ready).find((host) => !isFull(host));
    let left = urls;
    for (let host = first(); left > 0 && host !== undefined; host = first()) {
      if (order === "opic" && -at.ready.get(host)! < floor) break;
      const some = taken.get(host) ?? [];
      taken.set(host, some);
      const queue = at.queues.get(host) ?? [];
      const most = Math.min(left, perHost - some.length);
      let isCold = false;
      for (let count = order === "opic" ? 1 : most; count > 0; count--) {
        if (queue.length === 0) break;
        const next = this.#shift(queue);
        isCold = isPacked(next.record);
        if (!isCold && at.gone.delete(next.id)) continue;
        at.out.set(next.id, { ...next, host });
        some.push(next);
        left--;
        if (isCold) break;
      }
      if (queue.length === 0) at.queues.delete(host);
      if (isCold) {
        at.ready.delete(host);
        at.engaged.add(host);
      } else if (queue.length === 0) {
        at.ready.delete(host);
      } else if (order === "opic") at.ready.set(host, -Math.max(...queue.map(({ cash }) => cash)));
      else if (order === "bfs") at.ready.set(host, ++at.turn);
    }
    const next = first();
    return {
      left: at.ready.size,
      best: order === "opic" && next !== undefined ? -at.ready.get(next)! : 0,
      hosts: [...taken].map(([host, some]) => this.#told(at, host, some, false)),
    };
  }

  arrive(holder: string, { step, work, mail }: Arrival): BarrierAnswer {
    const { barrier } = this;
    if (step > barrier.step) {
      barrier.step = step;
      barrier.at.clear();
      barrier.mail.clear();
    }
    const sinceMs = this.#heardSince();
    const isAway = ([name, { atMs }]: [string, { atMs: number }]) =>
      this.nowMs - Math.max(sinceMs, atMs) <= this.rules.leaseMs && !barrier.at.has(name);
    let waits = 0;
    if (step === barrier.step) {
      const isFirst = barrier.at.size === 0;
      if (!barrier.at.has(holder)) {
        barrier.at.set(holder, work);
        for (const partition of mail) barrier.mail.add(partition);
      }
      waits = [...this.members].filter(isAway).length;
      if (isFirst) this.#call(step);
      if (waits === 0 && step === barrier.step) {
        const works = [...barrier.at.values()];
        const most = Math.max(...works);
        const mean = works.reduce((sum, one) => sum + one, 0) / works.length;
        barrier.balance = most === 0 ? 1 : Math.floor((1000 * mean) / most) / 1000;
        barrier.read = [...barrier.mail];
        barrier.step++;
        barrier.at.clear();
        barrier.mail.clear();
        this.#call(-step);
      }
    }
    return { step: barrier.step, waits, balance: barrier.balance, mail: barrier.read };
  }

  chill({ partition, token, keep, most, least, known }: Chill): ColdLinks | undefined {
    const at = this.partitions[partition]!;
    if (at.token !== token || at.isFrozen) return undefined;
    const isDfs = this.rules.order === "dfs";
    for (const host of [...at.engaged, ...byScore(at.ready).reverse()]) {
      const queue = at.queues.get(host) ?? [];
      const from = known.get(host) ?? (isDfs ? 0 : keep);
      const room = queue.length - from - (isDfs ? keep : 0);
      if (room < least) continue;
      const links = queue.slice(from, from + Math.min(room, most)).map(({ record }) => record);
      return { host, from, links };
    }
    return undefined;
  }

  pack({ partition, token, host, from, links, packed }: Pack): boolean {
    const at = this.partitions[partition]!;
    const queue = at.queues.get(host) ?? [];
    const isThere = (record: Buffer, place: number) => queue[place]?.record.equals(record) ?? false;
    if (at.token !== token || at.isFrozen) return false;
    if (!isThere(links[0]!, from) || !isThere(links.at(-1)!, from + links.length - 1)) return false;
    const id = packed.toString("latin1", 0, 8);
    queue.splice(from, links.length, { id, record: packed, cash: 0 });
    return true;
  }

  unpack({ partition, token, host, id, links }: Unpack): boolean {
    const at = this.partitions[partition]!;
    if (at.token !== token) return false;
    const key = id.toString("latin1");
    if (!at.out.has(key) || !isPacked(at.out.get(key)!.record)) return true;
    at.out.delete(key);
    const urls = links.map((record) => {
      return { id: record.toString("latin1", 0, 8), record, cash: 0 };
    });
    const queue = at.queues.get(host) ?? [];
    at.queues.set(host, this.rules.order === "dfs" ? [...queue, ...urls] : [...urls, ...queue]);
    at.engaged.delete(host);
    this.#show(at, host, 0);
    return true;
  }

  #call(step: number): void {
    for (const caller of this.callers) caller(step);
  }

  #told(
    at: ModelPartition,
    host: string,
    urls: readonly Waiting[],
    hasMore: boolean,
  ): ExtractedHost {
    return {
      host,
      note: at.notes.get(host) ?? "",
      sitePages: at.sitePages.get(at.siteOf.get(host) ?? "") ?? 0,
      hasMore,
      urls: urls.map(({ cash, record }) => ({ cash, record })),
    };
  }

  release({ partition, token }: Claim): void {
    const at = this.partitions[partition]!;
    if (at.token === token) this.#free(at);
  }

  fence(partition: number, holder: string): number | undefined {
    const at = this.partitions[partition]!;
    if (at.holder === holder && at.expMs > this.nowMs) return undefined;
    if (at.holder === holder) this.#free(at);
    return at.pagesOf.get(holder) ?? 0;
  }

  floor({ kind, address, holder, turn, ms, had, gone }: FloorCall): FloorAnswer {
    const at = this.partitions[0]!;
    const now = this.nowMs;
    const { leaseMs } = this.rules;
    if (at.isFrozen) return { kind: "held", holder: "" };
    const known = this.addresses.get(address);
    const isMine = known?.holder === holder;
    if (kind === "give") {
      if (isMine && known.turn === turn)
        Object.assign(known, { holder: undefined, freeMs: now + ms, isWanted: false });
      return { kind: "given" };
    }
    const isHeld = known?.holder !== undefined && known.holder !== gone && known.expMs > now;
    let freeMs = known?.freeMs ?? 0;
    if (!(isHeld && isMine && had && known.turn === turn)) {
      this.#noteRun(at);
      if (at.quietMs > 0 && now < at.quietMs + leaseMs) {
        if (!had) return { kind: "held", holder: "" };
      } else if (isHeld && !isMine) {
        known.isWanted = true;
        return { kind: "held", holder: known.holder! };
      } else if (known?.holder !== undefined && !isMine) freeMs = Math.max(freeMs, now + ms);
    }
    const isWanted = known?.isWanted ?? false;
    this.addresses.set(address, { holder, expMs: now + 2 * leaseMs, freeMs, turn, isWanted });
    return { kind: "own", waitMs: Math.max(0, freeMs - now), isWanted };
  }

  beat(holder: string, about: string, isLeaving: boolean): BeatAnswer {
    const nowMs = this.nowMs;
    if (this.dead.has(holder)) return { nowMs, run: "dead", facts: 0, members: [] };
    if (isLeaving) this.members.delete(holder);
    else this.members.set(holder, { atMs: nowMs, about });
    const sinceMs = this.#heardSince();
    const members = [...this.members].map(([name, sign]) => {
      return { holder: name, ageMs: nowMs - Math.max(sinceMs, sign.atMs), about: sign.about };
    });
    return { nowMs, run: this.run, facts: this.facts.length, members };
  }

  permits(holder: string, said: PermitTotals, wanted: number): PermitAnswer {
    if (this.dead.has(holder)) return { granted: said.granted, left: 0, pages: this.pages };
    const known = this.totals.get(holder) ?? { granted: 0, returned: 0, spent: 0 };
    const gain = (name: "granted" | "returned" | "spent") => {
      const more = Math.max(0, said[name] - known[name]);
      known[name] += more;
      return more;
    };
    this.totals.set(holder, known);
    this.permitsLeft -= gain("granted");
    this.permitsLeft += gain("returned");
    this.pages += gain("spent");
    if (known.granted === said.granted) {
      const more = Math.max(0, Math.min(wanted, this.permitsLeft));
      known.granted += more;
      this.permitsLeft -= more;
    }
    return { granted: known.granted, left: this.permitsLeft, pages: this.pages };
  }

  bury(holder: string, pages: number): void {
    const known = this.totals.get(holder);
    // Who was granted nothing has nothing to give back, and nothing that it settled.
    if (known !== undefined && known.granted > 0) {
      this.permitsLeft += known.granted - known.returned - pages;
      this.pages += pages - known.spent;
    }
    this.totals.delete(holder);
    this.members.delete(holder);
    this.dead.add(holder);
  }

  counts(holder: string): PartitionCounts[] {
    return this.partitions.map((at) => {
      if (at.isFrozen)
        return {
          ...{ inserted: 0, settled: 0, reached: 0, posted: 0, unread: 0 },
          ...{ isSure: false, run: "" },
        };
      this.#noteRun(at);
      const isSure = this.nowMs >= at.quietMs;
      const { inserted = 0, settled, posted, inbox } = at;
      const reached = at.reached.get(holder) ?? 0;
      return { inserted, settled, reached, isSure, posted, unread: inbox.length, run: this.run };
    });
  }

  /** Silence while the engine was away does not count. */
  #heardSince(): number {
    if (this.heard.run !== this.run) this.heard = { run: this.run, sinceMs: this.nowMs };
    return this.heard.sinceMs;
  }

  #noteRun(at: ModelPartition): void {
    if (at.run === this.run) return;
    at.run = this.run;
    at.quietMs = this.nowMs + this.rules.leaseMs;
  }

  #insert(at: ModelPartition, { hosts }: InsertBlock, level: number) {
    const { order } = this.rules;
    const counts = { links: 0, fresh: 0, late: 0, lifted: 0 };
    for (const { host, site, links } of hosts) {
      let best: number | undefined;
      let isNew = false;
      counts.links += links.length;
      for (const { id: bytes, decimal, credit, bonus, record } of links) {
        const id = bytes.toString("latin1");
        if (!at.seen.has(decimal)) {
          at.seen.add(decimal);
          const cash = order === "opic" ? credit + bonus : 0;
          this.#put(at, host, { id, record, cash }, false);
          best = Math.min(best ?? 0, -(credit + bonus));
          counts.fresh++;
          if (credit + bonus >= level) counts.lifted++;
          isNew = true;
        } else if (order === "opic" && credit > 0) {
          const waiting = at.queues.get(host)?.find((one) => one.id === id);
          if (waiting === undefined) {
            counts.late++;
            continue;
          }
          waiting.cash += credit;
          if (waiting.cash >= level && waiting.cash - credit < level) counts.lifted++;
          best = Math.min(best ?? 0, -waiting.cash);
        }
      }
      if (best !== undefined) this.#show(at, host, best);
      if (isNew && site !== "") at.siteOf.set(host, site);
    }
    if (counts.fresh > 0) at.inserted = (at.inserted ?? 0) + counts.fresh;
    return counts;
  }

  #repeated(
    at: ModelPartition,
    producer: string,
    block: InsertBlock | SettleBlock,
    reached: number,
  ): BlockAnswer {
    if (block.kind === "insert") return { kind: "known", reached };
    const from = at.lateFrom.get(`${producer} ${block.token}`) ?? Number.POSITIVE_INFINITY;
    if (block.number < from) return { kind: "known", reached };
    return { kind: "late", urls: block.urls.length };
  }

  #settle(
    at: ModelPartition,
    holder: string,
    { number, token, urls, notes }: SettleBlock,
  ): BlockAnswer {
    if (at.token !== token) {
      const lease = `${holder} ${token}`;
      if (!at.lateFrom.has(lease)) at.lateFrom.set(lease, number);
      at.late += urls.length;
      return { kind: "late", urls: urls.length };
    }
    for (const [host, note] of notes) at.notes.set(host, note);
    let accepted = 0;
    for (const { id: bytes, decimal, outcome, site } of urls) {
      const id = bytes.toString("latin1");
      if (!at.out.delete(id)) {
        if (at.seen.has(decimal)) {
          if (at.gone.has(id)) continue;
          at.gone.add(id);
        } else {
          at.seen.add(decimal);
          at.inserted = (at.inserted ?? 0) + 1;
        }
      }
      accepted++;
      if (outcome === 0) at.abandoned++;
      if (outcome !== 1) continue;
      at.pages++;
      at.pagesOf.set(holder, (at.pagesOf.get(holder) ?? 0) + 1);
      if (site !== "") at.sitePages.set(site, (at.sitePages.get(site) ?? 0) + 1);
    }
    at.settled += accepted;
    return { kind: "settled", accepted };
  }

  #free(at: ModelPartition): void {
    this.#requeue(at);
    Object.assign(at, { holder: undefined, token: undefined, expMs: 0 });
  }

  #requeue(at: ModelPartition): void {
    for (const out of at.out.values()) {
      this.#put(at, out.host, { id: out.id, record: out.record, cash: out.cash }, true);
      at.out.delete(out.id);
      this.#show(at, out.host, -out.cash);
    }
    const engaged = [...at.engaged];
    at.engaged.clear();
    for (const host of engaged) {
      const queue = at.queues.get(host);
      if (queue !== undefined) this.#show(at, host, -Math.max(...queue.map(({ cash }) => cash)));
    }
  }

  #put(at: ModelPartition, host: string, url: Waiting, isFirst: boolean): void {
    const queue = at.queues.get(host) ?? [];
    at.queues.set(host, queue);
    if (isFirst && this.rules.order === "bfs") queue.unshift(url);
    else queue.push(url);
  }

  #show(at: ModelPartition, host: string, score: number): void {
    if (at.engaged.has(host)) return;
    const { order } = this.rules;
    const known = at.ready.get(host);
    if (order === "opic") at.ready.set(host, Math.min(known ?? score, score));
    else if (order === "dfs") at.ready.set(host, -++at.turn);
    else at.ready.set(host, known ?? ++at.turn);
  }

  /** The next of a host: the first, the last, or the one with most cash. */
  #shift(queue: Waiting[]): Waiting {
    const { order } = this.rules;
    if (order === "bfs") return queue.shift()!;
    if (order === "dfs") return queue.pop()!;
    let best = 0;
    for (const [i, one] of queue.entries()) {
      const { cash, id } = queue[best]!;
      if (one.cash > cash || (one.cash === cash && one.id < id)) best = i;
    }
    return queue.splice(best, 1)[0]!;
  }
}

function isPacked(record: Buffer): boolean {
  return ((record[8] ?? 0) & 15) === 15;
}

function byScore(ready: ReadonlyMap<string, number>): string[] {
  const hosts = [...ready].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  return hosts.map(([host]) => host);
}
