import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ControlLog, readControlLog } from "../../../src/crawl/control/control-log.ts";
import { EXIT, StoreCorruptError } from "../../../src/errors.ts";
import { repairControlLog } from "../../../src/store/recover/repair-control-log.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { CheckedCrawl } from "../../support/checked-crawl.ts";
import { orbweaver, tempFolder } from "../../support/orbweaver.ts";
import { keptTest } from "./kept-by-resume.ts";
import { steeredConfig, steeredWeb } from "./steered-web.ts";

keptTest(2);

test("what a crash left of the last line is ignored and overwritten", (t) => {
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
});

/** Every change that the log of a folder tells of. */
const eventsIn = (path: string) => readControlLog(path).changes.map(({ event }) => event);

test("a flipped byte anywhere in the log is noticed, and recover loses that change alone", (t) => {
  const dir = tempFolder(t);
  const path = join(dir, "logs/control.jsonl");
  const damaged = join(dir, "state/damaged");
  mkdirSync(join(dir, "logs"));
  const log = new ControlLog(path);
  log.append({ event: "addSeeds", urls: ["http://a.test/" as CrawlUrl] }, 0);
  log.append({ event: "pause" }, 1);
  log.append({ event: "setHost", host: "b.test", delayMs: 7 }, 2);
  log.close();
  const whole = readFileSync(path);
  const events = eventsIn(path);
  const lineOf = (at: number) => whole.subarray(0, at).filter((byte) => byte === 0x0a).length;
  // The very last byte ends the last line: without it that line looks like one that a crash has torn.
  for (let at = 0; at < whole.length - 1; at++) {
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1;
    writeFileSync(path, flipped);
    assert.throws(() => new ControlLog(path), StoreCorruptError, `byte ${at}`);
    const lost = repairControlLog(dir, damaged);
    assert.equal(lost.length, 1, `byte ${at}`);
    assert.ok(lost[0]!.offset <= at);
    assert.deepEqual(eventsIn(path), events.toSpliced(lineOf(at), 1), `byte ${at}`);
    assert.deepEqual(readFileSync(join(damaged, "control.jsonl")), flipped, "as it was");
    assert.deepEqual(repairControlLog(dir, damaged), [], "once");
  }
});

test("recover tells which change is lost, and the crawl is resumed with the others", async (t) => {
  const web = await steeredWeb(t);
  const out = join(tempFolder(t), "out");
  web.hold();
  const first = new CheckedCrawl(steeredConfig(web.port, { threads: 1 }), out);
  const ended = first.run();
  await web.untilHeld(1);
  await first.control.blockHost("b.test");
  await first.control.setHost("a.test", { delayMs: 20 });
  await first.control.setLinksPerThread(3);
  const stopped = first.control.stop();
  web.letGo();
  await stopped;
  await ended;
  const path = join(out, "logs/control.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace('"delayMs":20', '"delayMs":21'));
  const refused = await orbweaver(["resume", out]);
  assert.equal(refused.code, EXIT.corrupt);
  assert.match(refused.stderr, /control\.jsonl.*orbweaver recover/);
  const { code, stdout } = await orbweaver(["recover", out]);
  assert.equal(code, EXIT.corrupt, "something is lost");
  assert.match(stdout, /damaged: .*control\.jsonl:\d+: a change of course .*"delayMs":21/);
  const second = new CheckedCrawl(steeredConfig(web.port, { threads: 1 }), out, true);
  const { ended: how } = await second.run();
  assert.equal(how, "finished");
  const { blockedHosts, hosts, linksPerThread } = second.control.state();
  assert.deepEqual([blockedHosts, hosts, linksPerThread], [["b.test"], [], 3]);
});
