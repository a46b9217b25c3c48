import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CapacityError, StoreCorruptError } from "../../../src/errors.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import {
  claimedLength,
  decodeBatchHeader,
  decodeSegmentHeader,
  encodeSegmentHeader,
  isIntact,
  sealBatch,
} from "../../../src/frontier/journal/journal-format.ts";
import { admit, batches, flat, fold, link, pack, viewOf } from "./plans.ts";

test("events come back as they went in, whatever the batch was used for before", () => {
  const batch = new EventBatch(64);
  fc.assert(
    fc.property(batches, (all) => {
      for (const events of all) {
        assert.deepEqual(flat(decodeEvents(viewOf(pack(events, batch), 1))), flat(events));
      }
    }),
  );
});

test("an event for which a batch has to grow is written whole", () => {
  const host = { low: 1, high: 2, delayMs: 3, untilWallMs: 4 };
  const site = { low: 5, high: 6, pages: 7 };
  // One of them is the first that does not fit, whatever the size.
  for (let firstBytes = 64; firstBytes < 160; firstBytes++) {
    const batch = new EventBatch(firstBytes);
    for (let i = 0; i < 8; i++) {
      batch.host(host);
      batch.site(site.low, site.high, site.pages);
    }
    for (const [i, event] of decodeEvents(viewOf(batch, 1)).entries())
      assert.deepEqual(
        event,
        i % 2 === 0 ? { kind: "host", ...host } : { kind: "site", ...site },
        `a batch of ${firstBytes} bytes`,
      );
  }
});

test("links of one page share their parent", () => {
  const batch = new EventBatch();
  for (let i = 0; i < 100; i++) admit(batch, link(`http://a/${i}`, { depth: 2 }));
  assert.equal(batch.events, 1);
  admit(batch, link("http://a/", { depth: 3 }));
  assert.equal(batch.events, 2);
});

test("more links of one page than a group can count", () => {
  const batch = new EventBatch();
  for (let i = 0; i < 70_000; i++) admit(batch, link(`http://a/${i}`));
  assert.equal(batch.events, 2);
  assert.equal(flat(decodeEvents(viewOf(batch, 1))).length, 70_000);
});

test("what does not fit the format is refused", () => {
  const batch = new EventBatch();
  assert.throws(() => admit(batch, link(`http://a/${"x".repeat(65_536)}`)), CapacityError);
  const bytes = new Uint8Array(17 * 1024 * 1024);
  const block = { target: 1, epoch: 1, number: 1, links: 1, bytes };
  assert.throws(() => batch.outbox(block), CapacityError);
  assert.throws(() => batch.done(1, 2, 0), CapacityError);
});

test("an unknown kind of event is an error that names file and offset", () => {
  const view = {
    ...viewOf(pack([{ kind: "counted", counter: 1, amount: 1 }]), 1),
    file: "f.journal",
    offset: 77,
  };
  view.bytes[view.from] = 99;
  const expected = (error: unknown) =>
    error instanceof StoreCorruptError && /f\.journal:77: .*kind 99/.test(error.message);
  assert.throws(() => decodeEvents(view), expected);
});

test("a wrong length inside an intact batch is an error, never a loop or a read outside", () => {
  fc.assert(
    fc.property(batches, fc.nat(), fc.nat({ max: 255 }), (all, where, value) => {
      const view = viewOf(pack(all.flat()), 1);
      if (view.to > view.from) view.bytes[view.from + (where % (view.to - view.from))] = value;
      try {
        decodeEvents(view);
        fold([]).apply(view);
      } catch (error) {
        if (!(error instanceof StoreCorruptError)) throw error;
      }
    }),
  );
});

test("headers keep numbers up to 2^53", () => {
  const header = {
    shard: 15,
    segment: 17,
    salt: 0xfffffffe,
    seedLow: 1,
    seedHigh: 2,
    firstSequence: 2 ** 53 - 1,
    epoch: 3,
  };
  const bytes = encodeSegmentHeader(header);
  assert.deepEqual(decodeSegmentHeader(bytes), { ...header, isOld: false });
  for (let i = 0; i < bytes.length; i++) {
    const bad = Buffer.from(bytes);
    bad[i]! ^= 1;
    assert.equal(decodeSegmentHeader(bad), "damaged");
  }
});

test("a batch of another file does not pass here", () => {
  const bytes = pack([{ kind: "counted", counter: 1, amount: 1 }]).finish();
  const header = { eventBytes: 14, events: 1, sequence: 2 ** 40, synced: 2 ** 39, epoch: 9 };
  const length = sealBatch(bytes, header, 1);
  assert.equal(claimedLength(bytes, 0), length);
  assert.deepEqual(decodeBatchHeader(bytes, 0), header);
  assert.ok(isIntact(bytes, 0, length, 1));
  assert.ok(!isIntact(bytes, 0, length, 2));
});
