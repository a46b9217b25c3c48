import assert from "node:assert/strict";
import { test } from "node:test";
import { raced, replayRace } from "../../src/verify/race/race.ts";

test("by turnstile all three checks of the seed find the race, and none with the lock", async () => {
  const found = { content: true, source: true, crawled: true, deadlock: false };
  assert.deepEqual(await replayRace({ by: "turnstile", locked: false }), found);
  const none = { content: false, source: false, crawled: false, deadlock: false };
  assert.deepEqual(await replayRace({ by: "turnstile", locked: true }), none);
});

test("files that appear whole leave one trace of the race: a page that was stored twice", async () => {
  const outcome = await replayRace({ by: "turnstile", locked: false, disk: "whole" });
  assert.deepEqual(outcome, { content: false, source: false, crawled: true, deadlock: false });
  assert.equal(raced(await replayRace({ by: "turnstile", locked: true, disk: "whole" })), false);
});

test("by rendezvous the race is found too; with different URLs both wait for ever", async () => {
  const same = await replayRace({ by: "rendezvous", locked: false });
  assert.deepEqual([raced(same), same.deadlock], [true, false]);
  const different = await replayRace({ by: "rendezvous", locked: false, different: true });
  assert.deepEqual([raced(different), different.deadlock], [false, true]);
});
