import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { UsageError } from "../../../src/errors.ts";
import { AddressPolicy } from "../../../src/fetch/route/address.ts";
import {
  NameResolver,
  type NameResolverOptions,
  type Resolution,
} from "../../../src/fetch/route/resolve.ts";
import { type DnsAnswer, NameServer as DnsServer } from "../../../src/web/hostile/name-server.ts";

const NXDOMAIN = { rcode: 3 };
const SERVFAIL = { rcode: 2 };
const NOTHING = { records: [] };

interface Setup {
  resolver: NameResolver;
  server: DnsServer;
  time: { now: number };
}

async function setup(
  t: TestContext,
  answer: (name: string, family: 4 | 6, nth: number) => DnsAnswer,
  options: Partial<NameResolverOptions> = {},
): Promise<Setup> {
  const server = await DnsServer.start(answer);
  t.after(() => server.close());
  const time = { now: 0 };
  const resolver = new NameResolver({
    servers: [server.address],
    hostsFile: "/nonexistent",
    timeoutMs: 100,
    tries: 1,
    clock: () => time.now,
    ...options,
  });
  return { resolver, server, time };
}

function addresses(...list: string[]): Resolution {
  return { kind: "addresses", addresses: list };
}

test("IP addresses, localhost and overrides are answered at once, without asking", async (t) => {
  const { resolver, server } = await setup(t, () => NXDOMAIN, {
    overrides: ["Shop.Example:127.0.0.1:8080", "v6.example:[::1]:81", "10.0.0.1:127.0.0.9:82"],
  });
  const loopback = addresses("127.0.0.1", "::1");
  for (const name of ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost."]) {
    assert.deepEqual(resolver.resolve(name, 80), loopback, name);
  }
  assert.deepEqual(resolver.resolve("192.0.2.1", 80), addresses("192.0.2.1"));
  assert.deepEqual(resolver.resolve("[2001:db8::1]", 80), addresses("2001:db8::1"));
  const shop = { ...addresses("127.0.0.1"), connectPort: 8080 };
  assert.deepEqual(resolver.resolve("shop.example", 80), shop);
  assert.deepEqual(resolver.resolve("shop.example.", 443), shop);
  assert.deepEqual(resolver.resolve("v6.example", 80), { ...addresses("::1"), connectPort: 81 });
  assert.deepEqual(resolver.resolve("10.0.0.1", 80), {
    ...addresses("127.0.0.9"),
    connectPort: 82,
  });
  assert.deepEqual(server.questions, []);
});

test("the override for * covers every name but no address", async (t) => {
  const { resolver } = await setup(t, () => NXDOMAIN, {
    overrides: ["*:127.0.0.1:9000", "a.example:127.0.0.2:1", "a.example:127.0.0.2:9001"],
  });
  const everything = { ...addresses("127.0.0.1"), connectPort: 9000 };
  assert.deepEqual(resolver.resolve("any.example", 80), everything);
  assert.deepEqual(resolver.resolve("localhost", 80), everything);
  assert.deepEqual(resolver.resolve("8.8.8.8", 80), addresses("8.8.8.8"));
  assert.deepEqual(resolver.resolve("a.example", 80), {
    ...addresses("127.0.0.2"),
    connectPort: 9001,
  });
});

test("a malformed --resolve is told in a sentence", () => {
  for (const value of [
    "",
    "a",
    "a:b",
    "a:b:80",
    "a:127.0.0.1",
    "a:127.0.0.1:0",
    "a:127.0.0.1:65536",
    "a:127.0.0.1:x",
    "a:::1:80",
    ":127.0.0.1:80",
    "a b:127.0.0.1:80",
  ]) {
    assert.throws(
      () => new NameResolver({ overrides: [value], clock: () => 0 }),
      (error) => error instanceof UsageError && error.message.includes(`"${value}"`),
      value,
    );
  }
});

