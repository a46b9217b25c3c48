import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Repair, repairFile } from "../../../src/store/files/system-calls.ts";
import { Archive } from "../../../src/store/warc/archive.ts";
import { readWarc } from "../../../src/store/warc/warc-reader.ts";
import { freshFolder, sampleCapture, sampleOptions, url } from "../sample-capture.ts";

/** What a reader of our own files says about one with a flipped byte. */
function found(path: string): { repairs: Repair[]; problems: string[]; offsets: number[] } {
  const repairs: Repair[] = [];
  const records = [...readWarc(path, { own: (repair) => repairs.push(repair) })];
  const bad = records.filter(({ problems }) => problems.length > 0);
  return {
    repairs,
    problems: bad.flatMap(({ problems }) => problems),
    offsets: bad.map(({ offset }) => offset),
  };
}

test("every flipped bit of a file of ours is repaired, told with the record that it hit, or means nothing", (t) => {
  for (const level of [0, 1, 9]) {
    const folder = freshFolder(t);
    const archive = new Archive(sampleOptions(folder, { level }));
    // Stored in one block, stored in several, compressed.
    const bodies = ["short", "x".repeat(70_000), "words and words ".repeat(300)];
    for (const [i, body] of bodies.entries())
      archive.append(sampleCapture({ url: url(`http://h/${i}`), body: Buffer.from(body) }));
    archive.close();
    const path = join(folder, readdirSync(folder)[0]!);
    const good = readFileSync(path);
    assert.deepEqual(found(path), { repairs: [], problems: [], offsets: [] });
    const records = [...readWarc(path)];
    let repaired = 0;
    for (const { offset, length } of records) {
      const end = offset + length;
      const around = [...range(offset, offset + 15), ...range(end - 9, end)];
      const within = [...range(offset + 15, end - 9)].filter((at) => at % 97 === 0).slice(0, 12);
      for (const at of [...around, ...within]) {
        const bytes = Buffer.from(good);
        bytes[at] = bytes[at]! ^ (1 << (at % 8));
        writeFileSync(path, bytes);
        const { repairs, problems, offsets } = found(path);
        if (problems.length > 0) {
          assert.equal(offsets[0], offset, `level ${level}, byte ${at}: ${problems[0]}`);
          continue;
        }
        const where = `level ${level}, byte ${at}`;
        if (repairs.length === 0) {
          // A bit of a table that its reader does not use.
          const member = (all: Buffer) => gunzipSync(all.subarray(offset, end));
          assert.deepEqual(member(bytes), member(good), where);
          continue;
        }
        repaired++;
        assert.deepEqual(repairs, [{ offset: at, value: good[at] }], where);
        repairFile(path, repairs);
        assert.deepEqual(readFileSync(path), good);
      }
      writeFileSync(path, good);
    }
    // The header of every member at least.
    assert.ok(repaired >= 10 * records.length, `level ${level}: ${repaired}`);
  }
});

function* range(from: number, to: number): Generator<number> {
  for (let at = from; at < to; at++) yield at;
}
