import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CashBlock, readCashBlock } from "../../../src/frontier/cash/cash-block.ts";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import { upgradeBatch, upgradeBlock } from "../../../src/frontier/journal/old-version.ts";
import { readLinkBlock } from "../../../src/frontier/link/link-block.ts";
import { isSameGroup } from "../../../src/frontier/link/link-codec.ts";
import { VIAS } from "../../../src/frontier/via.ts";
import { anyLinks, highOf, lowOf } from "../link/any-links.ts";
import { batches, flat, pack, viewOf } from "./plans.ts";

/** Links as the version before wrote them. */
function oldLinks(all: readonly Discovery[]): Buffer {
  const pieces: Buffer[] = [];
  const short = (value: number) => Buffer.from([value & 0xff, value >> 8]);
  const text = (value: string) => Buffer.concat([short(value.length), Buffer.from(value)]);
  let rest = [...all];
  while (rest.length > 0) {
    const [first] = rest as [Discovery];
    const end = rest.findIndex((found) => !isSameGroup(first, found));
    const group = end < 0 ? rest : rest.slice(0, end);
    rest = rest.slice(group.length);
    const depth = Buffer.alloc(4);
    depth.writeUInt32LE(first.depth);
    const how = Buffer.from([
      VIAS.indexOf(first.via) | (first.seed ? 0x80 : 0),
      first.chain.length,
    ]);
    pieces.push(text(first.parent ?? ""), depth, how, Buffer.from(first.chain.join("")));
    pieces.push(short(group.length), ...group.map(({ url }) => text(url)));
  }
  return Buffer.concat(pieces);
}

/** A block with cash as the version before wrote it. */
function oldCash(all: readonly Discovery[], credits: Buffer): Buffer {
  const links = oldLinks(all);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(links.length);
  return Buffer.concat([head, links, credits]);
}

test("old blocks of links have the same links, and are not longer", () => {
  fc.assert(
    fc.property(anyLinks, (all) => {
      const old = oldLinks(all);
      const block = Buffer.from(upgradeBlock(old));
      assert.ok(block.length <= old.length);
      assert.deepEqual(readLinkBlock(block, block.length), all);
    }),
  );
});

test("old blocks of cash have the same links and credits, also those without links", () => {
  fc.assert(
    fc.property(
      fc.oneof(anyLinks, fc.constant([])),
      fc.array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.maxSafeNat()), { minLength: 1 }),
      (all, credits) => {
        const block = new CashBlock(1 << 22);
        for (const [i, found] of all.entries()) block.tryAdd(found, i);
        for (const [low, high, amount] of credits) block.tryCredit(low, high, amount);
        const today = Buffer.from(block.close());
        const behind = today.subarray(4 + today.readUInt32LE(0));
        assert.deepEqual(Buffer.from(upgradeBlock(oldCash(all, behind))), today);
        assert.deepEqual(readCashBlock(today).found, all);
      },
    ),
  );
});

test("only the blocks of an old batch change, and everything keeps its order", () => {
  fc.assert(
    fc.property(batches, anyLinks, (all, links) => {
      const events = all.flat();
      const bytes = oldLinks(links);
      const old = events.map((event) => (event.kind === "outbox" ? { ...event, bytes } : event));
      const found = { ...batchOf(old), ...viewOf(pack(old), 1) };
      const expected = old.map((event) =>
        event.kind === "outbox" ? { ...event, bytes: new Uint8Array(upgradeBlock(bytes)) } : event,
      );
      const batch = upgradeBatch(found);
      assert.deepEqual(flat(decodeEvents(batch)), flat(expected));
      // What does not lie in the file as it is here must not be read from there later.
      const hasBlock = old.some(({ kind }) => kind === "outbox");
      assert.equal(batch.eventsAt, hasBlock ? undefined : 80);
    }),
  );
});

/** What a reader says of a batch beside its events. */
function batchOf(events: readonly unknown[]) {
  return {
    eventBytes: 0,
    events: events.length,
    synced: 0,
    epoch: 1,
    segment: 1,
    eventsAt: 80,
    seedLow: lowOf(1),
    seedHigh: highOf(1),
  };
}
