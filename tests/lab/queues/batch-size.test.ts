import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type CrawlSample,
  findBatchSize,
  predictBatch,
} from "../../../src/lab/queues/batch-size.ts";
import { bestFirst, type LinkGraph, pageRank } from "../../../src/lab/queues/page-rank.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";

function graphOf(links: readonly (readonly number[])[]): LinkGraph {
  const offsets = new Uint32Array(links.length + 1);
  links.forEach((of, page) => {
    offsets[page + 1] = offsets[page]! + of.length;
  });
  return { offsets, targets: Uint32Array.from(links.flat()) };
}

// Four pages on two processors, worked out by hand: 0 -> 1, 2; 1 -> 2; 2 -> 3; 3 -> nothing.
const small: CrawlSample = {
  graph: graphOf([[1, 2], [2], [3], []]),
  order: Uint32Array.of(0, 1, 2, 3),
  processorOf: [0, 0, 1, 1],
  processors: 2,
  messages: "all",
};

test("a hand-made crawl, step by step", () => {
  // Tolerance 0: every page ends the superstep of the page before, and is itself announced in it. W is {1, 2}, {2}, {3}.
  const strict = predictBatch(small, 0);
  assert.equal(strict.supersteps, 3);
  assert.equal(strict.batchSize, 1); // max C / S = 2 / 3, but never less than one page
  // Superstep 1 took 0 and 1, of which 1 was announced: 1/2. Then 2 alone (announced by 1), then 3 alone.
  assert.equal(strict.error, (1 / 2 + 1 + 1) / 3);

  // Tolerance 1: processor 1 has two messages (2 from 0, 2 from 1) after page 1, noticed at page 2.
  const loose = predictBatch(small, 1);
  assert.deepEqual(loose, { tolerance: 1, supersteps: 1, batchSize: 2, error: 2 / 3 });
});

test("without any exchange the whole crawl is one batch", () => {
  assert.deepEqual(predictBatch(small, 100), {
    tolerance: 100,
    supersteps: 0,
    batchSize: 2,
    error: 3 / 4,
  });
  const nothing = { ...small, order: new Uint32Array(0) };
  assert.deepEqual(predictBatch(nothing, 0), {
    tolerance: 0,
    supersteps: 0,
    batchSize: 0,
    error: 0,
  });
});

test("links to one's own pages do not count unless asked: they need not be sent", () => {
  const { messages: _, ...byDefault } = small;
  const foreign = predictBatch(byDefault, 0);
  // Only 0 -> 2 and 1 -> 2 are sent: page 1 ends the first superstep, page 2 the second, whose only page it is.
  assert.equal(foreign.supersteps, 2);
  assert.equal(foreign.error, (0 + 1) / 2);
});

test("the set W and the counters agree with a literal transcription of the paper's steps", () => {
  const samples = fc.integer({ min: 1, max: 25 }).chain((pages) =>
    fc.record({
      links: fc.array(fc.array(fc.nat({ max: pages - 1 }), { maxLength: 6 }), {
        minLength: pages,
        maxLength: pages,
      }),
      owners: fc.array(fc.nat({ max: 2 }), { minLength: pages, maxLength: pages }),
      order: fc.shuffledSubarray(
        Array.from({ length: pages }, (_, i) => i),
        { minLength: pages },
      ),
      tolerance: fc.nat({ max: 12 }),
    }),
  );
  fc.assert(
    fc.property(samples, ({ links, owners, order, tolerance }) => {
      let S = 0;
      const C = [0, 0, 0];
      let M = [0, 0, 0];
      let W = new Set<number>();
      let A = 0;
      let B = 0;
      const errors: number[] = [];
      for (const n of order) {
        C[owners[n]!]!++;
        B++;
        if (W.has(n)) A++;
        if (M.some((messages) => messages > tolerance)) {
          S++;
          M = [0, 0, 0];
          errors.push(A / B);
          W = new Set();
          A = 0;
          B = 0;
        }
        for (const k of links[n]!) {
          M[owners[k]!]!++;
          W.add(k);
        }
      }
      const got = predictBatch(
        {
          graph: graphOf(links),
          order: Uint32Array.from(order),
          processorOf: owners,
          processors: 3,
          messages: "all",
        },
        tolerance,
      );
      assert.equal(got.supersteps, S);
      if (S === 0) return;
      assert.equal(got.batchSize, Math.max(1, Math.floor(Math.max(...C) / S)));
      assert.ok(Math.abs(got.error - errors.reduce((a, b) => a + b) / S) < 1e-12);
    }),
  );
});

