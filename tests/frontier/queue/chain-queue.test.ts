import assert from "node:assert/strict";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { StoreCorruptError } from "../../../src/errors.ts";
import { compactShard } from "../../../src/frontier/fold/compact-shard.ts";
import type { Lease } from "../../../src/frontier/host.ts";
import type { JournalEvent } from "../../../src/frontier/journal/event-cursor.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { RecoveredFiles } from "../../../src/frontier/queue/recovered-files.ts";
import type { Shard } from "../../../src/frontier/shard/shard.ts";
import type { ScratchFile } from "../../../src/runtime/scratch-file.ts";
import { hostnameOf } from "../../../src/url/url-parts.ts";
import {
  fingerprintOf,
  link,
  openAtOnce,
  pack,
  SEEDS,
  SHARD,
  UNSYNCED_FILES,
  withFolder,
} from "../journal/plans.ts";

const CHAINS = [[], ["00112233445566ff", "0123456789abcdef"]] as const;

type Order = "bfs" | "dfs";

/** A page: how many links it has, on which of three hosts the first are, and which of them are done. */
const page = fc.record({
  links: fc.integer({ min: 1, max: 60 }),
  hosts: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
  done: fc.array(fc.nat(59), { maxLength: 3 }),
});

function write(
  folder: string,
  pages: readonly (typeof page extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const writer = new JournalWriter({
    ...{ folder, shard: SHARD, epoch: 1, ...SEEDS, files: UNSYNCED_FILES },
    segmentBytes: 8000,
  });
  for (const [number, { links, hosts, done }] of pages.entries()) {
    const url = (i: number) =>
      `http://h${hosts[Math.floor((i * hosts.length) / links)]}.test/${number}/${i}${"x".repeat((7 * i) % 90)}`;
    const more = { parent: link(`http://p.test/${number}`).url, chain: CHAINS[number % 2]! };
    const found = Array.from({ length: links }, (_, i) => link(url(i), { ...more, depth: number }));
    const events: JournalEvent[] = [{ kind: "admit", found }];
    for (const i of new Set(done.filter((one) => one < links)))
      events.push({ kind: "done", ...fingerprintOf(url(i)), outcome: 1, where: undefined });
    writer.append(pack(events));
  }
  writer.close();
  return writer.segment;
}

/** Memory in place of a file: with room for two chunks the log spills early. */
function memoryFile(): ScratchFile {
  let bytes = Buffer.alloc(0);
  return {
    write(piece, offset) {
      if (offset + piece.length > bytes.length)
        bytes = Buffer.concat([bytes, Buffer.alloc(offset + piece.length - bytes.length)]);
      bytes.set(piece, offset);
    },
    read: (into, offset, from = 0, to = into.length) =>
      into.set(bytes.subarray(offset, offset + to - from), from),
    close() {},
  };
}

function open(folder: string, order: Order, files?: RecoveredFiles): Shard {
  const log = new QueueLog(memoryFile, 1);
  return openAtOnce(folder, () => new ChainQueue(log, order === "dfs", files), order).shard;
}

/** Takes everything, admitting links now and then; what each host gave, in order. */
function takeAll(shard: Shard, admitEvery: number): Map<string, Lease[]> {
  const taken = new Map<string, Lease[]>();
  let admitted = 0;
  for (let count = 0; shard.queued > 0; count++) {
    const lease = shard.take(0)!;
    const { name } = lease.host;
    taken.set(name, [...(taken.get(name) ?? []), lease]);
    shard.requestEnded(lease, 0);
    if (count % admitEvery !== 0 || admitted === 20) continue;
    // Of the same host: it goes behind what was last there, which may be a run that was just read.
    const fresh = link(`http://${name}/new/${admitted++}`);
    const { low, high } = fingerprintOf(fresh.url);
    assert.ok(shard.admit(fresh, hostnameOf(fresh.url), low, high));
  }
  return taken;
}

/** All of a lease but the host, which is another object in another shard. */
const described = (taken: Map<string, Lease[]>) =>
  [...taken].map(([name, leases]) => [name, leases.map(({ host: _, ...rest }) => rest)]).sort();

test("links that stay in the journal come in the order in which copies of them come", () => {
  const order = fc.constantFrom<Order>("bfs", "dfs");
  const options = fc.record({
    order,
    admitEvery: fc.integer({ min: 1, max: 9 }),
    compact: fc.boolean(),
  });
  let unread = 0;
  fc.assert(
    fc.property(fc.array(page, { minLength: 1, maxLength: 12 }), options, (pages, how) => {
      withFolder((folder) => {
        const last = write(folder, pages);
        const copied = takeAll(open(folder, how.order), how.admitEvery);
        const files = new RecoveredFiles({ minBytes: 0 });
        const shard = open(folder, how.order, files);
        unread += files.size;
        // Takes the names of what the queue still has to read.
        if (how.compact)
          compactShard({ folder, shard: SHARD, upTo: last, files: UNSYNCED_FILES, ...SEEDS });
        assert.deepEqual(described(takeAll(shard, how.admitEvery)), described(copied));
        assert.equal(files.size, 0);
        // The same from the snapshot, if there is one.
        const again = new RecoveredFiles({ minBytes: 0 });
        const third = takeAll(open(folder, how.order, again), how.admitEvery);
        assert.deepEqual(described(third), described(copied));
        assert.equal(again.size, 0);
      });
    }),
    { numRuns: 40 },
  );
  assert.ok(unread > 40, `${unread} files were left to be read`);
});

for (const [what, harm] of [
  ["shorter", (path: string) => truncateSync(path, 700)],
  [
    "other",
    (path: string) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 300));
    },
  ],
] as const) {
  test(`a journal that becomes ${what} while links wait in it is told with file and offset`, () => {
    withFolder((folder) => {
      write(folder, [{ links: 50, hosts: [1], done: [] }]);
      const shard = open(folder, "bfs", new RecoveredFiles({ minBytes: 0 }));
      // The one behind it is empty.
      const name = readdirSync(folder).sort().at(-2)!;
      harm(join(folder, name));
      assert.throws(
        () => takeAll(shard, 9),
        (fault) =>
          fault instanceof StoreCorruptError && /\.journal:\d+: queued links/.test(fault.message),
      );
    });
  });
}

test("what is in small files is copied, and what is in more files than may be open", () => {
  withFolder((folder) => {
    write(folder, Array(5).fill({ links: 50, hosts: [1], done: [] }));
    for (const [options, kept] of [
      [{}, 0],
      [{ minBytes: 0, maxFiles: 2 }, 2],
      [{ minBytes: 0, maxFiles: 0 }, 0],
    ] as const) {
      const files = new RecoveredFiles(options);
      const shard = open(folder, "bfs", files);
      assert.deepEqual([files.size, shard.queued], [kept, 250]);
      const leases = takeAll(shard, 1000).get("h1.test")!;
      assert.deepEqual(
        leases.map(({ url }) => url.split("/")[3]).filter((page) => page !== "new"),
        [0, 1, 2, 3, 4].flatMap((page) => Array(50).fill(`${page}`)),
      );
    }
  });
});
