import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressLeases } from "../../../src/frontier/engine/address-leases.ts";
import type { FloorAnswer, FloorCall } from "../../../src/frontier/engine/engine.ts";
import { DelayedEngine, DelayedLink } from "../../../src/verify/engine/delayed-engine.ts";
import { ModelEngine } from "../../../src/verify/engine/model-engine.ts";
import { ScriptModel } from "../../../src/verify/engine/script-model.ts";
import { Random } from "../../../src/web/seeded-random.ts";

const LEASE_MS = 3000;
const FLOOR_MS = 100;
const STEP_MS = 5;
const ADDRESSES = ["192.0.2.1", "192.0.2.2"];

/** A thread of a worker that wants to start requests all the time, or nearly. */
class Asker {
  readonly link = new DelayedLink();
  readonly leases: AddressLeases;
  readonly #posted: (() => void)[] = [];
  /** Starts on their way to the wire: when they get there. */
  readonly #sending: { address: string; atMs: number }[] = [];
  /** Of this thread alone: what its gates would allow. */
  readonly #nextMs = new Map<string, number>();
  stoppedMs = 0;
  isDead = false;
  starts = 0;

  constructor(
    model: ScriptModel,
    number: number,
    clock: () => number,
    isGone: (thread: string) => boolean,
  ) {
    const engine = new DelayedEngine(new ModelEngine(model, `w${number}/0/1`), this.link);
    this.leases = new AddressLeases({
      holder: `w${number}/0`,
      leaseMs: LEASE_MS,
      floorMs: FLOOR_MS,
      engine: () => engine,
      post: (answer) => this.#posted.push(answer),
      clock,
      isGone,
    });
  }