test("both families are asked, the answer is kept as long as the server says", async (t) => {
  const { resolver, server, time } = await setup(t, (_name, family, nth) => ({
    records: family === 4 ? [`198.51.100.${nth}`] : ["2001:db8:0:0:0:0:0:1"],
    ttl: family === 4 ? 100 : 500,
  }));
  const first = addresses("198.51.100.1", "2001:db8::1");
  assert.deepEqual(await resolver.resolve("Example.COM", 80), first);
  time.now = 99_999;
  assert.deepEqual(resolver.resolve("example.com.", 443), first);
  assert.deepEqual(server.questions.sort(), ["example.com 4", "example.com 6"]);
  time.now = 100_000;
  assert.deepEqual(
    await resolver.resolve("example.com", 80),
    addresses("198.51.100.2", "2001:db8::1"),
  );
});

test("times to live stay within bounds", async (t) => {
  const { resolver, server, time } = await setup(
    t,
    (name) => ({ records: ["8.8.8.8"], ttl: name === "short" ? 0 : 4_000_000 }),
    { ttlMs: { min: 1_000, max: 5_000 } },
  );
  for (const [name, ttlMs] of [
    ["short", 1_000],
    ["long", 5_000],
  ] as const) {
    time.now = 0;
    await resolver.resolve(name, 80);
    const asked = server.questions.length;
    time.now = ttlMs - 1;
    assert.ok(!(resolver.resolve(name, 80) instanceof Promise), name);
    time.now = ttlMs;
    await resolver.resolve(name, 80);
    assert.ok(server.questions.length > asked, name);
  }
});

test("many questions for one name are one question", async (t) => {
  const { resolver, server } = await setup(t, (_name, family) =>
    family === 4 ? { records: ["8.8.8.8"] } : NOTHING,
  );
  const all = await Promise.all(
    Array.from({ length: 50 }, () => resolver.resolve("busy.example", 80)),
  );
  assert.deepEqual(new Set(all.map((r) => JSON.stringify(r))).size, 1);
  assert.equal(server.questions.length, 2);
});

test("failures are told apart", async (t) => {
  const answers: Record<string, [four: DnsAnswer, six: DnsAnswer]> = {
    "absent.example": [NXDOMAIN, NXDOMAIN],
    "empty.example": [NOTHING, NOTHING],
    "broken.example": [SERVFAIL, SERVFAIL],
    "refused.example": [{ rcode: 5 }, { rcode: 5 }],
    "silent.example": ["silence", "silence"],
    "half-silent.example": [NOTHING, "silence"],
    "half-absent.example": [NXDOMAIN, "silence"],
    "four.example": [{ records: ["8.8.8.8"] }, SERVFAIL],
    "six.example": [NOTHING, { records: ["2001:db8:0:0:0:0:0:2"] }],
  };
  const { resolver } = await setup(t, (name, family) => answers[name]![family === 4 ? 0 : 1]);
  const outcome: Record<string, string> = {};
  await Promise.all(
    Object.keys(answers).map(async (name) => {
      const resolution = await resolver.resolve(name, 80);
      outcome[name] = resolution.kind === "failed" ? resolution.error : resolution.addresses.join();
      if (resolution.kind === "failed") assert.ok(resolution.message.includes(name));
    }),
  );
  assert.deepEqual(outcome, {
    "absent.example": "dns_not_found",
    "empty.example": "dns_not_found",
    "broken.example": "dns_failure",
    "refused.example": "dns_failure",
    "silent.example": "dns_timeout",
    "half-silent.example": "dns_timeout",
    "half-absent.example": "dns_not_found",
    "four.example": "8.8.8.8",
    "six.example": "2001:db8::2",
  });
});

test("names that cannot exist are not asked for", async (t) => {
  const { resolver, server } = await setup(t, () => SERVFAIL);
  for (const name of ["", ".", "a..b", `${"x".repeat(64)}.example`, `${"y.".repeat(127)}zz`]) {
    const resolution = resolver.resolve(name, 80);
    assert.ok(!(resolution instanceof Promise) && resolution.kind === "failed", name);
    assert.equal(resolution.error, "dns_not_found");
  }
  assert.deepEqual(server.questions, []);
});

