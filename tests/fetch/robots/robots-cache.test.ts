import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RobotsCache, robotsFromStatus } from "../../../src/fetch/robots/robots-cache.ts";
import { RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";

const body = Buffer.from("User-agent: *\nDisallow: /x");
const HOUR_MS = 3_600_000;

test("B2: success is parsed, absence allows, trouble disallows for now", () => {
  const meaning = (status: number) => robotsFromStatus({ status, body }, "Orbweaver");
  for (const status of [200, 203, 206]) {
    const read = meaning(status);
    assert.ok(read.kind === "rules" && !read.rules.verdict("/x").allowed, `${status}`);
  }
  for (const status of [400, 401, 403, 404, 410, 451]) {
    const read = meaning(status);
    assert.ok(read.kind === "rules" && read.rules.verdict("/x").allowed, `${status}`);
  }
  for (const status of [429, 500, 503, 599, 999, 0, 100]) {
    assert.equal(meaning(status).kind, "unreachable", `${status}`);
  }
});

test("B3: five redirects are followed, the sixth means unavailable", () => {
  const redirect = { status: 302, body, location: "http://10.0.0.1/robots.txt" };
  for (let followed = 0; followed < 5; followed++) {
    assert.deepEqual(robotsFromStatus(redirect, "x", followed), {
      kind: "redirect",
      location: redirect.location,
    });
  }
  const sixth = robotsFromStatus(redirect, "x", 5);
  assert.ok(sixth.kind === "rules" && sixth.rules === RobotsRules.allowAll);
  const nowhere = robotsFromStatus({ status: 302, body }, "x");
  assert.ok(nowhere.kind === "rules" && nowhere.rules === RobotsRules.allowAll);
});

test("answers expire after the time to live", () => {
  let now = 1_000;
  const cache = new RobotsCache({ maxBytes: 10_000, ttlMs: 24 * HOUR_MS, clock: () => now });
  const rules = { kind: "rules", rules: RobotsRules.parse(body, "x") } as const;
  cache.put("http://a", rules);
  now = 999 + 24 * HOUR_MS;
  assert.equal(cache.get("http://a"), rules);
  now = 1_000 + 24 * HOUR_MS;
  assert.equal(cache.get("http://a"), undefined);
  assert.deepEqual([cache.bytes, cache.size], [0, 0]);
});

test("the cache never exceeds its bytes and drops what was not used for the longest time", () => {
  const cache = new RobotsCache({ maxBytes: 4_000, ttlMs: HOUR_MS, clock: () => 0 });
  const answer = { kind: "rules", rules: RobotsRules.parse(body, "x") } as const;
  cache.put("a", answer);
  cache.put("b", answer);
  cache.put("c", answer);
  assert.equal(cache.size, 3);
  cache.get("a");
  cache.put("d", answer);
  assert.deepEqual(
    ["a", "b", "c", "d"].map((origin) => cache.get(origin) !== undefined),
    [true, false, true, true],
  );
  const huge = RobotsRules.parse(
    Buffer.from(`User-agent: *\n${"Disallow: /y\n".repeat(500)}`),
    "x",
  );
  cache.put("a", { kind: "rules", rules: huge });
  assert.equal(cache.get("a"), undefined);
});

test("the count of bytes holds for every sequence of calls", () => {
  const call = fc.tuple(fc.constantFrom("put", "get", "wait"), fc.nat(8), fc.nat(40));
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      let now = 0;
      const cache = new RobotsCache({ maxBytes: 6_000, ttlMs: 100, clock: () => now });
      for (const [what, origin, size] of calls) {
        if (what === "wait") now += size;
        else if (what === "get") cache.get(`o${origin}`);
        else {
          const text = `User-agent: *\n${"Disallow: /path\n".repeat(size)}`;
          cache.put(`o${origin}`, {
            kind: "rules",
            rules: RobotsRules.parse(Buffer.from(text), "x"),
          });
        }
        assert.ok(cache.bytes >= 0 && cache.bytes <= 6_000);
        assert.equal(cache.size === 0, cache.bytes === 0);
      }
    }),
  );
});