  /** Its hosts are another's. */
  rest(nowMs: number): void {
    this.link.deliver();
    for (const answer of this.#posted.splice(0)) answer();
    for (const { address } of this.#sending.splice(0)) this.leases.sent(address, nowMs, nowMs);
    this.leases.tidy(nowMs);
  }

  round(nowMs: number, random: Random, onStart: (address: string) => void): void {
    this.link.deliver();
    for (const answer of this.#posted.splice(0)) answer();
    this.leases.tidy(nowMs);
    for (const one of this.#sending.splice(0)) {
      if (one.atMs > nowMs) {
        this.#sending.push(one);
        continue;
      }
      if (this.leases.isMine(one.address, nowMs)) {
        onStart(one.address);
        this.starts++;
      }
      this.leases.sent(one.address, nowMs + FLOOR_MS, nowMs);
      this.#nextMs.set(one.address, nowMs + FLOOR_MS);
    }
    for (const address of ADDRESSES) {
      if (random.below(4) === 0 || nowMs < (this.#nextMs.get(address) ?? 0)) continue;
      if (this.leases.untilMine(address, nowMs) > 0) continue;
      this.leases.started(address);
      this.#nextMs.set(address, Number.POSITIVE_INFINITY);
      // A handshake takes its time.
      this.#sending.push({ address, atMs: nowMs + STEP_MS * random.below(20) });
    }
  }
}

interface Run {
  readonly starts: number;
  readonly calls: number;
  readonly shortestMs: number;
}

/** Several threads on several machines ask two addresses; the network is slow at times, threads stop and die, the engine restarts. */
function run(seed: number, askers: number, Model: typeof ScriptModel, hasFaults: boolean): Run {
  const random = new Random(seed);
  const model = new Model({ partitions: 1, order: "bfs", leaseMs: LEASE_MS });
  let nowMs = 0;
  // Threads that stand still are not taken for dead here: their partitions, which would stop them, are not part of this.
  const isGone = (thread: string) => all[Number(/\d+/.exec(thread))]!.isDead;
  const all: Asker[] = Array.from(
    { length: askers },
    (_, i) => new Asker(model, i, () => nowMs, isGone),
  );
  const lastMs = new Map<string, number>();
  let shortestMs = Number.POSITIVE_INFINITY;
  let kept = model.snapshot();
  for (let step = 0; step < 6000; step++) {
    nowMs += STEP_MS;
    model.nowMs = nowMs;
    for (const one of all) {
      if (one.isDead || nowMs < one.stoppedMs) continue;
      one.round(nowMs, random, (address) => {
        shortestMs = Math.min(shortestMs, nowMs - (lastMs.get(address) ?? -1e9));
        lastMs.set(address, nowMs);
      });
      if (random.below(3) > 0) one.link.execute();
      if (!hasFaults) continue;
      if (random.below(400) === 0) one.link.break();
      if (random.below(2000) === 0) one.stoppedMs = nowMs + random.below(3 * LEASE_MS);
      if (random.below(6000) === 0 && all.filter(({ isDead }) => !isDead).length > 1)
        one.isDead = true;
    }
    if (nowMs % 1000 === 0) kept = model.snapshot();
    if (hasFaults && random.below(1500) === 0) {
      model.restart(kept, `run${step}`);
      kept = model.snapshot();
      for (const one of all) one.link.break();
    }
  }
  const sum = (of: (one: Asker) => number) => all.reduce((total, one) => total + of(one), 0);
  return { shortestMs, starts: sum((one) => one.starts), calls: sum((one) => one.leases.calls) };
}

test("starts at one address keep their distance, whoever makes them and whatever fails", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { shortestMs, starts } = run(seed, 2 + (seed % 3), ScriptModel, true);
    assert.ok(shortestMs >= FLOOR_MS, `seed ${seed}: two starts within ${shortestMs} ms`);
    assert.ok(starts > 20, `seed ${seed}: only ${starts} starts`);
  }
});

test("alone with an address, a thread asks the engine about once a second", () => {
  const { starts, calls } = run(1, 1, ScriptModel, false);
  assert.ok(starts > 200, `${starts} starts`);
  assert.ok(calls < 2 * 31 * 1.5, `${calls} calls in 30 s for two addresses`);
});

test("an address that several want goes round, and is seldom idle", () => {
  const alone = run(2, 1, ScriptModel, false).starts;
  const { starts, shortestMs } = run(2, 3, ScriptModel, false);
  assert.ok(shortestMs >= FLOOR_MS);
  assert.ok(starts > 0.7 * alone, `${starts} starts of three, ${alone} of one`);
});

test("a server that is away for less than two leases does not stop who has an address there", () => {
  const gapMs = (silentMs: number) => {
    const model = new ScriptModel({ partitions: 1, order: "bfs", leaseMs: LEASE_MS });
    const random = new Random(1);
    let nowMs = 0;
    const asker = new Asker(
      model,
      0,
      () => nowMs,
      () => false,
    );
    let [lastMs, longestMs] = [0, 0];
    for (; nowMs < 8 * LEASE_MS; nowMs += STEP_MS) {
      model.nowMs = nowMs;
      asker.round(nowMs, random, () => {
        longestMs = Math.max(longestMs, nowMs - lastMs);
        lastMs = nowMs;
      });
      if (nowMs < LEASE_MS || nowMs > LEASE_MS + silentMs) asker.link.execute();
    }
    return longestMs;
  };
  assert.ok(gapMs(1.4 * LEASE_MS) < 5 * FLOOR_MS, `${gapMs(1.4 * LEASE_MS)} ms between two starts`);
  // Then it may be another's.
  assert.ok(gapMs(3 * LEASE_MS) > LEASE_MS);
});

function twoAskers(model: ScriptModel, clock: () => number, isGone: () => boolean): Asker[] {
  return [0, 1].map((number) => new Asker(model, number, clock, isGone));
}

test("what a thread had that is gone is free, after a floor", () => {
  const model = new ScriptModel({ partitions: 1, order: "bfs", leaseMs: LEASE_MS });
  let nowMs = 0;
  let isDead = false;
  const [first, second] = twoAskers(
    model,
    () => nowMs,
    () => isDead,
  );
  const random = new Random(1);
  const starts: number[] = [];
  for (; nowMs < 3 * LEASE_MS; nowMs += STEP_MS) {
    model.nowMs = nowMs;
    isDead = nowMs >= 1.5 * LEASE_MS;
    const asker = nowMs < LEASE_MS / 2 ? first! : second!;
    asker.round(nowMs, random, () => {
      if (asker === second) starts.push(nowMs);
    });
    asker.link.execute();
  }
  // One that may be alive has it for two leases.
  assert.ok(starts[0]! >= 1.5 * LEASE_MS + FLOOR_MS, `at ${starts[0]}`);
  assert.ok(starts[0]! < 1.6 * LEASE_MS + 2 * FLOOR_MS, `at ${starts[0]}`);
});

test("an address that a thread uses no more is soon another's, though nobody has told it", () => {
  const model = new ScriptModel({ partitions: 1, order: "bfs", leaseMs: LEASE_MS });
  let nowMs = 0;
  const [first, second] = twoAskers(
    model,
    () => nowMs,
    () => false,
  );
  const random = new Random(1);
  const movedMs = LEASE_MS;
  let startedMs: number | undefined;
  for (; nowMs < 4 * LEASE_MS; nowMs += STEP_MS) {
    model.nowMs = nowMs;
    if (nowMs < movedMs) first!.round(nowMs, random, () => {});
    else {
      first!.rest(nowMs);
      second!.round(nowMs, random, () => {
        startedMs ??= nowMs - movedMs;
      });
    }
    for (const one of [first!, second!]) one.link.execute();
  }
  assert.ok(startedMs! < 1500, `after ${startedMs} ms`);
});

/** An address is whoever's asks for it. */
class EverybodysAddress extends ScriptModel {
  override floor(call: FloorCall): FloorAnswer {
    super.floor(call);
    return call.kind === "give" ? { kind: "given" } : { kind: "own", waitMs: 0, isWanted: false };
  }
}

/** Who takes over does not wait. */
class NoWait extends ScriptModel {
  override floor(call: FloorCall): FloorAnswer {
    const answer = super.floor(call);
    return answer.kind === "own" ? { ...answer, waitMs: 0 } : answer;
  }
}

/** After a restart an address is given to the first who asks. */
class NeverQuiet extends ScriptModel {
  override floor(call: FloorCall): FloorAnswer {
    this.partitions[0]!.run = this.run;
    this.partitions[0]!.quietMs = 0;
    return super.floor(call);
  }
}

/** After a restart addresses are quiet for as long as partitions: who has one may believe in it for longer. */
class QuietForOneLease extends ScriptModel {
  override floor(call: FloorCall): FloorAnswer {
    const at = this.partitions[0]!;
    const { quietMs } = at;
    const answer = super.floor(call);
    if (at.quietMs !== quietMs) at.quietMs -= LEASE_MS;
    return answer;
  }
}

/** An engine forgets who has an address, and does not hear that thread for a while: the least time between starts of it and another. */
function forgotten(Model: typeof ScriptModel): number {
  const model = new Model({ partitions: 1, order: "bfs", leaseMs: LEASE_MS });
  const empty = model.snapshot();
  const random = new Random(1);
  let nowMs = 0;
  const isGone = () => false;
  const [first, second] = [0, 1].map((i) => new Asker(model, i, () => nowMs, isGone));
  const starts = new Map<Asker, number>();
  let shortestMs = Number.POSITIVE_INFINITY;
  for (; nowMs < 5 * LEASE_MS; nowMs += STEP_MS) {
    model.nowMs = nowMs;
    if (nowMs === LEASE_MS) model.restart(empty, "again");
    for (const asker of nowMs < LEASE_MS ? [first!] : [first!, second!]) {
      asker.round(nowMs, random, (address) => {
        if (address !== ADDRESSES[0]) return;
        starts.set(asker, nowMs);
        if (starts.size === 2)
          shortestMs = Math.min(shortestMs, Math.abs(starts.get(first!)! - starts.get(second!)!));
      });
      if (asker === second || nowMs < LEASE_MS) asker.link.execute();
    }
  }
  assert.equal(starts.size, 2);
  return shortestMs;
}

test("a thread that an engine has forgotten and does not hear keeps its addresses for as long as it believes", () => {
  assert.ok(forgotten(ScriptModel) >= FLOOR_MS, `${forgotten(ScriptModel)} ms`);
  assert.ok(forgotten(QuietForOneLease) < FLOOR_MS, "mutant: quiet for one lease");
});

for (const Mutant of [EverybodysAddress, NoWait, NeverQuiet]) {
  test(`mutant: ${Mutant.name}`, () => {
    let shortestMs = FLOOR_MS;
    for (let seed = 1; seed <= 60 && shortestMs >= FLOOR_MS; seed++)
      shortestMs = run(seed, 2 + (seed % 3), Mutant, true).shortestMs;
    assert.ok(shortestMs < FLOOR_MS, "no run told");
  });
}