test("absence is remembered, a failure only for a moment", async (t) => {
  const { resolver, server, time } = await setup(
    t,
    (name) => (name === "absent" ? NXDOMAIN : SERVFAIL),
    {
      negativeTtlMs: 60_000,
    },
  );
  await Promise.all([resolver.resolve("absent", 80), resolver.resolve("broken", 80)]);
  const asked = server.questions.length;
  time.now = 4_999;
  await Promise.all([resolver.resolve("absent", 80), resolver.resolve("broken", 80)]);
  assert.equal(server.questions.length, asked);
  time.now = 5_000;
  assert.ok(!(resolver.resolve("absent", 80) instanceof Promise));
  assert.ok(resolver.resolve("broken", 80) instanceof Promise);
  await resolver.resolve("broken", 80);
  time.now = 60_000;
  assert.ok(resolver.resolve("absent", 80) instanceof Promise);
  await resolver.resolve("absent", 80);
});

test("the cache holds a bounded number of names and forgets the least used", async (t) => {
  const { resolver } = await setup(t, () => ({ records: ["8.8.8.8"] }), { maxEntries: 2 });
  await resolver.resolve("a", 80);
  await resolver.resolve("b", 80);
  assert.ok(!(resolver.resolve("a", 80) instanceof Promise));
  await resolver.resolve("c", 80);
  assert.ok(!(resolver.resolve("a", 80) instanceof Promise));
  const again = resolver.resolve("b", 80);
  assert.ok(again instanceof Promise);
  await again;
});

test("N4, N5: a mixed answer refuses the name, and every new answer is judged anew", async (t) => {
  const { resolver, time } = await setup(
    t,
    (name, family, nth) => {
      if (family === 6) return NOTHING;
      if (name === "mixed.example") return { records: ["8.8.8.8", "10.0.0.1"] };
      return { records: [nth === 1 ? "8.8.8.8" : "127.0.0.1"], ttl: 0 };
    },
    { ttlMs: { min: 10, max: 1_000 } },
  );
  const policy = new AddressPolicy({ consents: [], allow: [] });
  const judge = async (name: string) => {
    const resolution = await resolver.resolve(name, 80);
    assert.ok(resolution.kind === "addresses");
    return policy.refusal(name, 80, resolution.addresses);
  };
  assert.equal(await judge("mixed.example"), "blocked_private_address");
  assert.equal(await judge("rebind.example"), undefined);
  assert.equal(await judge("rebind.example"), undefined);
  time.now = 10;
  assert.equal(await judge("rebind.example"), "blocked_private_address");
});

test("the hosts file goes before the servers and is read again when it changes", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-hosts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const hostsFile = join(folder, "hosts");
  writeFileSync(
    hostsFile,
    "# names\r\n127.0.0.5\tOne.example two.example. # alias\n::1 one.example\nnonsense x\n300.0.0.1 y\n",
  );
  const { resolver, time } = await setup(t, () => NXDOMAIN, { hostsFile });
  assert.deepEqual(resolver.resolve("one.example", 80), addresses("127.0.0.5", "::1"));
  assert.deepEqual(resolver.resolve("TWO.example", 80), addresses("127.0.0.5"));
  const unlisted = await resolver.resolve("y", 80);
  assert.equal(unlisted.kind, "failed");
  writeFileSync(`${hostsFile}.new`, "127.0.0.6 one.example\n");
  renameSync(`${hostsFile}.new`, hostsFile);
  assert.deepEqual(resolver.resolve("one.example", 80), addresses("127.0.0.5", "::1"));
  time.now = 5_000;
  assert.deepEqual(resolver.resolve("one.example", 80), addresses("127.0.0.6"));
  rmSync(hostsFile);
  time.now = 10_000;
  assert.equal((await resolver.resolve("one.example", 80)).kind, "failed");
});

test("closing ends the questions in flight", async (t) => {
  const { resolver } = await setup(t, () => "silence", { timeoutMs: 60_000 });
  const pending = resolver.resolve("slow.example", 80);
  resolver.close();
  const resolution = await pending;
  assert.ok(resolution.kind === "failed" && resolution.error === "dns_failure");
});
