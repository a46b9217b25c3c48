import assert from "node:assert/strict";
import { test } from "node:test";
import { copyShared } from "../../src/runtime/copy-shared.ts";

test("exactly the bytes asked for are copied, from shared memory and from any other", () => {
  for (const memory of [new SharedArrayBuffer(300), new ArrayBuffer(300)]) {
    const bytes = new Uint8Array(memory).map((_, i) => i);
    new Uint8Array(memory).set(bytes);
    for (const length of [0, 1, 2, 255, 299]) {
      const into = Buffer.alloc(400, 0xee);
      copyShared(new Uint8Array(memory, 1, length), into, 7);
      const expected = Buffer.alloc(400, 0xee);
      for (let i = 0; i < length; i++) expected[7 + i] = i + 1;
      assert.deepEqual(into, expected);
    }
  }
});
