import assert from "node:assert/strict";
import { test } from "node:test";
import { Gatekeeper } from "../../src/frontier/gatekeeper.ts";
import { Host } from "../../src/frontier/host.ts";
import { Random } from "../../src/web/seeded-random.ts";
import { newGates } from "./new-gates.ts";

const GATES = 1 << 10;
const DELAY_MS = 500;
const FLOOR_MS = DELAY_MS / 10;
const SEEDS = [1, 2, 3, 4, 5];

/** Two threads' views of the same gates. */
function gatekeepers(rules: {
  perHost: number;
  spaceHosts: boolean;
  delayMs?: number;
}): Gatekeeper[] {
  const gatesOf = newGates(GATES);
  return [1, 2].map((owner) => new Gatekeeper({ ...gatesOf(owner), delayMs: DELAY_MS, ...rules }));
}

/** Hosts that come when they are told to, or later, for some seconds of a virtual clock: starts and tries of each. */
function comeAndGo(
  gates: readonly Gatekeeper[],
  hosts: readonly Host[],
  { seed, forMs, perHost }: { seed: number; forMs: number; perHost: number },
): { starts: [ms: number, host: Host][]; tries: number } {
  const random = new Random(seed);
  const dueMs = new Map(hosts.map((host) => [host, 0]));
  const ends: [ms: number, host: Host][] = [];
  const starts: [number, Host][] = [];
  let tries = 0;
  // A thread that stands still for a while: everybody who was due meanwhile comes at once.
  let stillUntilMs = 0;
  for (let nowMs = 1; nowMs < forMs; nowMs++) {
    if (random.below(400) === 0) stillUntilMs = nowMs + random.below(400);
    for (const [at, [endMs, host]] of [...ends.entries()].reverse()) {
      if (endMs > nowMs) continue;
      gates[at % 2]!.leave(host, nowMs);
      ends.splice(at, 1);
      if (perHost === 1) dueMs.set(host, nowMs + DELAY_MS);
    }
    if (nowMs < stillUntilMs) continue;
    for (const host of hosts) {
      if (dueMs.get(host)! > nowMs) continue;
      tries++;
      const gate = gates[random.below(2)]!;
      const untilMs = gate.enter(host, "192.0.2.1", nowMs);
      if (untilMs > 0) dueMs.set(host, untilMs);
      else {
        gate.sent(host, "192.0.2.1", gate.claimedMs, nowMs);
        starts.push([nowMs, host]);
        ends.push([nowMs + 1 + random.below(200), host]);
        dueMs.set(host, perHost === 1 ? Number.POSITIVE_INFINITY : nowMs);
      }
    }
  }
  return { starts, tries };
}

for (const seed of SEEDS) {
  test(`many hosts at one address are spaced by the floor, also when they come late (seed ${seed})`, () => {
    const hosts = Array.from({ length: 40 }, (_, i) => new Host(`h${i}`, 7 * i + 1, DELAY_MS));
    const gates = gatekeepers({ perHost: 1, spaceHosts: false });
    const forMs = 20_000;
    const { starts, tries } = comeAndGo(gates, hosts, { seed, forMs, perHost: 1 });
    for (const [i, [startMs]] of starts.entries()) {
      const gapMs = startMs - (starts[i - 1]?.[0] ?? Number.NEGATIVE_INFINITY);
      assert.ok(gapMs >= FLOOR_MS, `${gapMs} ms between two starts at ${startMs} ms`);
    }
    // Standing still takes half of the time at most.
    assert.ok(starts.length > forMs / FLOOR_MS / 2, `${starts.length} starts`);
    assert.ok(tries < 5 * starts.length, `${tries} tries for ${starts.length} starts`);
    assert.ok(
      new Set(starts.map(([, host]) => host)).size === hosts.length,
      "everybody's turn comes",
    );
  });
}

test("above one connection the starts of a host are its delay apart, also when one came late", () => {
  for (const spaceHosts of [false, true]) {
    for (const seed of SEEDS) {
      const hosts = [new Host("one", 3, DELAY_MS), new Host("two", 4, 2 * DELAY_MS)];
      const gates = gatekeepers({ perHost: 4, spaceHosts });
      const { starts } = comeAndGo(gates, hosts, { seed, forMs: 20_000, perHost: 4 });
      for (const host of hosts) {
        const own = starts.filter(([, each]) => each === host).map(([ms]) => ms);
        const gaps = own.slice(1).map((ms, i) => ms - own[i]!);
        assert.ok(Math.min(...gaps) >= host.delayMs, `${Math.min(...gaps)} ms (seed ${seed})`);
        assert.ok(own.length > 20_000 / host.delayMs / 2, `${own.length} starts (seed ${seed})`);
      }
    }
  }
});

