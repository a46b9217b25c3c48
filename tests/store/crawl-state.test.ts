import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  readCrawlState,
  repairCrawlState,
  writeCrawlState,
} from "../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { freshFolder } from "./sample-capture.ts";

test("a flipped byte anywhere in the state is noticed and put right from the copy, and the other way round", (t) => {
  const dir = join(freshFolder(t), "crawl");
  const { state, stateCopy } = createCrawlFolder(dir, 0, { config: { words: "größer" } });
  writeCrawlState(dir, { ...readCrawlState(dir)!, epoch: 7 });
  const good = readFileSync(state);
  for (const path of [state, stateCopy]) {
    for (let at = 0; at < good.length; at++) {
      const bytes = Buffer.from(good);
      bytes[at] = bytes[at]! ^ (1 << (at % 8));
      writeFileSync(path, bytes);
      if (path === state) {
        const named = { code: "OW_STORE_CORRUPT", message: /crawl\.json:0: / };
        assert.throws(() => readCrawlState(dir), named);
      }
      assert.deepEqual(repairCrawlState(dir), [{ file: path, offset: at }]);
      assert.deepEqual(readFileSync(path), good);
    }
  }
  assert.deepEqual(repairCrawlState(dir), []);
  assert.equal(readCrawlState(dir)!.epoch, 7);
});
