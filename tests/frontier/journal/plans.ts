import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { recoverShard } from "../../../src/frontier/fold/recover-shard.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents, type JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { type JournalFiles, REAL_FILES } from "../../../src/frontier/journal/journal-files.ts";
import {
  type JournalEnd,
  type ReadOptions,
  readJournal,
} from "../../../src/frontier/journal/journal-reader.ts";
import { decodeLink, eachLink } from "../../../src/frontier/link/waiting-run.ts";
import type { ShardQueue } from "../../../src/frontier/queue/shard-queue.ts";
import { SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { openShard } from "../../../src/frontier/shard/open-shard.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../../src/hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

export const SEED_LOW = 0x1234;
export const SEED_HIGH = 0x9abcdef0;
export const SEEDS = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };
/** The shard whose files tests write. */
export const SHARD = 3;

/** The real disk without its syncs, which take most of the time and show nothing while the power is on. */
export const UNSYNCED_FILES: JournalFiles = { ...REAL_FILES, sync() {}, syncFolder() {} };

/** Runs with a folder of its own that is gone afterwards. */
export function withFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-journal-"));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function fingerprintOf(url: string): { low: number; high: number } {
  urlFingerprint(url as CrawlUrl, SEED_LOW, SEED_HIGH);
  return { ...lastFingerprint };
}

export function link(url: string, more: Partial<Discovery> = {}): Discovery {
  const parent = undefined;
  return { url: url as CrawlUrl, parent, depth: 1, via: "link", seed: false, chain: [], ...more };
}

// Few URLs, shards and numbers, so that duplicates, gaps and done-before-admit happen all the time.
const url = fc
  .integer({ min: 0, max: 30 })
  .map((n) => `http://h${n % 3}.example/${"p".repeat(n)}` as CrawlUrl);
const discovery: fc.Arbitrary<Discovery> = fc.record(
  {
    url,
    parent: fc.option(url, { nil: undefined }),
    depth: fc.nat({ max: 3 }),
    via: fc.constantFrom("seed", "link", "redirect", "refresh"),
    seed: fc.boolean(),
    chain: fc.constantFrom<readonly string[]>(
      [],
      ["00112233445566ff"],
      ["ffffffff00000000", "0123456789abcdef"],
    ),
  },
  { noNullPrototype: true },
);
const number = fc.record(
  {
    shard: fc.nat({ max: 2 }),
    epoch: fc.integer({ min: 1, max: 2 }),
    number: fc.integer({ min: 1, max: 6 }),
  },
  { noNullPrototype: true },
);
const where = fc.record(
  {
    file: fc.constantFrom("a.warc.gz", "b-00001.warc.gz"),
    offset: fc.maxSafeNat(),
    length: fc.nat(),
  },
  { noNullPrototype: true },
);
const event: fc.Arbitrary<JournalEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(discovery, { minLength: 1, maxLength: 6 })
      .map((found) => ({ kind: "admit" as const, found })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(url, fc.integer({ min: 1, max: 3 }), fc.option(where, { nil: undefined }))
      .map(([of, outcome, at]) => ({
        kind: "done" as const,
        ...fingerprintOf(of),
        outcome,
        where: at,
      })),
  },
  fc
    .tuple(number, fc.nat(), fc.uint8Array({ maxLength: 40 }))
    .map(([{ shard, ...n }, links, bytes]) => ({
      kind: "outbox" as const,
      target: shard,
      ...n,
      links,
      bytes,
    })),
  number.map((n) => ({ kind: "received" as const, ...n })),
  number.map((n) => ({ kind: "confirmed" as const, ...n })),
  fc.record(
    {
      kind: fc.constant("counted" as const),
      counter: fc.nat({ max: 255 }),
      amount: fc.integer(),
    },
    { noNullPrototype: true },
  ),
  fc
    .tuple(fc.nat({ max: 0xffff }), fc.uint8Array({ maxLength: 40 }))
    .map(([extension, bytes]) => ({ kind: "extension" as const, extension, bytes })),
);

