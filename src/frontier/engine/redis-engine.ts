import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type {
  Arrival,
  BarrierAnswer,
  BeatAnswer,
  BlockAnswer,
  Chill,
  Claim,
  ClaimAnswer,
  ColdLinks,
  Engine,
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
} from "./engine.ts";
import type { EngineKeys } from "./engine-keys.ts";
import type { RedisClient } from "./load-ioredis.ts";
import { runScript, type ScriptArgument, type ScriptName } from "./scripts/named-scripts.ts";

/** What a server says when it is full, loads its file, or a cluster chooses another master. */
const PASSING =
  /^(OOM|LOADING|BUSY|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|Failed to refresh|Too many Cluster)|non local key/;
const TRY_AGAIN_MS = 500;

type Reply = (Buffer | number)[];

/** What all calls have in common. */
export interface RedisEngineParts {
  readonly keys: EngineKeys;
  readonly holder: string;
  readonly partitions: number;
  readonly order: EngineOrder;
  readonly leaseMs: number;
  /** Settles when the servers' logs are on disk, with their life; absent where nobody asks. */
  readonly logsSynced?: () => Promise<string | undefined>;
  /** The same for who leaves. */
  readonly logsFlushed?: () => Promise<string | undefined>;
  /** A call failed in a way that asking again does not cure. */
  readonly onFault: (error: unknown) => void;
}

/** The scripts on a Redis-protocol server or cluster. */
export class RedisEngine implements Engine {
  #client: RedisClient | undefined;
  readonly #opening: Promise<RedisClient>;
  readonly #parts: RedisEngineParts;

