import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BytePipe, pipeBytes } from "../../src/sync/byte-pipe.ts";

test("what goes into a pipe comes out, whole and in order, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 8, 16),
      fc.uint8Array({ maxLength: 200 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
      fc.integer({ min: 0, max: 2 }),
      (capacity, bytes, cuts, lapsBefore) => {
        const memory = new SharedArrayBuffer(pipeBytes(capacity));
        // Start near the end of the 32-bit counters to show that they may wrap.
        new Int32Array(memory, 0, 2).fill(-lapsBefore * capacity);
        const pipe = new BytePipe(memory);
        const out = new Uint8Array(bytes.length);
        let written = 0;
        let read = 0;
        while (read < bytes.length) {
          written += pipe.write(bytes, written);
          assert.equal(pipe.readable(), written - read);
          read += pipe.read(out, read, cuts.next().value!);
        }
        assert.deepEqual(out, bytes);
        assert.equal(pipe.read(out, 0, 1), 0);
      },
    ),
  );
});
