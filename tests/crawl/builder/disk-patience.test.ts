import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { type DiskMessage, DiskPatience } from "../../../src/crawl/builder/disk-patience.ts";
import { FRAMES } from "../../../src/crawl/hand-off/frames.ts";
import { bellsOf, Control, createMemory } from "../../../src/crawl/shared-memory.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { sampleBuilder } from "../../store/sample-capture.ts";
import { tempFolder } from "../../support/orbweaver.ts";
import { loopOver, pageRecord, UNHELD } from "./looped-builder.ts";

test("a fault that several files meet is one pause: it is posted once, and is over when all of them were written", (t) => {
  const folder = tempFolder(t);
  createCrawlFolder(folder, 0, {});
  const memory = createMemory({ threads: 1, builders: 1 });
  const posted: DiskMessage["kind"][] = [];
  const bell = bellsOf(memory).builders[0]!;
  const patience = new DiskPatience(new Control(memory), bell, ({ kind }) => posted.push(kind));
  const real = fs.writeSync;
  const paths = new Map<number, string>();
  const realOpen = fs.openSync;
  let failures = 0;
  const refused: string[] = [];
  fs.openSync = (path, flags, mode) => {
    const file = realOpen(path, flags, mode);
    paths.set(file, String(path));
    return file;
  };
  // From the first write of edges on the disk refuses what comes, whatever file it is for.
  fs.writeSync = ((file: number, ...rest: [Uint8Array, number]) => {
    const path = paths.get(file)!;
    if ((failures === 0 ? path.includes("/links/out") : failures < 3) && ++failures) {
      refused.push(path.replace(/^.*\/([a-z]+)\/.*/, "$1"));
      throw Object.assign(new Error("EIO: the disk of this test"), { code: "EIO" });
    }
    return real(file, ...rest);
  }) as typeof fs.writeSync;
  syncBuiltinESMExports();
  t.after(() => {
    fs.writeSync = real;
    fs.openSync = realOpen;
    syncBuiltinESMExports();
  });
  const { loop, senders } = loopOver(sampleBuilder(folder), 1, { patience });
  const [sender] = senders as [(typeof senders)[number]];
  const page = (name: string) =>
    sender.sendRecord(pageRecord(`http://h/${name}`, ["http://h/"]), UNHELD);
  page("first");
  // The log has to be written before its next line, and everything with it: the log itself is, then edges meet the fault.
  const long = JSON.stringify({ url: "http://h/", detail: "x".repeat(70_000) });
  sender.send(FRAMES.outcome, [Buffer.from(long)]);
  sender.send(FRAMES.outcome, [Buffer.from(long)]);
  page("second");
  loop.commit();
  loop.close(() => {});
  assert.deepEqual(refused, ["links", "links", "links"]);
  assert.deepEqual(posted, ["diskFull", "diskFree"]);
});
