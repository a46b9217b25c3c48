import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ControlLog } from "../../../src/crawl/control/control-log.ts";
import { StoreCorruptError } from "../../../src/errors.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { tempFolder } from "../../support/orbweaver.ts";
import { keptTest } from "./kept-test.ts";

keptTest(2);

test("what a crash left of the last line is ignored and overwritten, any other damage is told", (t) => {
  const folder = tempFolder(t);
  mkdirSync(join(folder, "logs"));
  const path = join(folder, "logs/control.jsonl");
  const log = new ControlLog(path);
  log.append({ event: "addSeeds", urls: ["http://a.test/" as CrawlUrl] }, 0);
  log.append({ event: "blockHost", host: "b.test" }, 1);
  log.close();
  for (const torn of ['{"event":"pau', "\0\0\0\0", "\0\0\0\n"]) {
    const whole = readFileSync(path, "utf8");
    appendFileSync(path, torn);
    const again = new ControlLog(path);
    assert.deepEqual([again.state.isPaused, again.state.seeds.length], [false, 1]);
    again.append({ event: "setLinksPerThread", linksPerThread: 5 }, 2);
    again.close();
    assert.ok(readFileSync(path, "utf8").startsWith(whole));
    assert.equal(new ControlLog(path).state.snapshot().linksPerThread, 5);
  }
  writeFileSync(path, readFileSync(path, "utf8").replace('{"at"', '{"\0'));
  assert.throws(() => new ControlLog(path), StoreCorruptError);
});
