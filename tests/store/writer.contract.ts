import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDiskTrouble } from "../../src/errors.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import type { Entry, Step, Writer } from "../../src/store/writer.ts";
import { laterCallsToo } from "../faults/later-calls.ts";
import { freshFolder, sampleCapture, url } from "./sample-capture.ts";

/** A writer under test. */
export interface WriterCase {
  /** Opens it for the crawl in that folder. */
  open(folder: string): Writer;
  /** The URLs that its files hold now, in any order; undefined for a writer that keeps nothing. */
  urlsIn?(folder: string): string[];
  /** Whether it keeps the entries of this number: some writers take pages alone. */
  keeps?(number: number): boolean;
}

/** More than any writer holds in memory. */
const MANY = 250;

const urlOf = (number: number) => `http://example.com/${number}`;

/** The entries of one URL: each writer finds the kind that is for it. */
function entriesOf(number: number): Entry[] {
  const page = { title: `${number} ${"long ".repeat(60)}`, words: 1, links: 2, charset: "utf-8" };
  const line = JSON.stringify({ url: urlOf(number), detail: "x".repeat(300) });
  const capture = sampleCapture({
    url: url(urlOf(number)),
    status: number % 5 === 4 ? 404 : 200,
    body: Buffer.from(`${number} ${"some words ".repeat(200)}`),
    page,
    rows: Buffer.from(`[["data",1]]\n{"url":"${urlOf(number)}"}\n`),
    outlinks: Array.from({ length: 60 }, (_, i) => `http://other.example/${number}/${i}`),
  });
  return [capture, { kind: "outcome", line }, { kind: "skipped", lines: [line] }];
}

/** Runs a step that must answer once, at once or later; answers its fault. */
function answered(step: Step): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    step((fault) => {
      answers++;
      // A second answer would follow before other events do.
      setImmediate(() => (answers === 1 ? resolve(fault) : reject(new Error("it answered twice"))));
    });
  });
}

/** Has the disk refuse what it is given, in the middle of a write where there is one. Everything works again afterwards. */
function fillDisk(t: TestContext): { isFull: boolean; refused: number } {
  const disk = { isFull: false, refused: 0 };
  const real = fs.writeSync;
  fs.writeSync = ((file: number, bytes: Uint8Array, from: number = 0) => {
    if (!disk.isFull) return real(file, bytes, from);
    const half = (bytes.length - from) >> 1;
    // What fits is written, and the next call is refused: as the kernel does it.
    if (half > 0 && disk.refused % 2 === 0) {
      disk.refused++;
      return real(file, bytes, from, half);
    }
    disk.refused++;
    throw Object.assign(new Error("ENOSPC: the disk of this test"), { code: "ENOSPC" });
  }) as typeof fs.writeSync;
  const restore = laterCallsToo();
  syncBuiltinESMExports();
  t.after(() => {
    restore();
    fs.writeSync = real;
    syncBuiltinESMExports();
  });
  return disk;
}

/** What every writer behind the builder must hold. */
export function writerContract(name: string, { open, urlsIn, keeps = () => true }: WriterCase) {
  const begin = (t: TestContext): [Writer, string] => {
    const folder = join(freshFolder(t), "crawl");
    createCrawlFolder(folder);
    return [open(folder), folder];
  };
  const append = async (writer: Writer, number: number) => {
    for (const entry of entriesOf(number))
      if (writer.append(entry)) await answered((done) => writer.flush(done));
  };
  const wanted = (count: number) =>
    Array.from({ length: count }, (_, i) => i)
      .filter(keeps)
      .map(urlOf)
      .sort();
  const holds = (folder: string, count: number) => {
    if (urlsIn !== undefined) assert.deepEqual(urlsIn(folder).sort(), wanted(count));
  };

  test(`${name}: what is appended is there after sync, and more can follow`, async (t) => {
    const [writer, folder] = begin(t);
    for (let number = 0; number < 9; number++) {
      await append(writer, number);
      if (number % 3 !== 2) continue;
      assert.equal(await answered((done) => writer.flush(done)), undefined);
      assert.equal(await answered((done) => writer.sync(done)), undefined);
      holds(folder, number + 1);
    }
    assert.equal(await answered((done) => writer.close(done)), undefined);
    holds(folder, 9);
  });

  test(`${name}: nothing that was appended before close is lost, and closing again changes nothing`, async (t) => {
    const [writer, folder] = begin(t);
    for (let number = 0; number < MANY; number++) await append(writer, number);
    for (let times = 0; times < 3; times++) {
      assert.equal(await answered((done) => writer.close(done)), undefined);
      holds(folder, MANY);
    }
  });

  test(`${name}: nothing is due after a flush`, async (t) => {
    const [writer] = begin(t);
    for (let number = 0; number < MANY; number++) {
      for (const entry of entriesOf(number)) {
        if (!writer.append(entry)) continue;
        assert.equal(await answered((done) => writer.flush(done)), undefined);
        assert.equal(writer.append({ kind: "skipped", lines: [] }), false);
      }
    }
    await answered((done) => writer.close(done));
  });

  test(`${name}: on a full disk nothing is taken by halves, and everything may be tried again`, async (t) => {
    const disk = fillDisk(t);
    const [writer, folder] = begin(t);
    const insist = async (step: () => unknown) => {
      for (let tries = 0; ; tries++) {
        disk.isFull = tries < 3;
        try {
          const fault = await step();
          if (fault === undefined) return;
          throw fault;
        } catch (fault) {
          assert.ok(isDiskTrouble(fault), String(fault));
          assert.ok(tries < 3, "a disk with room is not full");
        }
      }
    };
    for (let number = 0; number < MANY; number++) {
      for (const entry of entriesOf(number)) {
        let isDue = false;
        await insist(() => {
          isDue = writer.append(entry);
        });
        if (isDue) await insist(() => answered((done) => writer.flush(done)));
      }
    }
    await insist(() => answered((done) => writer.flush(done)));
    await insist(() => answered((done) => writer.sync(done)));
    holds(folder, MANY);
    await insist(() => answered((done) => writer.close(done)));
    holds(folder, MANY);
    if (urlsIn !== undefined) assert.ok(disk.refused > 0, "the disk was full at least once");
  });
}