  /** `defineScripts` must have been called for the connection; calls before it is open wait for it. */
  constructor(client: RedisClient | Promise<RedisClient>, parts: RedisEngineParts) {
    this.#parts = parts;
    this.#opening = Promise.resolve(client);
    this.#opening.then(
      (opened) => {
        this.#client = opened;
      },
      () => {},
    );
  }

  get holder(): string {
    return this.#parts.holder;
  }

  get partitions(): number {
    return this.#parts.partitions;
  }

  claim({ partition, token }: Claim, onAnswer: (answer: ClaimAnswer) => void): void {
    const { holder, leaseMs, order } = this.#parts;
    this.#ask("owClaim", partition, [holder, leaseMs, order, token], ([kind, a, b]) => {
      const name = text(kind);
      if (name === "claimed") onAnswer({ kind: name, token: text(a), moved: b === 1 });
      else if (name === "held") onAnswer({ kind: name, holder: text(a), leftMs: Number(b) });
      else if (name === "quiet") onAnswer({ kind: name, leftMs: Number(a) });
      else onAnswer({ kind: name as "empty" | "frozen" });
    });
  }

  extract(wanted: Extract, onAnswer: (answer: ExtractAnswer) => void): void {
    const { leaseMs, order } = this.#parts;
    const { partition, token, hosts, perHost, refills, again } = wanted;
    const args = [token, leaseMs, order, hosts, perHost, again ? 1 : 0, ...refills.flat()];
    this.#ask("owExtract", partition, args, (reply) => {
      const kind = text(reply[0]) as ExtractAnswer["kind"];
      if (kind !== "extracted") return onAnswer({ kind });
      onAnswer({ kind, left: Number(reply[1]), hosts: [...extractedHosts(reply, 2)] });
    });
  }

  step(wanted: StepWanted, onAnswer: (answer: StepAnswer) => void): void {
    const { leaseMs, order } = this.#parts;
    const { partition, token, step, urls, perHost, floor, level, full } = wanted;
    const args = [token, leaseMs, order, this.holder, step, urls, perHost, floor, level, ...full];
    this.#ask("owStep", partition, args, (reply) => {
      const kind = text(reply[0]) as StepAnswer["kind"];
      if (kind !== "stepped") return onAnswer({ kind });
      const [blocks, links, fresh, lateOwn, lateForeign, missed] = reply.slice(3, 9) as number[];
      onAnswer({
        kind,
        received: {
          blocks: blocks!,
          links: links!,
          fresh: fresh!,
          lateOwn: lateOwn!,
          lateForeign: lateForeign!,
          missed: missed!,
        },
        left: Number(reply[1]),
        best: Number(text(reply[2])),
        hosts: [...extractedHosts(reply, 9)],
      });
    });
  }

  arrive({ step, work, mail }: Arrival, onAnswer: (answer: BarrierAnswer) => void): void {
    const { keys, leaseMs } = this.#parts;
    this.#run("owArrive", keys.crawl, [this.holder, step, leaseMs, work, ...mail], (reply) => {
      const [next, waits, balance, list] = reply as Reply;
      onAnswer({
        step: Number(next),
        waits: Number(waits),
        balance: Number(balance) / 1000,
        mail: text(list).split(" ").filter(Boolean).map(Number),
      });
    });
  }

  send(block: InsertBlock | SettleBlock, onAnswer: (answer: BlockAnswer) => void): void {
    const { holder, order } = this.#parts;
    const isMail = block.kind === "insert" && block.step !== undefined;
    const args: ScriptArgument[] = [holder, block.number, isMail ? block.step! : order];
    if (block.kind === "insert") {
      for (const { host, site, links } of block.hosts) {
        args.push(host, site, links.length);
        for (const link of links) args.push(link.decimal, link.credit, link.bonus, link.record);
      }
    } else {
      args.push(block.token, holder, block.notes.length, ...block.notes.flat());
      for (const url of block.urls) args.push(url.id, url.decimal, url.outcome, url.site);
    }
    const name = block.kind === "settle" ? "owSettle" : isMail ? "owPost" : "owInsert";
    this.#ask(name, block.partition, args, ([said, a, b, c]) => {
      const kind = text(said) as BlockAnswer["kind"];
      const count = Number(a);
      if (kind === "inserted") onAnswer({ kind, fresh: count, woke: b === 1, late: Number(c) });
      else if (kind === "settled") onAnswer({ kind, accepted: count });
      else if (kind === "late") onAnswer({ kind, urls: count });
      else if (kind === "frozen") onAnswer({ kind });
      else onAnswer({ kind, reached: count });
    });
  }

  chill(wanted: Chill, onAnswer: (answer: ColdLinks | undefined) => void): void {
    const { partition, token, keep, most, least, known } = wanted;
    const args = [token, this.#parts.order, keep, most, least, ...[...known].flat()];
    this.#ask("owChill", partition, args, ([kind, host, from, ...links]) => {
      if (text(kind) !== "cold") return onAnswer(undefined);
      onAnswer({ host: text(host), from: Number(from), links: links as Buffer[] });
    });
  }

  pack(block: Pack, onAnswer: (isPacked: boolean) => void): void {
    const { partition, token, host, from, links, packed } = block;
    const args = [token, host, from, links.length, links[0]!, links.at(-1)!, packed];
    this.#ask("owPack", partition, args, ([kind]) => onAnswer(text(kind) === "packed"));
  }

  unpack({ partition, token, host, id, links }: Unpack, onAnswer: (isDone: boolean) => void): void {
    const args = [token, this.#parts.order, host, id, ...links];
    this.#ask("owUnpack", partition, args, ([kind]) => onAnswer(text(kind) === "unpacked"));
  }

  memory(onAnswer: (bytes: number) => void): void {
    const read = async (client: RedisClient) => {
      const servers = "nodes" in client ? client.nodes("master") : [client];
      const infos = await Promise.all(servers.map((one) => one.info("memory")));
      return Math.max(...infos.map((info) => Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0)));
    };
    this.#do(read, onAnswer);
  }

  release({ partition, token }: Claim, onAnswer: () => void): void {
    this.#ask("owRelease", partition, [token, this.#parts.order], ([said]) => {
      if (text(said) !== "frozen") onAnswer();
      else setTimeout(() => this.release({ partition, token }, onAnswer), TRY_AGAIN_MS);
    });
  }

  fence(partition: number, holder: string, onAnswer: (pages: number | undefined) => void): void {
    const { keys, order } = this.#parts;
    this.#run("owFence", keys.partition(partition), [holder, order], (reply) => {
      const pages = Number(reply);
      if (pages !== -1) onAnswer(pages < 0 ? undefined : pages);
      else setTimeout(() => this.fence(partition, holder, onAnswer), TRY_AGAIN_MS);
    });
  }

  beat(about: string, isLeaving: boolean, onAnswer: (answer: BeatAnswer) => void): void {
    const args = [this.holder, about, isLeaving ? 1 : 0];
    this.#run("owBeat", this.#parts.keys.crawl, args, (reply) => {
      const [nowMs, run, facts, ...signs] = reply as Reply;
      const members = [];
      for (let i = 0; i < signs.length; i += 3)
        members.push({
          holder: text(signs[i]),
          ageMs: Number(signs[i + 1]),
          about: text(signs[i + 2]),
        });
      onAnswer({ nowMs: Number(nowMs), run: text(run), facts: Number(facts), members });
    });
  }

  permits(totals: PermitTotals, wanted: number, onAnswer: (answer: PermitAnswer) => void): void {
    const { granted, returned, spent } = totals;
    const args = [this.holder, granted, returned, spent, wanted];
    this.#run("owPermits", this.#parts.keys.crawl, args, (reply) => {
      const [now, left, pages] = (reply as Reply).map(Number);
      onAnswer({ granted: now!, left: left!, pages: pages! });
    });
  }

  bury(holder: string, pages: number, onAnswer: () => void): void {
    this.#run("owBury", this.#parts.keys.crawl, [holder, pages], onAnswer);
  }

  addFacts(facts: readonly Buffer[], onAnswer: () => void): void {
    const key = `${this.#parts.keys.crawl}:facts`;
    this.#do((client) => client.rpush(key, ...facts), onAnswer);
  }

  factsFrom(index: number, onAnswer: (facts: readonly Buffer[]) => void): void {
    const key = `${this.#parts.keys.crawl}:facts`;
    this.#do((client) => client.lrangeBuffer(key, index, -1), onAnswer);
  }

  counts(onAnswer: (counts: readonly PartitionCounts[]) => void): void {
    const { keys, partitions, leaseMs } = this.#parts;
    const args = [this.holder, leaseMs];
    const read = (client: RedisClient) =>
      Promise.all(
        Array.from({ length: partitions }, (_, i) =>
          runScript(client, "owCounts", keys.partition(i), args),
        ),
      );
    this.#do(read, (rows) =>
      onAnswer(
        rows.map((row) => {
          const [inserted, settled, reached, isSure, posted, unread, run] = row as Reply;
          return {
            inserted: Number(inserted),
            settled: Number(settled),
            reached: Number(reached),
            isSure: isSure === 1,
            posted: Number(posted),
            unread: Number(unread),
            run: text(run),
          };
        }),
      ),
    );
  }

  reached(partitions: readonly number[], onAnswer: (numbers: readonly number[]) => void): void {
    const field = `n:${this.holder}`;
    const { keys } = this.#parts;
    const read = (client: RedisClient) =>
      Promise.all(partitions.map((one) => client.hget(keys.partition(one), field)));
    this.#do(read, (numbers) => onAnswer(numbers.map((one) => Number(one ?? 0))));
  }

  floor(call: FloorCall, onAnswer: (answer: FloorAnswer) => void): void {
    const { kind, address, holder, turn, ms, had, gone } = call;
    const { leaseMs, partitions } = this.#parts;
    fingerprint(address, 0, 0);
    const { low, high } = lastFingerprint;
    const name = `${(high >>> 0).toString(16)}${(low >>> 0).toString(16).padStart(8, "0")}`;
    const args = [name, kind, holder, turn, leaseMs, ms, had ? 1 : 0, gone];
    this.#ask("owFloor", (low >>> 0) % partitions, args, ([said, waitMs, wanted]) => {
      const answer = text(said) as FloorAnswer["kind"];
      if (answer === "given") onAnswer({ kind: answer });
      else if (answer === "held") onAnswer({ kind: answer, holder: text(waitMs) });
      else onAnswer({ kind: answer, waitMs: Number(waitMs), isWanted: wanted === 1 });
    });
  }

  keep(partition: number, name: string, bytes: Uint8Array): void {
    this.#ask("owKeep", partition, [name, Buffer.from(bytes)], () => {});
  }

  recall(partition: number, name: string, onAnswer: (bytes: Buffer | undefined) => void): void {
    const key = `${this.#parts.keys.partition(partition)}:k`;
    this.#do(
      (client) => client.hgetBuffer(key, name),
      (bytes) => onAnswer(bytes ?? undefined),
    );
  }

  synced(onAnswer: (life: string | undefined) => void): void {
    const { logsSynced = () => Promise.resolve(undefined) } = this.#parts;
    logsSynced().then(onAnswer, () => onAnswer(undefined));
  }

  flushed(onAnswer: (life: string | undefined) => void): void {
    const { logsFlushed = () => Promise.resolve(undefined) } = this.#parts;
    logsFlushed().then(onAnswer, () => onAnswer(undefined));
  }

  wake(partition: number): void {
    const channel = `${this.#parts.keys.crawl}:wake`;
    this.#do(
      (client) => client.publish(channel, String(partition)),
      () => {},
    );
  }

  #ask(
    name: ScriptName,
    partition: number,
    args: readonly ScriptArgument[],
    onReply: (reply: Reply) => void,
  ): void {
    this.#run(name, this.#parts.keys.partition(partition), args, (reply) =>
      onReply(reply as Reply),
    );
  }

  #run(
    name: ScriptName,
    key: string,
    args: readonly ScriptArgument[],
    onReply: (reply: unknown) => void,
  ): void {
    this.#do((client) => runScript(client, name, key, args), onReply);
  }

  /** Calls the engine. What a server cannot do now is tried again: blocks that fall behind others by that are resent. */
  #do<T>(call: (client: RedisClient) => Promise<T>, onAnswer: (value: T) => void): void {
    const answer = this.#client === undefined ? this.#opening.then(call) : call(this.#client);
    answer.then(onAnswer, (error: unknown) => {
      if (this.#client?.status === "end") return;
      if (PASSING.test(String((error as Error).message)))
        setTimeout(() => this.#do(call, onAnswer), TRY_AGAIN_MS);
      else this.#parts.onFault(error);
    });
  }
}

function* extractedHosts(reply: Reply, from: number): Generator<ExtractedHost> {
  for (let at = from; at < reply.length; ) {
    const [host, note, pages, more, count] = reply.slice(at, at + 5);
    at += 5;
    const urls = [];
    for (const end = at + 2 * Number(count); at < end; at += 2)
      urls.push({ cash: Number(text(reply[at])), record: reply[at + 1] as Buffer });
    const sitePages = Number(text(pages));
    yield { host: text(host), note: text(note), sitePages, hasMore: more === 1, urls };
  }
}

function text(value: Buffer | number | undefined): string {
  return typeof value === "object" ? value.toString("latin1") : String(value ?? "");
}
