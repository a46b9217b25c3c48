import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CashBook, MAX_MINTED, UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { mintFor, shareOf } from "../../../src/frontier/opic/cash-shares.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";
import { CreditBatch } from "../../../src/lab/simulation/credit-batch.ts";
import { CashMachine, type Mutant } from "./machine.ts";

const SHARDS = 3;

type Step = { do: "crawl" | "sync" | "exchange" | "crash"; shard: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom("crawl", "crawl", "crawl", "sync", "exchange", "crash"),
    shard: fc.nat({ max: SHARDS - 1 }),
  }),
  { minLength: 5, maxLength: 120 },
);

/** Runs the steps; throws when cash is made or lost, or when a fold is not what was synced. */
function run(list: readonly Step[], seed: number, mutant?: Mutant): CashMachine {
  const machine = new CashMachine(SHARDS, 60, new Random(seed), mutant);
  const check = () => {
    const { minted, found } = machine.totals();
    assert.equal(found, minted);
  };
  for (const step of list) {
    machine[step.do](step.shard);
    if (step.do === "crash") {
      assert.deepEqual(machine.shards[step.shard]!.summary(), machine.synced[step.shard]);
    }
    check();
  }
  for (let shard = 0; shard < SHARDS; shard++) machine.crash(shard);
  check();
  return machine;
}

test("no cash is made or lost, whatever is crawled, sent again and lost in a crash", () => {
  let late = 0;
  let virtual = 0;
  fc.assert(
    fc.property(steps, fc.nat(), (list, seed) => {
      const machine = run(list, seed);
      for (const { book } of machine.shards) {
        late += book.late.own + book.late.foreign;
        virtual += book.virtual;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(late > 0 && virtual > 0, "nothing ever came late or to the virtual page");
});

for (const mutant of ["sends before it syncs", "takes a block twice"] as const) {
  test(`the check finds a shard that ${mutant}`, () => {
    const result = fc.check(
      fc.property(steps, fc.nat(), (list, seed) => {
        run(list, seed, mutant);
      }),
      { numRuns: 300, seed: 1 },
    );
    assert.ok(result.failed);
  });
}

test("a late credit changes no balance: the virtual page has it with or without the event", () => {
  const book = new CashBook();
  book.mint(UNIT);
  book.admit(0, UNIT);
  book.spend(0);
  assert.equal(book.credit(0, 5, "foreign"), -1);
  book.settle();
  assert.deepEqual([book.virtual, book.held, book.history(0)], [UNIT, 0, UNIT + 5]);
  assert.deepEqual(book.late, { own: 0, foreign: 1 });
  assert.equal(book.spend(0), 0); // a second done of the same page
  assert.equal(book.waiting, 0);
});

test("cash is spread over the links, with what the virtual page owes; the remainder is the virtual page's", () => {
  const book = new CashBook();
  book.mint(100);
  book.admit(0, 100);
  const first = shareOf(book, 0, 3);
  assert.equal(first, 33);
  book.spend(0);
  for (const page of [1, 2]) book.admit(page, first); // the third link is refused
  book.settle();
  assert.equal(book.virtual, 34);
  // Two pages wait, so the virtual page owes each of them half of its 34.
  assert.equal(shareOf(book, 1, 1), 33 + 17);
  assert.equal(shareOf(book, 1, 0), 0);
  book.spend(1);
  book.settle();
  assert.equal(book.virtual, 67);
});

test("giving more than there is, or parts of a coin, is refused", () => {
  const book = new CashBook();
  book.mint(10);
  book.admit(0, 11);
  assert.throws(() => book.settle(), { code: "OW_CASH" });
  for (const amount of [0.5, -1, Number.NaN, 2 ** 53]) {
    assert.throws(() => new CashBook().mint(amount), { code: "OW_CASH" });
  }
});

test("a shard mints no more than sums exactly", () => {
  const book = new CashBook();
  while (mintFor(book) > 0) book.mint(mintFor(book));
  assert.equal(book.minted, MAX_MINTED);
  assert.equal(MAX_MINTED / UNIT, 65536);
});

test("coins that come and go for ever are counted exactly: more pass through a shard than a double can count", () => {
  const book = new CashBook();
  const coins = MAX_MINTED - 3;
  book.mint(coins);
  for (let round = 0; round < 64; round++) {
    const part = coins - 2 * round - 1; // odd amounts: above 2^53 every other one is lost
    book.send(part);
    book.settle();
    book.receive(part);
    book.settle();
  }
  assert.deepEqual([book.virtual, book.minted + book.received - book.sent], [coins, coins]);
});

test("credits of a batch are merged per target, and nothing is sent for nothing", () => {
  const credits = new CreditBatch<string>();
  credits.add("b", 2);
  credits.add("a", 0);
  credits.add("c", 1);
  credits.add("b", 3);
  assert.deepEqual([credits.total, credits.targets], [6, 2]);
  assert.deepEqual(credits.take(), [
    ["b", 5],
    ["c", 1],
  ]);
  assert.deepEqual([credits.total, credits.targets], [0, 0]);
});
