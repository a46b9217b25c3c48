import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { deflatedLinesRoom, deflateLines } from "../../../src/web/synthetic/line-deflate.ts";

/** An empty last block, stored: with it the blocks are a whole stream. */
const LAST = Buffer.of(1, 0, 0, 0xff, 0xff);

function deflated(text: Buffer): Buffer {
  const out = Buffer.alloc(deflatedLinesRoom(text.length));
  return out.subarray(0, deflateLines(text, 0, text.length, out, 0));
}

const inflated = (blocks: Buffer) => inflateRawSync(Buffer.concat([blocks, LAST]));

test("whatever the lines have in common, zlib reads them back", () => {
  const part = fc.oneof(
    fc.constantFrom("", "/p/", ".html", "<li><a href=", "x".repeat(257), "y".repeat(600)),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.nat(9999).map(String),
  );
  const line = fc.tuple(part, part, part).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.boolean(), (lines, ends) => {
      const text = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
      assert.deepEqual(inflated(deflated(text)), text);
    }),
  );
  // Lines so long that the one before is out of reach.
  const far = Buffer.from(`${"z".repeat(40_000)}\n`.repeat(3));
  assert.deepEqual(inflated(deflated(far)), far);
});

test("lines that resemble each other become short", () => {
  const items = Array.from({ length: 100 }, (_, i) => `<li><a href="/p/${i}.html">x</a></li>\n`);
  const text = Buffer.from(items.join(""));
  assert.ok(deflated(text).length < text.length / 4);
});
