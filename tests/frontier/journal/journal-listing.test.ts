import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listJournals } from "../../../src/frontier/journal/journal-listing.ts";
import { freshFolder } from "../../store/sample-capture.ts";

test("one look finds the files of every shard in order, and no others", (t) => {
  const folder = freshFolder(t);
  const names = [
    "shard-03.000010.journal",
    "shard-03.000009.journal",
    "shard-03.1000000.journal",
    "shard-03.000008.snapshot",
    "shard-03.000008.done",
    "shard-03.000002.done",
    "shard-03.000010.snapshot.new",
    "shard-103.000001.journal",
    "shard-3.000001.journal",
    "shard-03.0000011.journal",
    "shard-03.000011.journal.bak",
    "shard-003.000012.journal",
    "queue-0.scratch",
  ];
  for (const name of names) writeFileSync(join(folder, name), "");
  const listed = listJournals(folder);
  assert.deepEqual(listed(3), {
    segments: [9, 10, 1_000_000],
    snapshots: [8],
    lists: [2, 8],
    unfinished: ["shard-03.000010.snapshot.new"],
  });
  assert.deepEqual(listed(103).segments, [1]);
  assert.deepEqual(listed(4), { segments: [], snapshots: [], lists: [], unfinished: [] });
});

test("a folder that is not there holds nothing", (t) => {
  assert.deepEqual(listJournals(join(freshFolder(t), "none"))(0).segments, []);
});
