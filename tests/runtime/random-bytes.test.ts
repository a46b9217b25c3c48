import assert from "node:assert/strict";
import { test } from "node:test";
import { randomBytes } from "../../src/runtime/random-bytes.ts";

test("random bytes are as many as asked for, and others each time", () => {
  for (const count of [0, 1, 16, 300]) assert.equal(randomBytes(count).length, count);
  assert.notDeepEqual(randomBytes(16), randomBytes(16));
  assert.ok(new Set(randomBytes(300)).size > 100);
});
