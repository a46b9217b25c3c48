import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REAL_FILES, segmentName } from "../../src/frontier/journal/journal-files.ts";
import { ChangeLog } from "../../src/urlfrontier/change-log.ts";
import { loadGrpc } from "../../src/urlfrontier/load-grpc.ts";
import { UrlFrontier } from "../../src/urlfrontier/url-frontier.ts";
import { runHere } from "../cli/run-bin.ts";
import { MAIN } from "../support/orbweaver.ts";
import { clientOf, startServer, temporaryFolder } from "./client.ts";

const urls = (count: number) =>
  Array.from({ length: count }, (_, n) => `http://h${n % 7}.example/${n}`);

test("a server that is killed knows every URL it acknowledged", async (t) => {
  const dir = temporaryFolder(t);
  const child = spawn(process.execPath, [MAIN, "frontier", "--grpc", "0", "--out", dir]);
  t.after(() => child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const { address } = JSON.parse(String(said)) as { address: string };
  const killed = await clientOf(address);
  t.after(() => killed.close());
  assert.deepEqual(new Set(await killed.discover(...urls(500))), new Set(["OK"]));
  await killed.update(0, "http://h0.example/0");
  child.kill("SIGKILL");
  await once(child, "exit");
  const { client } = await startServer(t, dir);
  assert.equal((await client.call("CountURLs")).value, "500");
  const stats = await client.call("GetStats");
  assert.deepEqual([stats.size, (stats.counts as { completed: string }).completed], ["499", "1"]);
  assert.equal((await client.take()).length, 499);
});

test("settings, deletions and dates outlive a restart, and a queue first waits its delay", async (t) => {
  const dir = temporaryFolder(t);
  let now = 1_700_000_000_000;
  const nowMs = () => now;
  const first = await startServer(t, dir, { nowMs });
  await first.client.discover("http://a.example/1", "http://a.example/2", "http://b.example/1");
  await first.client.call("SetDelay", { key: "a.example", delay_requestable: 10 });
  await first.client.call("SetCrawlLimit", { key: "b.example", limit: 7 });
  await first.client.call("DeleteQueue", { key: "b.example" });
  await first.client.update(now / 1000 + 50, "http://a.example/2");
  await first.client.call("SetActive", { state: false });
  await first.close();
  const { client } = await startServer(t, dir, { nowMs });
  assert.deepEqual(await client.call("GetActive"), { state: false });
  await client.call("SetActive", { state: true });
  assert.deepEqual((await client.call("ListQueues")).values, ["a.example"]);
  assert.deepEqual(await client.take(), []);
  now += 10_000;
  assert.deepEqual(await client.take({ delay_requestable: 999 }), ["http://a.example/1"]);
  now += 40_000;
  assert.deepEqual(await client.take(), ["http://a.example/2"]);
});

test("a snapshot takes the place of a long log and changes nothing", (t) => {
  const dir = temporaryFolder(t);
  const write = (from: number, to: number, maxTailBytes: number) => {
    const frontier = new UrlFrontier();
    const log = new ChangeLog({ dir, maxTailBytes }, frontier);
    for (const url of urls(to).slice(from)) {
      const put = { url, key: "", crawl: "c", metadata: { m: ["é"] }, dueS: undefined };
      const change = frontier.decide(put, 1e12);
      if (change === undefined) continue;
      frontier.apply(change);
      log.add(change);
    }
    log.close();
    return [...frontier.changes()];
  };
  write(0, 300, 1e9);
  const before = write(300, 400, 1e9);
  const journals = join(dir, "state/journals");
  assert.equal(readdirSync(journals).filter((name) => name.endsWith("snapshot")).length, 0);
  assert.deepEqual(write(0, 0, 0), before, "folded from the journal, and written as a snapshot");
  assert.equal(readdirSync(journals).filter((name) => name.endsWith("snapshot")).length, 1);
  assert.deepEqual(write(0, 0, 1e9), before, "read from the snapshot");
  assert.equal(write(400, 410, 0).length, before.length + 10);
  assert.equal(write(0, 0, 0).length, before.length + 10);
  // What an interrupted write leaves at the end was never acknowledged.
  const last = readdirSync(journals)
    .filter((name) => name.endsWith("journal"))
    .sort();
  appendFileSync(join(journals, last.at(-2)!), "torn");
  assert.equal(write(0, 0, 0).length, before.length + 10);
});

test("a disk that takes nothing makes the server fail what it cannot keep, and end", async (t) => {
  const dir = temporaryFolder(t);
  let isFull = false;
  const files = {
    ...REAL_FILES,
    write(file: number, bytes: Uint8Array, from: number) {
      if (isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return REAL_FILES.write(file, bytes, from);
    },
  };
  const { client, server } = await startServer(t, dir, { files });
  assert.deepEqual(await client.discover("http://a.example/1"), ["OK"]);
  isFull = true;
  assert.deepEqual(await client.discover("http://a.example/2"), ["FAIL"]);
  await assert.rejects(server.ended, { code: "OW_DISK_FULL" });
  assert.deepEqual(await client.discover("http://a.example/2"), ["FAIL"], "known in memory only");
});

test("folders and journals of anything else are refused, and so is a second server", async (t) => {
  const dir = temporaryFolder(t);
  mkdirSync(join(dir, "state"));
  writeFileSync(join(dir, "state/crawl.json"), "{}");
  const refusal = { code: "OW_FOLDER_TAKEN" };
  assert.throws(() => new ChangeLog({ dir }, new UrlFrontier()), refusal);
  const own = temporaryFolder(t);
  const { close } = await startServer(t, own);
  assert.throws(() => new ChangeLog({ dir: own }, new UrlFrontier()), refusal);
  await close();
  writeFileSync(join(own, "state/journals", segmentName(0, 1)), "x".repeat(300));
  assert.throws(() => new ChangeLog({ dir: own }, new UrlFrontier()), { code: "OW_STORE_CORRUPT" });
});

test("mistakes on the command line are one sentence", async (t) => {
  const dir = temporaryFolder(t);
  const { code, stderr } = await runHere(["frontier", "--out", dir]);
  assert.equal(code, 2);
  assert.match(stderr, /^orbweaver: frontier needs --grpc PORT/);
  const { server } = await startServer(t, dir);
  const other = temporaryFolder(t);
  const taken = await runHere(["frontier", "--grpc", String(server.port), "--out", other]);
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /cannot listen on 127\.0\.0\.1:/);
  const missing = loadGrpc(() => Promise.reject(new Error("Cannot find package")));
  await assert.rejects(missing, { code: "OW_USAGE", message: /npm install @grpc\/grpc-js/ });
});
