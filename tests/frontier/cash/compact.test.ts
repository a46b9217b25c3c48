import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { CreditList } from "../../../src/frontier/cash/credit-list.ts";
import { CASH_COUNTERS, ShardCash } from "../../../src/frontier/cash/shard-cash.ts";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import { recoverShard } from "../../../src/frontier/fold/recover-shard.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { eachLink } from "../../../src/frontier/link/waiting-run.ts";
import {
  fingerprintOf,
  link,
  SEED_HIGH,
  SEED_LOW,
  UNSYNCED_FILES,
  withFolder,
} from "../journal/plans.ts";

const SEEDS = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };
const SHARD = 3;

type Step =
  | { do: "credit"; page: number; amount: number; origin: number }
  | { do: "done"; page: number }
  | { do: "send" | "receive"; amount: number }
  | { do: "compact" };

const page = fc.nat({ max: 40 });
const amount = fc.integer({ min: 1, max: 1000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("credit" as const),
      page,
      amount,
      origin: fc.nat({ max: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("done" as const), page }) },
  fc.record({ do: fc.constantFrom("send" as const, "receive" as const), amount }),
  fc.record({ do: fc.constant("compact" as const) }),
);

/** All that a shard knows of cash, as a new run would read it. */
function known(folder: string): unknown {
  const cash = new ShardCash();
  const waiting: [number, number][] = [];
  recoverShard({ folder, shard: SHARD, ...SEEDS, cash }, (run) => {
    eachLink(run, ({ low }) => waiting.push([low, 0]));
  });
  const { minted, sent, received, held, virtual, waiting: count } = cash.book;
  const pages: [number, boolean, number, number][] = [];
  for (let i = 0; i < cash.pages.size; i++) {
    const { book } = cash;
    pages.push([cash.pages.low(i), book.isDone(i), book.cash(i), book.history(i)]);
  }
  const sites = Array.from({ length: 60 }, (_, i) => cash.homes.hasFingerprint(i, 7));
  const totals = { minted, sent, received, held, virtual, count };
  return { totals, waiting: waiting.length, pages: pages.sort((a, b) => a[0] - b[0]), sites };
}

test("a snapshot keeps what every page has and ever got, what moved, and which sites minted", () => {
  let compactions = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const run = (compacts: boolean) =>
        withFolder((folder) => {
          const options = { folder, shard: SHARD, ...SEEDS, files: UNSYNCED_FILES };
          const journal = new JournalWriter({
            ...options,
            epoch: 1,
            after: undefined,
            segmentBytes: 200,
          });
          const admitted = new Set<number>();
          const credits = new CreditList();
          for (const [i, each] of steps.entries()) {
            const batch = new EventBatch();
            if (each.do === "compact") {
              if (!compacts) continue;
              compactions++;
              compactShard({ ...options, upTo: journal.segment - 1 });
              continue;
            }
            batch.minted(i, 7, UNIT);
            if (each.do === "credit" || each.do === "done") {
              const url = `http://h.example/${each.page}`;
              const { low, high } = fingerprintOf(url);
              if (!admitted.has(each.page)) batch.admit(link(url), low, high);
              admitted.add(each.page);
              if (each.do === "done") batch.done(low, high, 1);
              else {
                credits.clear();
                credits.add(low, high, each.amount);
                batch.credited(each.origin, credits.bytes);
              }
            } else {
              const { sent, received } = CASH_COUNTERS;
              batch.counted(each.do === "send" ? sent : received, each.amount);
            }
            journal.append(batch);
          }
          journal.close();
          return known(folder);
        });
      assert.deepEqual(run(true), run(false));
    }),
    { numRuns: 60 },
  );
  assert.ok(compactions > 10, `only ${compactions} compactions`);
});

test("snapshots keep the balance of more coins than a double counts, when they come and go for ever", () => {
  withFolder((folder) => {
    const options = { folder, shard: SHARD, ...SEEDS, files: UNSYNCED_FILES };
    const writer = { ...options, epoch: 1, after: undefined, segmentBytes: 200 };
    const journal = new JournalWriter(writer);
    const { minted, sent, received } = CASH_COUNTERS;
    const coins = 2 ** 51 + 1;
    for (let round = 0; round < 40; round++) {
      const batch = new EventBatch();
      if (round === 0) batch.counted(minted, coins);
      batch.counted(sent, coins - 2 * round);
      batch.counted(received, coins - 2 * round);
      journal.append(batch);
      if (round % 4 === 3) compactShard({ ...options, upTo: journal.segment - 1 });
    }
    journal.close();
    const { totals } = known(folder) as { totals: Record<string, number> };
    assert.deepEqual([totals.virtual, totals.received! - totals.sent!], [coins, 0]);
  });
});

test("a shard that never minted keeps the cash of its pages, too", () => {
  withFolder((folder) => {
    const options = { folder, shard: SHARD, ...SEEDS, files: UNSYNCED_FILES };
    const journal = new JournalWriter({ ...options, epoch: 1, after: undefined });
    const batch = new EventBatch();
    const credits = new CreditList();
    const { low, high } = fingerprintOf("http://h.example/1");
    batch.counted(CASH_COUNTERS.received, 70);
    batch.admit(link("http://h.example/1"), low, high);
    credits.add(low, high, 70);
    batch.credited(1, credits.bytes);
    journal.append(batch);
    journal.close();
    const before = known(folder);
    compactShard({ ...options, upTo: journal.segment });
    assert.deepEqual(known(folder), before);
  });
});