test("the search finds a tolerance below the error asked for, and more error buys larger batches", () => {
  const random = new Random(3);
  const pages = 5000;
  // Popular pages have small numbers, so the order by number stands for an order by importance.
  const links = Array.from({ length: pages }, () =>
    Array.from({ length: random.below(20) }, () => Math.floor(random.below(pages) ** 2 / pages)),
  );
  const sample: CrawlSample = {
    graph: graphOf(links),
    order: Uint32Array.from({ length: pages }, (_, i) => i),
    processorOf: Array.from({ length: pages }, () => random.below(4)),
    processors: 4,
  };
  let before = 0;
  for (const maxError of [0.02, 0.05, 0.2]) {
    const found = findBatchSize(sample, maxError);
    assert.ok(found !== undefined && found.error < maxError);
    assert.ok(found.batchSize >= before, `${found.batchSize} after ${before}`);
    before = found.batchSize;
  }
  assert.ok(before > 1);
  assert.equal(findBatchSize(small, 0.01), undefined);
});

test("PageRank of a graph that can be worked out by hand", () => {
  // 0 <-> 1, 2 -> 0, 3 has no links: what it has goes to all.
  const rank = pageRank(graphOf([[1], [0], [0], []]), 200);
  assert.ok(Math.abs(rank.reduce((a, b) => a + b) - 1) < 1e-12);
  const [a, b, c, d] = rank as unknown as [number, number, number, number];
  const base = (0.15 + 0.85 * d) / 4;
  assert.ok(Math.abs(c - base) < 1e-12 && Math.abs(d - base) < 1e-12);
  assert.ok(
    Math.abs(a - (base + 0.85 * (b + c))) < 1e-12 && Math.abs(b - (base + 0.85 * a)) < 1e-12,
  );
  assert.deepEqual([...bestFirst(rank)], [0, 1, 2, 3]);
  assert.equal(pageRank(graphOf([])).length, 0);
});

test("a broken graph, owner, tolerance or error is refused with an error code", () => {
  const graph = { code: "OW_BAD_GRAPH" };
  for (const offsets of [[0, 1, 2], [1, 2, 3, 4, 4], [0, 3, 2, 4, 4], []]) {
    const broken = { offsets: Uint32Array.from(offsets), targets: small.graph.targets };
    assert.throws(() => predictBatch({ ...small, graph: broken }, 1), graph);
    assert.throws(() => pageRank(broken), graph);
  }
  const outside = { ...small.graph, targets: Uint32Array.of(1, 2, 2, 4) };
  assert.throws(() => findBatchSize({ ...small, graph: outside }, 0.1), graph);
  assert.throws(() => predictBatch({ ...small, order: Uint32Array.of(0, 4) }, 1), graph);
  for (const processorOf of [
    [0, 0, 1],
    [0, 0, 1, 2],
    [0, 0, 1, -1],
    [0, 0, 1, 0.5],
  ]) {
    assert.throws(() => predictBatch({ ...small, processorOf }, 1), graph);
  }
  assert.throws(() => predictBatch({ ...small, processors: 0 }, 1), graph);
  for (const number of [-1, Number.NaN]) {
    assert.throws(() => predictBatch(small, number), { code: "OW_BAD_COUNT" });
    assert.throws(() => findBatchSize(small, number), { code: "OW_BAD_COUNT" });
  }
});

test("issue 16: nonsense is refused and not taken for something", () => {
  for (const maxError of [0, -1, 1.5, 5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(
      () => findBatchSize(small, maxError),
      /an error is a share above 0 and at most 1/,
    );
  const messages = "every" as "all";
  assert.throws(() => predictBatch({ ...small, messages }, 0), /messages are "all" or "foreign"/);
  assert.throws(() => findBatchSize({ ...small, messages }, 0.1), /not every/);
});
