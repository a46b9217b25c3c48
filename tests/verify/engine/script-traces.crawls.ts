import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Redis } from "ioredis";
import type {
  BlockAnswer,
  ClaimAnswer,
  Engine,
  EngineLink,
  EngineOrder,
  ExtractAnswer,
} from "../../../src/frontier/engine/engine.ts";
import { foundPartitions } from "../../../src/frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../../src/frontier/engine/engine-keys.ts";
import { RedisEngine } from "../../../src/frontier/engine/redis-engine.ts";
import { defineScripts, SCRIPTS } from "../../../src/frontier/engine/scripts/named-scripts.ts";
import { OUTCOME } from "../../../src/frontier/finish.ts";
import { ScriptModel } from "../../../src/verify/engine/script-model.ts";
import { PracticeRedis } from "../../../src/web/practice-redis.ts";
import { adminClient, noRedis } from "../../support/engine/redis.ts";

/** Long enough that a lease never ends by itself: traces end it where they want. */
const LEASE_MS = 1e9;
const HOLDERS = ["a", "b"] as const;
const HOSTS = ["h0", "h1", "h2"];
const URLS = 500;
const RUNS = 40;
/** A broken script is looked for in so many traces. */
const MUTANT_RUNS = 400;

/** One call, or one thing that happens to the engine. What it names is looked up when its turn comes. */
type Move =
  | {
      kind: "insert";
      by: number;
      skip: number;
      first: number;
      count: number;
      stride: number;
      credit: number;
    }
  | { kind: "settle"; by: number; skip: number; urls: number; outcome: number; oldToken: boolean }
  | { kind: "claim"; by: number; forgets: boolean }
  | { kind: "extract"; by: number; hosts: number; perHost: number; refills: number; again: boolean }
  | { kind: "release" | "fence"; by: number }
  | { kind: "expire" | "restart" | "endQuiet" | "forgetOut" | "freeze" | "thaw" };

const EVENTS = [
  ...(["expire", "expire", "expire", "restart", "endQuiet", "freeze"] as const),
  ...(["thaw", "thaw", "thaw"] as const),
];
/** One of the two, or whoever has the lease. */
const by = fc.nat(5);
const skip = fc.constantFrom(0, 0, 0, 0, -1, 1, -2);
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("insert" as const),
      by,
      skip,
      first: fc.nat(URLS - 1),
      count: fc.integer({ min: 1, max: 120 }),
      stride: fc.constantFrom(1, 3, 7),
      credit: fc.nat(9),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      by,
      skip,
      urls: fc.integer({ min: 1, max: 12 }),
      outcome: fc.constantFrom(0, OUTCOME.page, OUTCOME.page, OUTCOME.failed),
      oldToken: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("claim" as const), by, forgets: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("extract" as const),
      by,
      hosts: fc.nat(2),
      perHost: fc.integer({ min: 1, max: 9 }),
      refills: fc.nat(2),
      again: fc.constantFrom(false, false, true),
    }),
  },
  fc.record({ kind: fc.constantFrom("release" as const, "fence" as const), by }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forgetOut" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom(...EVENTS) }) },
);

