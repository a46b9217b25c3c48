import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contradictionsIn, type ShardExchange } from "../../../src/frontier/fold/exchange-check.ts";
import { segmentName } from "../../../src/frontier/journal/journal-files.ts";
import { untouchedShards } from "../../../src/frontier/shard/untouched-shards.ts";
import { tempFolder } from "../../support/orbweaver.ts";

test("a shard is untouched if its journal was begun and nothing was ever written", (t) => {
  const folder = tempFolder(t);
  const put = (shard: number, segment: number, text = "") =>
    writeFileSync(join(folder, segmentName(shard, segment)), text);
  put(0, 1);
  put(1, 1, "something");
  put(2, 1, "something");
  put(2, 2);
  put(4, 2);
  assert.deepEqual([...untouchedShards(folder, 5, true).keys()], [0], "3 is lost, 4 lacks a file");
});

test("others that had blocks confirmed by an untouched shard contradict it", (t) => {
  const folder = tempFolder(t);
  for (const shard of [0, 1]) writeFileSync(join(folder, segmentName(shard, 1)), "");
  const untouched = [...untouchedShards(folder, 2, true).values()];
  assert.deepEqual([...contradictionsIn(untouched)], []);
  const sender = (confirmed: number): ShardExchange => ({
    ...untouched[0]!,
    sent: Uint32Array.of(1, 7, 3, confirmed),
  });
  assert.deepEqual([...contradictionsIn([sender(0), untouched[1]!])], [], "they are sent again");
  const told = [...contradictionsIn([sender(2), untouched[1]!])];
  assert.match(told.map(({ what }) => what).join(), /shard 1 has 0 of the 2 blocks/);
});
