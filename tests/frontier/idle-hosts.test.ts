import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type IdleHost, IdleHosts } from "../../src/frontier/idle-hosts.ts";

const DELAY_MS = 1000;

/** A well mixed number (splitmix32), the same in every run. */
function mixed(n: number): number {
  let h = Math.imul(n + 1, 0x9e3779b9);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

const isForgettable = (host: IdleHost, nowMs: number) =>
  host.nextMs <= nowMs && host.delayMs === DELAY_MS && host.step === 0;

// Few names, so that they come again; the last high halves are at the end of the table, where probing wraps around.
const name = fc.tuple(
  fc.constantFrom(0, 1, 2, 0xffffffff, 0x80000000),
  fc.oneof(fc.constantFrom(0, 1, 0xffffffff, 0xfffffffe), fc.integer({ min: 0, max: 0xffffffff })),
);
const keep = fc.record({
  kind: fc.constant("keep" as const),
  name,
  waitMs: fc.constantFrom(0, 1, 50, 1e6),
  delayMs: fc.constantFrom(DELAY_MS, DELAY_MS, 300_000),
  step: fc.constantFrom(0, 0, 0, 3),
});
const command = fc.oneof(
  { arbitrary: keep, weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant("take" as const), which: fc.nat() }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat({ max: 200 }) }),
    weight: 1,
  },
);

const few = fc.array(command, { maxLength: 30 });
// More than the first table holds, so that it is cleaned and grows.
const many = fc.array(command, { minLength: 200, maxLength: 400 });

test("idle hosts are kept like in a Map; only what could be asked at once anyway is forgotten", () => {
  let forgotten = 0;
  let mostKept = 0;
  fc.assert(
    fc.property(fc.oneof(few, many), (commands) => {
      const hosts = new IdleHosts(DELAY_MS);
      const model = new Map<string, [low: number, high: number, host: IdleHost]>();
      const names: [number, number][] = [];
      let nowMs = 1e9;
      const check = (low: number, high: number) => {
        const key = `${low === 0 ? 1 : low}:${high}`;
        const expected = model.get(key)?.[2];
        const found = hosts.take(low, high);
        if (found === undefined && expected !== undefined) {
          assert.ok(isForgettable(expected, nowMs), `${key} was lost`);
          forgotten++;
        } else assert.deepEqual(found, expected);
        model.delete(key);
      };
      for (const one of commands) {
        if (one.kind === "pass") nowMs += one.ms;
        else if (one.kind === "keep") {
          const [low, high] = one.name;
          const host = { nextMs: nowMs + one.waitMs, delayMs: one.delayMs, step: one.step };
          hosts.keep(low, high, host, nowMs);
          model.set(`${low === 0 ? 1 : low}:${high}`, [low, high, host]);
          names.push([low, high]);
          mostKept = Math.max(mostKept, hosts.size);
        } else if (names.length > 0) check(...names[one.which % names.length]!);
        assert.ok(hosts.size <= model.size);
      }
      for (const [low, high] of [...model.values()]) check(low, high);
      assert.equal(hosts.size, 0);
    }),
  );
  // Beyond the first 64 slots, so that the table has grown.
  assert.ok(forgotten > 0 && mostKept > 64, `${forgotten} forgotten, ${mostKept} kept at most`);
});

test("hosts that may be asked again make room: the table does not grow with the hosts seen", () => {
  const hosts = new IdleHosts(DELAY_MS);
  for (let i = 0; i < 200_000; i++) {
    // One host a millisecond, each to be left alone for a second: 1,000 count at any time.
    hosts.keep(mixed(2 * i), mixed(2 * i + 1), { nextMs: i + 1000, delayMs: 1000, step: 0 }, i);
  }
  assert.ok(hosts.bytes < 64 * 1024, `${hosts.bytes} bytes`);
});

test("a million idle hosts that cannot be forgotten take at most 64 bytes each, while it grows too", () => {
  const hosts = new IdleHosts(DELAY_MS);
  const count = 1_000_000;
  let { bytes } = hosts;
  let most = 0;
  for (let i = 0; i < count; i++) {
    hosts.keep(mixed(2 * i), mixed(2 * i + 1), { nextMs: 1e9 + i, delayMs: 1000, step: 0 }, 0);
    // When it grows the old table is there as well.
    if (i > 10_000 && hosts.bytes !== bytes) most = Math.max(most, (bytes + hosts.bytes) / i);
    ({ bytes } = hosts);
  }
  assert.equal(hosts.size, count);
  assert.ok(most > 20 && most <= 64, `${most} bytes per host`);
  for (let i = 0; i < count; i += 101) {
    const host = hosts.take(mixed(2 * i), mixed(2 * i + 1));
    assert.deepEqual(host, { nextMs: 1e9 + i, delayMs: 1000, step: 0 });
  }
});
