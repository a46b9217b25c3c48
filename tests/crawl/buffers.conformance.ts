import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { readRecords } from "../support/archive.ts";
import { readPages } from "../support/orbweaver.ts";
import { crawlOf, ENDS } from "./buffered-crawl.ts";
import { type Script, scriptedServer } from "./scripted-server.ts";

const MIB = 1024 * 1024;

test("full: a crawler and then its builder die, and no permit is missing", ENDS, async (t) => {
  // Two links at a time and 8 ms each: however fast the machine, there is time to die.
  const profile = { ...PROFILES.small, pages: 300, hosts: 6 };
  const web = await startWeb({ profile, latencyMs: 8 });
  t.after(() => web.close());
  const parts = { handOff: "full", bufferSize: 5, threads: 2, linksPerThread: 1 };
  const { crawl, out } = crawlOf(t, web.start, parts);
  const victims = ["crawler 1", "builder 0"];
  const replaced: string[] = [];
  let killed = 0;
  crawl.events.on("workerReplaced", (name) => replaced.push(name));
  crawl.events.on("progress", ({ pages }) => {
    if (killed === victims.length || replaced.length < killed || pages < 20 * (killed + 1)) return;
    void crawl.killWorker(victims[killed++]!);
  });
  const { ended, pages } = await crawl.run();
  assert.deepEqual(replaced, victims);
  assert.deepEqual([ended, pages], ["finished", web.truth().reachable]);
  assert.equal(new Set(readPages(out).map(({ url }) => url)).size, pages);
});

/** Text that no level of gzip makes much smaller, and that differs from page to page. */
function noise(bytes: number, seed: number): string {
  const block = (i: number) => createHash("sha512").update(`${seed} ${i}`).digest("base64");
  return Array.from({ length: Math.ceil(bytes / 88) }, (_, i) => block(i))
    .join("")
    .slice(0, bytes);
}

function plain(text: string): Script[string] {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(text);
  };
}

test("a slow builder: what waits in memory stays within the buffer, and the crawler waits", async (t) => {
  const [count, lane, links] = [60, 8, 3];
  // Larger bodies are also held back where they are received.
  const bytesEach = 500 * 1024;
  const pages = Array.from({ length: count }, (_, i) => [`/${i}`, noise(bytesEach, i)] as const);
  const script = Object.fromEntries(pages.map(([path, text]) => [path, plain(text)]));
  const { origin } = await scriptedServer(t, script);
  const { crawl, out } = crawlOf(
    t,
    pages.map(([path]) => origin + path),
    { threads: 1, linksPerThread: links, accept: "any", warcLevel: 9, robots: false },
  );
  const archive = join(out, "archive");
  const written = (): number => {
    const files = existsSync(archive) ? readdirSync(archive) : [];
    return files.reduce((sum, file) => sum + statSync(join(archive, file)).size, 0);
  };
  const seen: [fetched: number, written: number][] = [];
  const look = setInterval(() => {
    // In this order: what is written meanwhile makes less wait, not more.
    const { bytes } = crawl.progress();
    seen.push([bytes, written()]);
  }, 2);
  t.after(() => clearInterval(look));
  const summary = await crawl.run();
  clearInterval(look);
  assert.equal(summary.pages, count);
  const shrunk = written() / (count * bytesEach);
  const waited = Math.max(...seen.map(([bytes, disk]) => bytes / MIB - disk / shrunk / MIB));
  // Besides the lane: what was in flight when it was full, and what the builder works on.
  const bound = lane + links + 3;
  assert.ok(waited <= bound, `${waited.toFixed(1)} MiB waited, ${bound} at most`);
  assert.ok(waited >= lane / 2, `only ${waited.toFixed(1)} MiB waited: the builder was not slow`);
});

test("a page larger than the whole buffer arrives in fragments, among small ones", async (t) => {
  const large = noise(22 * MIB, 1);
  const { origin } = await scriptedServer(t, {
    "/large": plain(large),
    "/a": plain("small a"),
    "/b": plain("small b"),
  });
  for (const handOff of ["full", "count-or-time"] as const) {
    const start = ["/a", "/large", "/b"].map((path) => origin + path);
    const more = { threads: 2, handOff, maxBodyBytes: 30 * MIB, accept: "any", warcLevel: 0 };
    const { crawl, out } = crawlOf(t, start, { ...more, robots: false });
    const { pages } = await crawl.run();
    assert.equal(pages, 3);
    const records = readRecords(join(out, "archive"));
    const record = records.find(
      ({ uri, headers }) => uri === `${origin}/large` && headers.get("warc-type") === "response",
    )!;
    const body = Buffer.from(record.block).subarray(-large.length);
    assert.ok(body.equals(Buffer.from(large)), "the large page is not what was sent");
  }
});
