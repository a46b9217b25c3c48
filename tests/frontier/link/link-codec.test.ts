import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CashBlock, readCashBlock } from "../../../src/frontier/cash/cash-block.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import { LinkBlock, readLinkBlock } from "../../../src/frontier/link/link-block.ts";
import {
  headEnd,
  headLength,
  isSameGroup,
  linksOf,
  MAX_LINKS,
  readLink,
  writeHead,
  writeLink,
} from "../../../src/frontier/link/link-codec.ts";
import {
  MAX_RECORD_BYTES,
  readNext,
  readRecord,
  recordLength,
  writeRecord,
} from "../../../src/frontier/queue/queue-record.ts";
import { flat, link, viewOf } from "../journal/plans.ts";
import { anyLinks, highOf, lowOf } from "./any-links.ts";

const BLOCK_BYTES = 1 << 16;

test("any links survive a block", () => {
  const block = new LinkBlock(BLOCK_BYTES);
  fc.assert(
    fc.property(anyLinks, (all) => {
      block.clear();
      const packed = all.filter((found) => block.tryAdd(found));
      assert.equal(block.links, packed.length);
      assert.deepEqual(readLinkBlock(block.bytes, block.used), packed);
    }),
  );
});

test("any links survive a block that carries cash, and so do their credits", () => {
  fc.assert(
    fc.property(anyLinks, fc.array(fc.maxSafeNat(), { maxLength: 4 }), (all, credits) => {
      const block = new CashBlock(1 << 20);
      for (const [i, found] of all.entries()) assert.ok(block.tryAdd(found, 2 ** 40 + i));
      for (const [i, amount] of credits.entries()) block.tryCredit(lowOf(i), highOf(i), amount);
      const { found, amounts, known } = readCashBlock(Buffer.from(block.close()));
      assert.deepEqual(found, all);
      assert.deepEqual(
        amounts,
        all.map((_, i) => 2 ** 40 + i),
      );
      assert.equal(known.length, 16 * credits.length);
    }),
  );
});

test("any links survive admit events", () => {
  fc.assert(
    fc.property(anyLinks, (all) => {
      const batch = new EventBatch(64);
      for (const [i, found] of all.entries()) batch.admit(found, lowOf(i), highOf(i));
      assert.deepEqual(flat(decodeEvents(viewOf(batch, 1))), all);
    }),
  );
});

test("any link survives a queue record, with its fingerprint and what follows it", () => {
  const bytes = Buffer.alloc(MAX_RECORD_BYTES + 5);
  fc.assert(
    fc.property(anyLinks, fc.nat(2 ** 48 - 1), (all, next) => {
      for (const [i, found] of all.entries()) {
        const length = writeRecord(bytes, 5, found, lowOf(i), highOf(i), next);
        assert.equal(recordLength(bytes, 5), length);
        assert.equal(readNext(bytes, 5), next);
        assert.deepEqual(readRecord(bytes, 5), { ...found, low: lowOf(i), high: highOf(i) });
      }
    }),
  );
});

test("a head is as long as it says, before and after it is written", () => {
  fc.assert(
    fc.property(anyLinks, fc.nat(MAX_LINKS), ([found], links) => {
      const bytes = Buffer.alloc(8192);
      const end = writeHead(bytes, 3, found!, links);
      assert.equal(end, 3 + headLength(found!));
      assert.equal(headEnd(bytes, 3), end);
      assert.equal(linksOf(bytes, 3), links);
      const linkEnd = writeLink(bytes, end, found!.url);
      assert.deepEqual(readLink(bytes, 3, 1, 2, end + 2, linkEnd), { ...found, low: 1, high: 2 });
    }),
  );
});

test("links of one page share their head, others do not", () => {
  const parent = link("http://a/").url;
  const [one, two] = [link("http://a/1", { parent }), link("http://a/2", { parent, chain: [] })];
  assert.ok(isSameGroup(one, two));
  for (const other of [
    { parent: undefined },
    { parent, depth: 2 },
    { parent, via: "redirect" as const },
    { parent, seed: true },
    { parent, chain: ["0123456789abcdef"] },
  ])
    assert.ok(!isSameGroup(one, link("http://a/2", other)), JSON.stringify(other));
  const block = new LinkBlock(BLOCK_BYTES);
  block.tryAdd(one);
  const alone = block.used;
  block.tryAdd(two);
  assert.equal(block.used - alone, 2 + two.url.length);
});
