import assert from "node:assert/strict";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DiskFullError } from "../../../src/errors.ts";
import type { WriteBytes } from "../../../src/store/files/append-file.ts";
import { JsonlFile } from "../../../src/store/files/jsonl.ts";
import { freshFolder } from "../sample-capture.ts";

/** A disk with room for so many bytes: writes what fits, then refuses, as write(2) does. */
function smallDisk(room: number): { write: WriteBytes; grow: (bytes: number) => void } {
  let left = room;
  const write: WriteBytes = (file, bytes, from) => {
    const fits = Math.min(left, bytes.length - from);
    if (fits === 0) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    left -= fits;
    return writeSync(file, bytes, from, fits);
  };
  return {
    write,
    grow: (bytes) => {
      left += bytes;
    },
  };
}

test("every object is one line, whatever it holds, and reads back equal (property)", (t) => {
  const path = join(freshFolder(t), "log.jsonl");
  const writer = new JsonlFile(path);
  const objects: object[] = [];
  const value = fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(value, (object) => {
      objects.push({ ...object, note: "\u2028\u2029\u0085\x9b\r\n" });
      writer.write(objects.at(-1)!);
    }),
    { numRuns: 500 },
  );
  writer.close();
  const text = readFileSync(path, "utf8");
  assert.doesNotMatch(text, /[\x7f-\x9f\u2028\u2029\r]/);
  const lines = text.split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(
    lines.map((l) => JSON.stringify(JSON.parse(l))),
    objects.map((o) => JSON.stringify(o)),
  );
});

test("a full disk keeps whole flushes in the file and the rest in memory, at every byte", (t) => {
  const folder = freshFolder(t);
  const first = `${JSON.stringify({ n: 1 })}\n`;
  const second = `${JSON.stringify({ n: 2 })}\n${JSON.stringify({ n: 3 })}\n`;
  for (let room = first.length; room < first.length + second.length; room++) {
    const disk = smallDisk(room);
    const path = join(folder, `log-${room}.jsonl`);
    const writer = new JsonlFile(path, disk.write);
    writer.write({ n: 1 });
    writer.flush();
    writer.write({ n: 2 });
    writer.write({ n: 3 });
    assert.throws(() => writer.flush(), DiskFullError);
    assert.equal(readFileSync(path, "utf8"), first);
    disk.grow(1000);
    writer.close();
    assert.equal(readFileSync(path, "utf8"), first + second);
  }
});

test("lines reach the file without a flush once enough wait, and none twice", (t) => {
  const path = join(freshFolder(t), "log.jsonl");
  const writer = new JsonlFile(path);
  for (let n = 0; n < 20_000; n++) writer.write({ n });
  const early = readFileSync(path, "utf8");
  assert.ok(early.length > 0 && early.endsWith("}\n"));
  writer.close();
  const numbers = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((l) => JSON.parse(l).n);
  assert.deepEqual(
    numbers,
    Array.from({ length: 20_000 }, (_, n) => n),
  );
});

test("opening again continues behind the last whole line", (t) => {
  const path = join(freshFolder(t), "log.jsonl");
  const whole = '{"a":1}\n{"a":2}\n';
  for (const torn of ["", "{", `{"a":"${"x".repeat(200_000)}`]) {
    writeFileSync(path, whole + torn);
    const writer = new JsonlFile(path);
    writer.write({ a: 3 });
    writer.close();
    assert.equal(readFileSync(path, "utf8"), `${whole}{"a":3}\n`);
  }
});
