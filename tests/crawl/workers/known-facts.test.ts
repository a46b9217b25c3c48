import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_WORDS, Account } from "../../../src/crawl/shared-memory.ts";
import { KnownFacts } from "../../../src/crawl/workers/known-facts.ts";

const fact = (text: string) => ({ kind: 1, bytes: new TextEncoder().encode(text) });

test("an announcement that is on its way is known to be, and one of a dead thread is not waited for", () => {
  const memory = { threads: 2, accounts: new SharedArrayBuffer(2 * ACCOUNT_WORDS * 4) };
  const known = new KnownFacts(memory);
  const [first, second] = [new Account(memory, 0), new Account(memory, 1)];
  assert.equal(known.areAllHere, true);
  first.announced(2);
  assert.equal(known.areAllHere, false);
  assert.deepEqual(known.announced(0, [fact("a")]), [fact("a")]);
  second.announced(1);
  assert.deepEqual(known.announced(1, [fact("a")]), [], "known already");
  assert.equal(known.areAllHere, false, "the second one of the first thread is missing");
  known.forget(0);
  assert.equal(known.areAllHere, true);
  assert.deepEqual(known.learn([fact("a"), fact("b")]), [fact("b")]);
  assert.equal(known.all.length, 2);
});
