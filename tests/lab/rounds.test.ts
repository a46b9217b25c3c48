import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

test("--schedule rounds: shares are dealt out, leftovers kept or dropped, the limit is met exactly", async (t) => {
  const web = await startWebProcess({ profile: { ...PROFILES.small, pages: 60, errorRate: 0 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "rounds");
  const args = ["crawl", web.start[0]!, "--frontier", "shared", "--schedule", "rounds"];
  const sizes = ["--delay", "0", "--threads", "2", "--links-per-thread", "4", "--out", out];
  const kept = await orbweaver([...args, ...sizes, "--max-pages", "9", "--json"]);
  assert.equal(kept.code, 3, kept.stderr);
  const summary = JSON.parse(kept.stdout);
  assert.deepEqual([summary.ended, summary.pages, summary.dropped], ["pages", 9, 0]);
  // One link in the first round, at most 2 x 4 in each of the others.
  assert.ok(summary.rounds >= 2, kept.stdout);
  assert.deepEqual(JSON.parse(readFileSync(join(out, "reports/summary.json"), "utf8")), summary);
  const visited = readFileSync(join(out, "reports/visited.jsonl"), "utf8").trimEnd().split("\n");
  const levels = visited.map((line) => JSON.parse(line).level);
  assert.deepEqual([levels.length, levels.filter((level) => level === 0).length], [9, 1]);
  assert.ok(visited.every((line) => JSON.parse(line).links.length > 0));
  const dropped = await orbweaver([
    ...args,
    ...sizes.slice(0, -2),
    "--leftovers",
    "drop",
    "--json",
  ]);
  assert.equal(dropped.code, 0, dropped.stderr);
  assert.ok(JSON.parse(dropped.stdout).dropped > 0, dropped.stdout);
  const idle = await orbweaver(["crawl", web.start[0]!, "--leftovers", "drop"]);
  assert.equal(idle.code, 2);
  assert.match(idle.stderr, /it needs --schedule rounds/);
});

test("--accept text/html keeps only what is marked as text/html", async (t) => {
  const { createServer } = await import("node:http");
  const types: Record<string, string | undefined> = {
    "/": "text/html; charset=utf-8",
    "/plain": "text/plain",
    "/xhtml": "application/xhtml+xml",
    "/none": undefined,
    "/html": "Text/HTML",
  };
  const links = Object.keys(types).map((path) => `<a href="${path}">x</a>`);
  const server = createServer((request, response) => {
    const type = types[request.url!];
    if (type !== undefined) response.setHeader("content-type", type);
    response.end(`<!doctype html>${links.join("")}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const out = join(tempFolder(t), "strict");
  const found = await orbweaver([
    ...["crawl", `http://127.0.0.1:${port}/`, "--delay", "0", "--no-robots", "--out", out],
    ...["--accept", "text/html", "--json"],
  ]);
  assert.equal(found.code, 0, found.stderr);
  assert.equal(JSON.parse(found.stdout).pages, 2);
});
