import assert from "node:assert/strict";
import { test } from "node:test";
import { AwaitingCommit } from "../../../src/frontier/lending/lending.ts";
import { CommitCounts, commitCountBytes } from "../../../src/sync/commit-counts.ts";

const [OWNER, BORROWER, THREADS] = [0, 1, 2];

function pair() {
  const memory = new SharedArrayBuffer(commitCountBytes(THREADS));
  const owner = new CommitCounts(memory, THREADS, OWNER);
  const borrower = new CommitCounts(memory, THREADS, BORROWER);
  const brought = new AwaitingCommit((thread) => borrower.take(thread));
  const over: string[] = [];
  const add = (name: string, run: number) => brought.add(OWNER, run, () => over.push(name));
  return { owner, brought, over, add };
}

test("a visit that was brought is the borrower's until its owner has committed it", () => {
  const { owner, brought, over, add } = pair();
  for (const name of ["a", "b", "c"]) add(name, 1);
  assert.deepEqual([brought.settle(), over], [false, []]);
  owner.add(BORROWER);
  owner.add(BORROWER);
  assert.deepEqual([brought.settle(), over], [true, ["a", "b"]]);
  assert.equal(brought.settle(), false, "a commit counts once");
  owner.add(BORROWER);
  owner.add(OWNER);
  assert.deepEqual([brought.settle(), over], [true, ["a", "b", "c"]]);
});

test("what a dead owner had not committed is nobody's, also what is brought to it later; its successor's stays", () => {
  const { owner, brought, over, add } = pair();
  add("old", 1);
  add("new", 2);
  brought.forget(OWNER, 2);
  assert.deepEqual(over, ["old"]);
  add("late", 1);
  assert.deepEqual(over, ["old", "late"]);
  owner.add(BORROWER);
  assert.deepEqual([brought.settle(), over], [true, ["old", "late", "new"]]);
  owner.add(BORROWER);
  assert.equal(
    brought.settle(),
    false,
    "nobody waits for what was meant for a thread that is gone",
  );
});
