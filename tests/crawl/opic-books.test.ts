import assert from "node:assert/strict";
import { test } from "node:test";
import { compareWithReference } from "./opic-books.ts";

test("a crawl of one site deals out cash exactly as the plain algorithm does, page by page", async (t) => {
  const opic = await compareWithReference(t, 2, 60, 20);
  assert.ok(opic.late > 5, "nothing came late");
  assert.ok(opic.waiting.length > 5, "nothing waits");
});