/** The events of some batches. */
export const batches = fc.array(fc.array(event, { maxLength: 8 }), { maxLength: 12 });

/** Admits a link with its fingerprint. */
export function admit(into: EventBatch, found: Discovery): void {
  const { low, high } = fingerprintOf(found.url);
  into.admit(found, low, high);
}

/** Writes events into a batch. */
export function pack(events: readonly JournalEvent[], into = new EventBatch(64)): EventBatch {
  into.clear();
  for (const e of events) {
    if (e.kind === "admit") for (const found of e.found) admit(into, found);
    else if (e.kind === "done") into.done(e.low, e.high, e.outcome, e.where);
    else if (e.kind === "outbox") into.outbox(e);
    else if (e.kind === "received") into.received(e.shard, e.epoch, e.number);
    else if (e.kind === "confirmed") into.confirmed(e.shard, e.epoch, e.number);
    else if (e.kind === "counted") into.counted(e.counter, e.amount);
    else if (e.kind === "extension") into.extension(e.extension, e.bytes);
    else if (e.kind === "site") into.site(e.low, e.high, e.pages);
  }
  return into;
}

/** The events of a batch as a reader hands them out. */
export function viewOf(batch: EventBatch, sequence: number) {
  const bytes = batch.body();
  return { bytes, from: 0, to: bytes.length, file: "memory", offset: 0, sequence };
}

/** Events with admissions one by one, so that the way they are grouped does not matter. */
export function flat(events: readonly JournalEvent[]): unknown[] {
  return events.flatMap((e): unknown[] => (e.kind === "admit" ? [...e.found] : [e]));
}

/** Everything the reader finds, copied. */
export function readAll(options: ReadOptions): {
  batches: { sequence: number; offset: number; file: string; events: JournalEvent[] }[];
  end: JournalEnd;
} {
  const reader = readJournal(options);
  const found = [];
  for (;;) {
    const step = reader.next();
    if (step.done) return { batches: found, end: step.value };
    const { sequence, offset, file } = step.value;
    found.push({ sequence, offset, file, events: decodeEvents(step.value) });
  }
}

/** What a new run finds of a shard, and the URLs that wait in it. */
export function recovered(folder: string, shard = SHARD) {
  const queued: string[] = [];
  const found = recoverShard({ folder, shard, ...SEEDS }, (run) =>
    eachLink(run, (one) => queued.push(decodeLink(one).url)),
  );
  return { ...found, queued };
}

/** Opens a shard for a crawl that never waits. */
export function openAtOnce(
  folder: string,
  newQueue: () => ShardQueue,
  order: "bfs" | "dfs" = "bfs",
  number = SHARD,
) {
  const rules = { delayMs: 0, perHost: 64, order, startMs: 0, ...SEEDS };
  return openShard({ folder, number, rules, newQueue });
}

/** A state as recovery makes it: it remembers what is done. */
export function newState(): ShardState {
  return new ShardState(SEED_LOW, SEED_HIGH, new SeenSet());
}

/** Folds batches from the empty state or the one given. */
export function fold(
  all: readonly (readonly JournalEvent[])[],
  state: ShardState = newState(),
): ShardState {
  for (const events of all) state.apply(viewOf(pack(events), state.sequence + 1));
  return state;
}

/** All a state says, in a form that compares. */
export function describe(state: ShardState): unknown {
  const fingerprints = [...state.seen.fingerprints()].flatMap((block) => {
    const pairs = [];
    for (let i = 0; i < block.length; i += 2) pairs.push(`${block[i]} ${block[i + 1]}`);
    return pairs;
  });
  return {
    sequence: state.sequence,
    waiting: state.waiting,
    fingerprints: fingerprints.sort(),
    unconfirmed: state.unconfirmed(),
    sent: [...state.sent].sort(),
    received: [...state.received].sort(),
    outcomes: [...state.outcomes],
    counters: [...state.counters],
    facts: state.facts.map(({ kind, bytes }) => `${kind} ${bytes}`),
    sites: [...state.sites].sort(),
  };
}
