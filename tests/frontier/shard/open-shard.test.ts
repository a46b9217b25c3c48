import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import {
  type JournalFiles,
  REAL_FILES,
  segmentName,
} from "../../../src/frontier/journal/journal-files.ts";
import { JournalWriter } from "../../../src/frontier/journal/journal-writer.ts";
import { ChainQueue } from "../../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../../src/frontier/queue/queue-log.ts";
import { openShard } from "../../../src/frontier/shard/open-shard.ts";
import { link, pack, SEED_HIGH, SEED_LOW, withFolder } from "../journal/plans.ts";

const SHARD = 3;
const SEEDS = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };

/** The real disk, and which files were synced, by name. */
function watchedFiles(synced: string[]): JournalFiles {
  const names = new Map<number, string>();
  return {
    ...REAL_FILES,
    open(path) {
      const file = REAL_FILES.open(path);
      names.set(file, basename(path));
      return file;
    },
    sync(file) {
      REAL_FILES.sync(file);
      synced.push(names.get(file)!);
    },
    syncFolder(folder) {
      REAL_FILES.syncFolder(folder);
      synced.push("the folder");
    },
  };
}

test("what a killed run left in the page cache is synced before anybody builds on it", () =>
  withFolder((folder) => {
    const writer = new JournalWriter({ folder, shard: SHARD, epoch: 1, ...SEEDS });
    writer.append(pack([{ kind: "admit", found: [link("http://example.org/")] }]));
    // It is killed here: nothing is synced, nothing is closed.
    const synced: string[] = [];
    const { end } = openShard({
      folder,
      number: SHARD,
      rules: { delayMs: 0, perHost: 1, order: "bfs", startMs: 0, ...SEEDS },
      newQueue: () =>
        new ChainQueue(new QueueLog(() => assert.fail("no file is needed"), 1 << 16), false),
      files: watchedFiles(synced),
    });
    assert.equal(end?.sequence, 1);
    assert.deepEqual(synced, [segmentName(SHARD, 1), "the folder"]);
  }));
