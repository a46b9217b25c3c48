import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreCorruptError } from "../../../src/errors.ts";
import {
  contradictionsIn,
  exchangeOf,
  receivedIn,
  refuseContradictions,
} from "../../../src/frontier/fold/exchange-check.ts";
import { ShardState } from "../../../src/frontier/fold/shard-state.ts";
import { Random } from "../../../src/web/seeded-random.ts";

const SHARDS = 3;
const EPOCHS = [1, 70_000];

/** A journal as a list of steps, each of which can be folded into a state. */
type Journal = ((state: ShardState) => void)[];

/** What a crash leaves of a crawl that exchanges blocks: any part of each journal that was not synced is missing. */
function crashed(random: Random): Journal[] {
  const journals = Array.from({ length: SHARDS }, (): Journal => []);
  const synced = journals.map(() => 0);
  const states = journals.map(() => new ShardState(1, 2));
  const write = (shard: number, step: Journal[number]) => {
    journals[shard]!.push(step);
    step(states[shard]!);
  };
  const sync = (shard: number) => {
    synced[shard] = journals[shard]!.length;
  };
  for (let i = 0; i < 60; i++) {
    const [from, to] = [random.below(SHARDS), random.below(SHARDS)];
    const epoch = EPOCHS[random.below(EPOCHS.length)]!;
    if (from === to) continue;
    const number = states[from]!.nextNumber(to, epoch);
    write(from, (state) =>
      state.send({ target: to, epoch, number, links: 1, bytes: Buffer.alloc(1) }),
    );
    // A block leaves, and is confirmed, when the batch that holds it is synced.
    if (random.below(3) === 0) continue;
    sync(from);
    for (const block of states[from]!.unconfirmed()) {
      if (block.target !== to || block.epoch !== epoch) continue;
      write(to, (state) => state.receive(from, epoch, block.number));
    }
    if (random.below(3) === 0) continue;
    sync(to);
    write(from, (state) => void state.confirm(to, epoch, number));
    if (random.below(2) === 0) sync(from);
  }
  return journals.map((journal, shard) => {
    const left = synced[shard]! + random.below(journal.length - synced[shard]! + 1);
    return journal.slice(0, left);
  });
}

function exchanges(journals: readonly Journal[]) {
  return journals.map((journal, shard) => {
    const state = new ShardState(1, 2);
    for (const step of journal) step(state);
    return exchangeOf("journals", shard, state, { segment: 4, bytes: 99, epoch: 70_000 });
  });
}

test("no crash leaves a contradiction, and a journal that lost what others rely on is named", () => {
  const random = new Random(3);
  let found = 0;
  for (let life = 0; life < 300; life++) {
    const journals = crashed(random);
    assert.deepEqual([...contradictionsIn(exchanges(journals))], [], `life ${life}`);
    const victim = random.below(SHARDS);
    const cut = journals.map((journal, shard) => (shard === victim ? [] : journal));
    const told = [...contradictionsIn(exchanges(cut))];
    const isMissed = exchanges(journals).some(
      ({ shard, sent, received }) =>
        shard !== victim && (others(sent, 4, victim, 3) || others(received, 3, victim, 2)),
    );
    assert.equal(told.length > 0, isMissed, `life ${life}`);
    for (const { file, offset } of told)
      assert.deepEqual([file, offset], [`journals/shard-0${victim}.000004.journal`, 99]);
    found += told.length;
  }
  assert.ok(found > 100, `${found} contradictions`);
});

/** Whether a shard has confirmed to, or received from, another one. */
function others(numbers: Uint32Array, width: number, shard: number, at: number): boolean {
  for (let i = 0; i < numbers.length; i += width)
    if (numbers[i] === shard && numbers[i + at]! > 0) return true;
  return false;
}

test("runs of two copies that went on have different numbers, so their blocks are not taken for each other's", () => {
  const sender = new ShardState(1, 2);
  for (const number of [1, 2])
    sender.send({ target: 1, epoch: 50, number, links: 1, bytes: Buffer.alloc(1) });
  const receiver = new ShardState(1, 2);
  for (const number of [1, 2]) receiver.receive(0, 60, number);
  const all = [sender, receiver].map((state, shard) => exchangeOf("j", shard, state, undefined));
  assert.equal([...contradictionsIn(all)].length, 1);
  assert.throws(() => refuseContradictions(all, 100), StoreCorruptError);
  assert.equal(receivedIn(all)(0, 1, 60), 2);
  assert.equal(receivedIn(all)(0, 1, 50), 0);
});

test("a journal is refused that a run wrote of which the crawl knows nothing, or that contradicts itself", () => {
  const state = new ShardState(1, 2);
  const late = exchangeOf("j", 0, state, { segment: 2, bytes: 7, epoch: 9 });
  refuseContradictions([late], 9);
  assert.throws(() => refuseContradictions([late], 8), /shard-00\.000002\.journal:0: run 9 /);
  state.receive(1, 1, 3);
  const gap = exchangeOf("j", 0, state, undefined);
  assert.throws(() => refuseContradictions([gap], 9), /block 3 received from shard 1 in run 1/);
});
