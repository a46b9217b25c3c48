import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DiskFullError } from "../../../src/errors.ts";
import type { Discovery } from "../../../src/frontier/discovery.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { readNext, readRecord, writeRecord } from "../../../src/frontier/queue/queue-record.ts";
import { openScratchFile, type ScratchFile } from "../../../src/runtime/scratch-file.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

function found(number: number, length: number): Discovery {
  const url = `http://h/${number}/${"x".repeat(length)}` as CrawlUrl;
  const parent = number % 3 === 0 ? undefined : (`http://p/${number}` as CrawlUrl);
  const chain = number % 7 === 0 ? ["00112233445566ff"] : [];
  return { url, parent, depth: number, via: "link", seed: number % 2 === 0, chain };
}

function append(log: QueueLog, record: Discovery, number: number, before = 0): number {
  const { bytes, at } = log.room();
  return log.commit(writeRecord(bytes, at, record, number, ~number, 0), before);
}

/** A file in memory that refuses to grow beyond `limit`. */
function memoryFile(limit = Number.POSITIVE_INFINITY): ScratchFile {
  let bytes = Buffer.alloc(0);
  return {
    write(from, offset) {
      if (offset + from.length > limit) throw new DiskFullError("no space");
      if (offset + from.length > bytes.length) {
        bytes = Buffer.concat([bytes, Buffer.alloc(offset + from.length - bytes.length)]);
      }
      bytes.set(from, offset);
    },
    read(into, offset, from = 0, to = into.length) {
      into.set(bytes.subarray(offset, offset + to - from), from);
    },
    close() {},
  };
}

test("chains of many hosts come out in order, however far memory reaches", () => {
  // Long records and two chunks of memory: most of the log is on disk, and chains are linked there.
  const step = fc.record({
    host: fc.nat(3),
    take: fc.boolean(),
    length: fc.integer({ min: 1, max: 2000 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 2000, maxLength: 3000 }),
      fc.boolean(),
      (steps, full) => {
        const log = new QueueLog(() => memoryFile(full ? 1 << 20 : undefined), 1);
        const chains = [0, 1, 2, 3].map(() => ({ first: 0, last: 0, waiting: [] as Discovery[] }));
        const take = (chain: (typeof chains)[0]) => {
          const { bytes, at } = log.take(chain.first);
          const { low, high, ...record } = readRecord(bytes, at);
          assert.deepEqual(record, chain.waiting.shift());
          assert.equal(high, ~low >>> 0);
          chain.first = readNext(bytes, at);
        };
        for (const [number, { host, take: taking, length }] of steps.entries()) {
          const chain = chains[host]!;
          if (taking && number % 3 === 0 && chain.waiting.length > 0) take(chain);
          const record = found(number, length);
          const isFirst = chain.waiting.length === 0;
          const reference = append(log, record, number, isFirst ? 0 : chain.last);
          if (isFirst) chain.first = reference;
          chain.last = reference;
          chain.waiting.push(record);
        }
        if (!full) assert.ok(log.memoryBytes <= 3 << 20, `${log.memoryBytes} bytes in memory`);
        for (const chain of chains) while (chain.waiting.length > 0) take(chain);
        assert.ok(log.memoryBytes <= 1 << 20);
      },
    ),
    { numRuns: 12 },
  );
});

test("with many hosts a read from disk serves several takes of a host, and no more of it is kept than there is room for", () => {
  const hosts = 400;
  const depth = 40;
  // Room for what is near of all hosts, and of too few of them.
  for (const [memoryBytes, most] of [
    [1 << 20, 0.4],
    [1, 1.001],
  ] as const) {
    let reads = 0;
    const log = new QueueLog(() => {
      const file = memoryFile();
      const read: ScratchFile["read"] = (...all) => {
        reads++;
        file.read(...all);
      };
      return { ...file, read };
    }, memoryBytes);
    const chains = Array.from({ length: hosts }, (_, host) =>
      Array.from({ length: depth }, (_, i) =>
        append(log, found(host * depth + i, 150), host * depth + i),
      ),
    );
    // So much behind it that all of it has left memory.
    for (let i = 0; i < 12_000; i++) append(log, found(i, 900), i);
    const onDisk = hosts * depth - Math.ceil((2 << 20) / 200);
    for (let i = 0; i < depth; i++) {
      for (const [host, chain] of chains.entries()) {
        const { bytes, at } = log.take(chain[i]!);
        const { low, high, ...record } = readRecord(bytes, at);
        assert.deepEqual(record, found(host * depth + i, 150));
        assert.deepEqual([low, high], [host * depth + i, ~(host * depth + i) >>> 0]);
      }
    }
    assert.ok(reads > 0 && reads <= most * hosts * depth, `${reads} reads`);
    if (memoryBytes === 1) assert.ok(reads > 0.9 * onDisk, `${reads} reads: are they kept?`);
  }
});

test("places in the file are used again, and the file has no name that could be left behind", () => {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-queue-"));
  try {
    const log = new QueueLog(() => openScratchFile(join(folder, "queue")), 1);
    const waiting: number[] = [];
    for (let number = 0; number < 60_000; number++) {
      waiting.push(append(log, found(number, 500), number));
      if (waiting.length > 10_000) {
        const { bytes, at } = log.take(waiting.shift()!);
        assert.equal(readRecord(bytes, at).depth, number - 10_000);
      }
    }
    assert.ok(log.fileBytes > 0 && log.fileBytes < 12 << 20, `${log.fileBytes} bytes of file`);
    assert.deepEqual(readdirSync(folder), []);
    log.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
