import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatEnding } from "./repeat-ending.ts";

test("200 crawls in a row end, none too early, each within 200 ms of its last commit", async (t) => {
  const endings = (await repeatEnding(t, 200)).sort((a, b) => a - b);
  t.diagnostic(`median ${endings[100]} ms, longest ${endings.at(-1)} ms`);
  assert.ok(endings.at(-1)! <= 200, `${endings.at(-1)} ms`);
});