/** The real scripts and the model, which are asked the same. */
class Trace {
  readonly #client: Redis;
  readonly #keys: EngineKeys;
  readonly #key: string;
  readonly #engines: readonly Engine[];
  readonly #script: ScriptModel;
  readonly #tokens = ["", ""];
  readonly #oldTokens = ["", ""];
  /** What each holder was handed and has not settled. */
  readonly #held: Map<string, { id: Buffer; decimal: string; host: string }>[] = [
    new Map(),
    new Map(),
  ];

  constructor(client: Redis, name: string, order: EngineOrder, run: string) {
    this.#client = client;
    const keys = new EngineKeys(name, 1);
    this.#keys = keys;
    this.#key = keys.partition(0);
    this.#script = new ScriptModel({ partitions: 1, order, leaseMs: LEASE_MS });
    this.#script.run = run;
    this.#script.found();
    this.#engines = HOLDERS.map((holder) => {
      const onFault = (error: unknown) => {
        throw error;
      };
      const parts = { keys, holder, partitions: 1, order, leaseMs: LEASE_MS, onFault };
      return new RedisEngine(client, parts);
    });
  }

  async begin(): Promise<void> {
    await foundPartitions(this.#client, this.#keys, 1);
  }

  get #model() {
    return this.#script.partitions[0]!;
  }

  async move(wanted: Move): Promise<void> {
    const move = "by" in wanted ? { ...wanted, by: this.#who(wanted.by) } : wanted;
    if (move.kind === "insert") await this.#insert(move);
    else if (move.kind === "settle") await this.#settle(move);
    else if (move.kind === "claim") await this.#claim(move);
    else if (move.kind === "extract") await this.#extract(move);
    else if (move.kind === "release" || move.kind === "fence") await this.#end(move);
    else await this.#happen(move.kind);
    assert.deepEqual(await this.#realState(), this.#modelState(), `after ${JSON.stringify(move)}`);
  }

  async #insert({ by, skip, first, count, stride, credit }: Extract<Move, { kind: "insert" }>) {
    const links = Array.from({ length: count }, (_, i) =>
      linkOf((first + i * stride) % URLS, credit),
    );
    const hosts = HOSTS.map((host, at) => ({
      host,
      site: at === 0 ? "site" : "",
      links: links.filter(({ url }) => url % HOSTS.length === at).map(({ link }) => link),
    })).filter((one) => one.links.length > 0);
    const number = this.#next(by) + skip;
    const block = { kind: "insert", partition: 0, number, hosts } as const;
    const real = await answered<BlockAnswer>((on) => this.#engines[by]!.send(block, on));
    assert.deepEqual(real, this.#script.send(HOLDERS[by]!, block));
  }

  async #settle({ by, skip, urls, outcome, oldToken }: Extract<Move, { kind: "settle" }>) {
    const held = [...this.#held[by]!.entries()].slice(0, urls);
    const block = {
      kind: "settle",
      partition: 0,
      number: this.#next(by) + skip,
      token: (oldToken ? this.#oldTokens : this.#tokens)[by]!,
      urls: held.map(([, { id, decimal }]) => ({
        id,
        decimal,
        outcome,
        site: outcome === OUTCOME.page ? "site" : "",
      })),
      notes: held.length > 0 ? ([[held[0]![1].host, `note ${urls}`]] as const) : [],
    } as const;
    const real = await answered<BlockAnswer>((on) => this.#engines[by]!.send(block, on));
    const expected = this.#script.send(HOLDERS[by]!, block);
    assert.deepEqual(real, expected);
    // What was settled may be said once more, under another number.
    if (expected.kind === "settled" && urls % 3 !== 0)
      for (const [name] of held) this.#held[by]!.delete(name);
  }

  async #claim({ by, forgets }: Extract<Move, { kind: "claim" }>) {
    const token = forgets ? "" : this.#tokens[by]!;
    const real = await answered<ClaimAnswer>((on) =>
      this.#engines[by]!.claim({ partition: 0, token }, on),
    );
    const expected = this.#script.claim(HOLDERS[by]!, { partition: 0, token });
    const { leftMs: _, ...plain } = { leftMs: 0, ...real };
    const { leftMs: __, ...wanted } = { leftMs: 0, ...expected };
    assert.deepEqual(plain, wanted);
    if (expected.kind !== "claimed") return;
    if (this.#tokens[by] !== expected.token) this.#oldTokens[by] = this.#tokens[by]!;
    this.#tokens[by] = expected.token;
    await this.#takeOrder();
  }

  async #extract({ by, hosts, perHost, refills, again }: Extract<Move, { kind: "extract" }>) {
    const wanted = {
      partition: 0,
      token: this.#tokens[by]!,
      hosts,
      perHost,
      refills: [...this.#model.engaged]
        .sort()
        .slice(0, refills)
        .map((host) => [host, perHost] as const),
      again,
    };
    const real = await answered<ExtractAnswer>((on) => this.#engines[by]!.extract(wanted, on));
    const expected = this.#script.extract(wanted);
    assert.deepEqual(plainExtract(real), plainExtract(expected));
    if (expected.kind !== "extracted") return;
    for (const { host, urls } of expected.hosts) {
      for (const { record } of urls) {
        const id = record.subarray(0, 8);
        this.#held[by]!.set(id.toString("latin1"), { id, decimal: decimalOf(id), host });
      }
    }
  }

  async #end({ kind, by }: { kind: "release" | "fence"; by: number }) {
    const engine = this.#engines[by]!;
    // The call would be repeated until the partition is thawed.
    if (this.#model.isFrozen) return;
    if (kind === "release") {
      const token = this.#tokens[by]!;
      await answered((on) => engine.release({ partition: 0, token }, () => on(undefined)));
      this.#script.release({ partition: 0, token });
    } else {
      const pages = await answered<number | undefined>((on) => engine.fence(0, HOLDERS[by]!, on));
      assert.equal(pages, this.#script.fence(0, HOLDERS[by]!));
    }
    await this.#takeOrder();
  }

  /** Something that no call does: time passes, the engine restarts, or comes back without its last writes. */
  async #happen(kind: "expire" | "restart" | "endQuiet" | "forgetOut" | "freeze" | "thaw") {
    const [model, key] = [this.#model, this.#key];
    if (kind === "expire" && model.holder !== undefined) {
      await this.#client.hset(key, "exp", 1);
      model.expMs = 1;
    } else if (kind === "restart" && model.run !== undefined) {
      await this.#client.hset(key, "run", "another");
      model.run = "another";
    } else if (kind === "endQuiet" && model.quietMs > 0) {
      await this.#client.hset(key, "quiet", 0);
      model.quietMs = 0;
    } else if (kind === "forgetOut" && model.out.size > 0 && this.#script.rules.order === "bfs") {
      // The engine is back at a state before it handed something out.
      const [id, url] = [...model.out][0]!;
      await this.#client.hdel(`${key}:o`, Buffer.from(id, "latin1"));
      await this.#client.lpush(`${key}:q:${url.host}`, url.record);
      await this.#client.zrem(`${key}:h`, url.host);
      await this.#client.sadd(`${key}:e`, url.host);
      model.out.delete(id);
      model.queues.set(url.host, [url, ...(model.queues.get(url.host) ?? [])]);
      model.ready.delete(url.host);
      model.engaged.add(url.host);
    } else if (kind === "freeze") {
      await this.#client.hset(key, "frozen", 1);
      model.isFrozen = true;
    } else if (kind === "thaw") {
      await this.#client.hdel(key, "frozen");
      model.isFrozen = false;
    }
  }

  #who(by: number): number {
    const holder = HOLDERS.indexOf(this.#model.holder as "a");
    return by < HOLDERS.length || holder < 0 ? by % HOLDERS.length : holder;
  }

  #next(by: number): number {
    return (this.#model.reached.get(HOLDERS[by]!) ?? 0) + 1;
  }

  /** Hosts that wait again together do so in any order: the model follows the engine there. */
  async #takeOrder(): Promise<void> {
    const hosts = await this.#client.zrange(`${this.#key}:h`, "0", "-1");
    const { ready } = this.#model;
    assert.deepEqual([...hosts].sort(), [...ready.keys()].sort());
    if (this.#script.rules.order === "opic") return;
    const scores = [...ready.values()].sort((a, b) => a - b);
    for (const [i, host] of hosts.entries()) ready.set(host, scores[i]!);
  }

  async #realState() {
    const key = this.#key;
    const fields = await this.#client.hgetall(key);
    const seen: string[] = [];
    for (let i = 0; i < Number(fields.buckets ?? 1); i++) {
      const bucket = `${key}:s:${i}`;
      const members = await this.#client.smembers(bucket);
      seen.push(...members);
      if (members.length === 0) continue;
      assert.equal(await this.#client.object("ENCODING", bucket), "intset");
    }
    const waiting: Record<string, string[]> = {};
    for (const host of HOSTS) {
      const queue = `${key}:q:${host}`;
      const isSorted = this.#script.rules.order === "opic";
      const found = isSorted
        ? await this.#client.zrangeBuffer(queue, "0", "-1")
        : await this.#client.lrangeBuffer(queue, 0, -1);
      if (found.length > 0) waiting[host] = found.map(nameOf).sort();
    }
    const prefixed = (prefix: string) =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(([name]) => name.startsWith(prefix))
          .map(([name, value]) => [name.slice(prefix.length), Number(value)]),
      );
    const number = (name: string) => Number(fields[name] ?? 0);
    return {
      inserted: number("inserted"),
      settled: number("settled"),
      pages: number("pages"),
      late: number("late"),
      counter: number("counter"),
      holder: fields.holder,
      token: fields.token,
      reached: prefixed("n:"),
      pagesOf: prefixed("p:"),
      seen: seen.sort(),
      waiting,
      out: (await this.#client.hkeysBuffer(`${key}:o`)).map(nameOf).sort(),
      gone: (await this.#client.smembersBuffer(`${key}:g`)).map(nameOf).sort(),
      hosts: await this.#client.zrange(`${key}:h`, "0", "-1"),
      engaged: (await this.#client.smembers(`${key}:e`)).sort(),
      notes: await this.#client.hgetall(`${key}:n`),
    };
  }

  #modelState() {
    const model = this.#model;
    const name = (id: string) => nameOf(Buffer.from(id, "latin1"));
    return {
      inserted: model.inserted ?? 0,
      settled: model.settled,
      pages: model.pages,
      late: model.late,
      counter: model.counter,
      holder: model.holder,
      token: model.token,
      reached: Object.fromEntries(model.reached),
      pagesOf: Object.fromEntries(model.pagesOf),
      seen: [...model.seen].sort(),
      waiting: Object.fromEntries(
        HOSTS.filter((host) => model.queues.has(host)).map((host) => [
          host,
          model.queues
            .get(host)!
            .map(({ id }) => name(id))
            .sort(),
        ]),
      ),
      out: [...model.out.keys()].map(name).sort(),
      gone: [...model.gone].map(name).sort(),
      hosts: [...model.ready]
        .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
        .map(([host]) => host),
      engaged: [...model.engaged].sort(),
      notes: Object.fromEntries(model.notes),
    };
  }
}

const nameOf = (bytes: Buffer) => bytes.subarray(0, 8).toString("hex");
const decimalOf = (id: Buffer) => id.readBigInt64BE().toString();

function answered<T>(ask: (onAnswer: (answer: T) => void) => void): Promise<T> {
  return new Promise((resolve) => ask(resolve));
}

/** URL n: a fingerprint that is negative for every second one, and a short record. */
function linkOf(url: number, credit: number): { url: number; link: EngineLink } {
  const id = Buffer.alloc(8);
  id.writeBigInt64BE(BigInt(url + 1) * 0x0123_4567_89abn * (url % 2 === 0 ? 1n : -1n));
  const record = Buffer.concat([id, Buffer.from(` ${url}`)]);
  return { url, link: { id, decimal: decimalOf(id), credit, bonus: 1, record } };
}

/** What was taken together may be told in any order of hosts when it is told again. */
function plainExtract(answer: ExtractAnswer) {
  if (answer.kind !== "extracted") return answer;
  const hosts = answer.hosts.map((one) => ({
    ...one,
    urls: one.urls.map(({ cash, record }) => `${cash} ${record.toString("latin1")}`),
  }));
  return { ...answer, hosts: hosts.sort((a, b) => (a.host < b.host ? -1 : 1)) };
}

/** Broken scripts: some trace must be answered otherwise than by the model. */
const MUTANTS: readonly {
  name: string;
  script: keyof typeof SCRIPTS;
  from: string;
  to: string;
  order?: EngineOrder;
}[] = [
  {
    name: "no token check",
    script: "owSettle",
    from: "if state[3] ~= token then",
    to: "if false then",
  },
  {
    name: "last number instead of contiguous",
    script: "owInsert",
    from: "if number > reached + 1 then return {'gap', reached} end",
    to: "",
  },
  {
    name: "a block that is repeated counts again",
    script: "owSettle",
    from: "if number <= reached then\n",
    to: "if false then\n",
  },
  {
    name: "a late block that is repeated counts as accepted",
    script: "owSettle",
    from: "if from and number >= tonumber(from) then return {'late', urls} end",
    to: "",
  },
  {
    name: "a known URL is inserted again",
    script: "owInsert",
    from: "if not isSeen(decimal) then",
    to: "if true then",
  },
  {
    name: "a lease that is another's is given away",
    script: "owClaim",
    from: "exp > now then return {'held'",
    to: "exp < 0 then return {'held'",
  },
  {
    name: "nothing is quiet after a restart",
    script: "owClaim",
    from: "if now < quiet then",
    to: "if false then",
  },
  {
    name: "what is out is not queued again",
    script: "owClaim",
    from: "requeue(order)\nlocal mine",
    to: "local mine",
  },
  {
    name: "what was settled after a rollback is handed out",
    script: "owExtract",
    from: "if not isPacked(record) and isGone(id) then return end",
    to: "",
  },
  {
    name: "credit of a known URL is dropped",
    script: "owInsert",
    from: "ZINCRBY', K .. ':q:' .. host, -credit",
    to: "ZINCRBY', K .. ':q:' .. host, -0",
    order: "opic",
  },
];

let redis: PracticeRedis;
let client: Redis;
let traces = 0;

before(async () => {
  if (noRedis) return;
  redis = await PracticeRedis.start({ folder: mkdtempSync(join(tmpdir(), "orbweaver-test-")) });
  client = adminClient(redis.port);
  defineScripts(client);
});
after(async () => {
  if (noRedis) return;
  client.disconnect();
  await redis.kill();
  rmSync(redis.folder, { recursive: true, force: true });
});

/** Runs random traces; how fast-check judged them. */
async function runTraces(engine: Redis, order: EngineOrder, options: fc.Parameters<[Move[]]>) {
  const part = (text: string, name: string) =>
    new RegExp(`^${name}:(\\w{12})`, "m").exec(text)![1]!;
  const run =
    part(await engine.info("server"), "run_id") +
    part(await engine.info("replication"), "master_replid");
  const property = fc.asyncProperty(
    fc.array(moves, { minLength: 30, maxLength: 60 }),
    async (all) => {
      const trace = new Trace(engine, `t${traces++}`, order, run);
      await trace.begin();
      for (const move of all) await trace.move(move);
      await engine.flushall();
    },
  );
  return fc.check(property, options);
}

for (const order of ["bfs", "dfs", "opic"] as const) {
  test(`the scripts answer any trace as their model does, ${order}`, {
    skip: noRedis,
  }, async () => {
    const report = await runTraces(client, order, { numRuns: RUNS });
    const { failed, seed, counterexamplePath, counterexample, errorInstance } = report;
    const found = `seed ${seed}, path ${counterexamplePath}: ${JSON.stringify(counterexample)}`;
    assert.ok(!failed, `${found}\n${errorInstance}`);
  });
}

for (const { name, script, from, to, order = "bfs" } of MUTANTS) {
  test(`a trace tells: ${name}`, { skip: noRedis }, async (t) => {
    const broken = adminClient(redis.port);
    t.after(() => broken.disconnect());
    defineScripts(broken);
    const lua = SCRIPTS[script];
    assert.equal(lua.split(from).length, 2, "the script has the text once");
    broken.defineCommand(script, { numberOfKeys: 1, lua: lua.replace(from, () => to) });
    const options = { numRuns: MUTANT_RUNS, seed: 1, endOnFailure: true };
    const { failed } = await runTraces(broken, order, options);
    assert.ok(failed, "no trace told them apart");
  });
}