test("without a delay, one request at a time is still one, whoever makes it", () => {
  const [owner, borrower] = gatekeepers({ perHost: 1, spaceHosts: false, delayMs: 0 });
  const name = "one.test";
  // A thread knows the hosts of what it was lent by objects of its own.
  const [own, lent] = [new Host(name, 7, 0), new Host(name, 7, 0)];
  assert.equal(borrower!.enter(lent, "192.0.2.1", 10), 0);
  assert.ok(owner!.enter(own, "192.0.2.1", 20) > 20, "asked twice at once");
  borrower!.leave(lent, 30);
  assert.equal(owner!.enter(own, "192.0.2.1", 100), 0);
});

test("what one thread hears of a host holds for every other, whoever asks and however many connections there are", () => {
  for (const perHost of [1, 4]) {
    for (const isStranger of [false, true]) {
      const [one, two] = gatekeepers({ perHost, spaceHosts: false });
      const [own, foreign] = [new Host("a", 7, DELAY_MS), new Host("a", 7, DELAY_MS)];
      foreign.isStranger = isStranger;
      assert.equal(one!.enter(own, "192.0.2.1", 10), 0);
      one!.leave(own, 100);
      one!.slow(own, 6000, 110);
      assert.equal(two!.enter(foreign, "192.0.2.2", 700), 6100, "its own delay");
      assert.equal(two!.enter(foreign, "192.0.2.2", 6100), 0);
      one!.hold(own, 30_000, 6110);
      two!.leave(foreign, 6200);
      assert.equal(two!.enter(foreign, "192.0.2.2", 12_300), 30_000, "a pause");
    }
  }
});

test("what an earlier run knew is known before the first request, and nobody is asked before the start", () => {
  const gatesOf = newGates(GATES);
  const rules = { ...gatesOf(1), delayMs: DELAY_MS, perHost: 1, spaceHosts: false };
  const gate = new Gatekeeper({ ...rules, startMs: 1000 });
  gate.recalled(9, 5000, 8000);
  assert.equal(gate.enter(new Host("other", 8, DELAY_MS), "192.0.2.1", 10), 1000);
  const host = new Host("known", 9, DELAY_MS);
  assert.equal(gate.enter(host, "192.0.2.1", 1000), 8000);
  assert.equal(gate.enter(host, "192.0.2.1", 8000), 0);
  gate.leave(host, 8100);
  assert.equal(gate.enter(host, "192.0.2.1", 9000), 13_100);
});

test("an address is closed until the request is sent, and then for one floor", () => {
  const [gate] = gatekeepers({ perHost: 1, spaceHosts: false });
  const [a, b] = [new Host("a", 1, DELAY_MS), new Host("b", 2, DELAY_MS)];
  assert.equal(gate!.enter(a, "192.0.2.1", 0), 0);
  const { claimedMs } = gate!;
  assert.ok(gate!.enter(b, "192.0.2.1", FLOOR_MS + 1) > FLOOR_MS + 1, "it is not sent yet");
  gate!.sent(a, "192.0.2.1", claimedMs, 100);
  b.reservedMs = 0;
  assert.ok(gate!.enter(b, "192.0.2.1", 100 + FLOOR_MS - 1) > 100);
  b.reservedMs = 1;
  assert.equal(gate!.enter(b, "192.0.2.1", 100 + FLOOR_MS), 0);
});

test("strangers to one host come one after the other, not all at once", () => {
  const [gate] = gatekeepers({ perHost: 1, spaceHosts: false });
  const strangers = Array.from({ length: 20 }, () => {
    const host = new Host("sink", 5, DELAY_MS);
    host.isStranger = true;
    return host;
  });
  const times = strangers.map((host) => gate!.enter(host, "192.0.2.1", 0));
  assert.equal(times.filter((ms) => ms === 0).length, 1);
  assert.equal(new Set(times).size, strangers.length, "each has a turn of its own");
});
