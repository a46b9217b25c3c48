import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FailureCodes,
  FailureCounts,
  failureBytes,
  failuresIn,
} from "../../src/stats/failure-counts.ts";
import { HostRows, hostRowBytes, hostsIn } from "../../src/stats/host-rows.ts";
import {
  LatencyCounts,
  latencyBytes,
  latencyIn,
  NO_LATENCY,
  percentileMs,
} from "../../src/stats/latency-counts.ts";

test("failures of all threads add up by code; an unknown code counts as other", () => {
  const codes = new FailureCodes(["robots", "http_404"]);
  const memory = new SharedArrayBuffer(failureBytes(2, codes));
  const [first, second] = [0, 1].map((thread) => new FailureCounts(memory, thread, codes));
  first!.add("http_404");
  second!.add("http_404");
  second!.add("something new");
  assert.deepEqual(failuresIn(memory, codes), { http_404: 2, other: 1 });
});

test("response times fall into classes, and percentiles are right to the class", () => {
  const memory = new SharedArrayBuffer(latencyBytes(2));
  const rows = [0, 1].map((thread) => new LatencyCounts(memory, thread));
  for (let ms = 1; ms <= 1000; ms++) rows[ms % 2]!.add(ms);
  const latency = latencyIn(memory);
  assert.equal(latency.sumMs, 500_500);
  assert.equal(
    latency.counts.reduce((a, b) => a + b),
    1000,
  );
  assert.ok(Math.abs(percentileMs(latency, 0.5)! - 500) < 2);
  assert.ok(Math.abs(percentileMs(latency, 0.9)! - 900) < 2);
  rows[0]!.add(1e9);
  assert.equal(percentileMs(latencyIn(memory), 1), 60_000);
  assert.equal(percentileMs(NO_LATENCY, 0.5), undefined);
});

test("hosts have rows, which the successor of a thread finds again", () => {
  const memory = new SharedArrayBuffer(hostRowBytes(3));
  const rows = new HostRows(memory, 1, 3);
  rows.add("a.example", "done");
  rows.add("a.example", "failed");
  rows.add("xn--mnchen-3ya.example", "refused");
  new HostRows(memory, 2, 3).add("b.example", "done");
  const successor = new HostRows(memory, 1, 3);
  assert.deepEqual(successor.of("a.example"), { done: 1, failed: 1, refused: 0 });
  successor.add("a.example", "done");
  assert.deepEqual(successor.of("a.example"), { done: 2, failed: 1, refused: 0 });
  assert.deepEqual([...successor.names()], ["a.example", "xn--mnchen-3ya.example"]);
  assert.deepEqual(successor.of("b.example"), { done: 0, failed: 0, refused: 0 });
  assert.equal(hostsIn(memory, 3), 3);
});

test("hosts without room for a row are counted together, and spoil no other row", () => {
  const threads = 1 << 16;
  const memory = new SharedArrayBuffer(hostRowBytes(threads));
  const rows = new HostRows(memory, 7, threads);
  for (let i = 0; i < 10; i++) rows.add(`host-${i}.example`, "done");
  rows.add(`${"long.".repeat(100)}example`, "failed");
  const known = [...rows.names()];
  assert.equal(known.length, 3);
  for (const name of known) assert.equal(rows.of(name).done, 1);
  assert.deepEqual(rows.others, { done: 7, failed: 1, refused: 0 });
  assert.equal(new HostRows(memory, 8, threads).size, 0);
});
