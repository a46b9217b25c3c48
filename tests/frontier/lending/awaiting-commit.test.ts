import assert from "node:assert/strict";
import { test } from "node:test";
import { AwaitingCommit } from "../../../src/frontier/lending/lending.ts";
import { CommitCounts, commitCountBytes } from "../../../src/sync/commit-counts.ts";

const [OWNER, BORROWER, THREADS] = [0, 1, 2];

function pair() {
  const memory = new SharedArrayBuffer(commitCountBytes(THREADS));
  const owner = new CommitCounts(memory, THREADS, OWNER);
  const borrower = new CommitCounts(memory, THREADS, BORROWER);
  const awaiting = new AwaitingCommit((thread) => borrower.take(thread));
  const over: string[] = [];
  const add = (name: string, run: number) => awaiting.add(OWNER, run, () => over.push(name));
  return { owner, awaiting, over, add };
}

test("a visit of a borrowed lease counts as the borrower's until its owner has committed it", () => {
  const { owner, awaiting, over, add } = pair();
  for (const name of ["a", "b", "c"]) add(name, 1);
  assert.deepEqual([awaiting.settle(), over], [false, []]);
  owner.add(BORROWER);
  owner.add(BORROWER);
  assert.deepEqual([awaiting.settle(), over], [true, ["a", "b"]]);
  assert.equal(awaiting.settle(), false, "a commit counts once");
  owner.add(BORROWER);
  owner.add(OWNER);
  assert.deepEqual([awaiting.settle(), over], [true, ["a", "b", "c"]]);
});

test("visits that a dead owner had not committed count no more, also those sent to it later; its successor's still do", () => {
  const { owner, awaiting, over, add } = pair();
  add("old", 1);
  add("new", 2);
  awaiting.forget(OWNER, 2);
  assert.deepEqual(over, ["old"]);
  add("late", 1);
  assert.deepEqual(over, ["old", "late"]);
  owner.add(BORROWER);
  assert.deepEqual([awaiting.settle(), over], [true, ["old", "late", "new"]]);
  owner.add(BORROWER);
  assert.equal(
    awaiting.settle(),
    false,
    "nobody waits for what was meant for a thread that is gone",
  );
});
