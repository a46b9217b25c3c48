import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { type DiskNews, DiskPatience } from "../../../src/crawl/builder/disk-patience.ts";
import { bellsOf, Control, createMemory } from "../../../src/crawl/shared-memory.ts";
import { Builder } from "../../../src/store/builder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { sampleCapture, sampleOptions, url } from "../../store/sample-capture.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const MEMORY = {
  frontier: "sharded",
  sync: "lock-free",
  visited: "cas",
  frontierSize: 1,
} as const;

test("a fault that several files meet is one pause: it is said once, and is over when all of them were written", (t) => {
  const folder = tempFolder(t);
  createCrawlFolder(folder, 0, {});
  const memory = createMemory({ ...MEMORY, threads: 1, builders: 1 });
  const said: DiskNews["kind"][] = [];
  const bell = bellsOf(memory)[0]!;
  const patience = new DiskPatience(new Control(memory), bell, ({ kind }) => said.push(kind));
  const real = fs.writeSync;
  const paths = new Map<number, string>();
  const realOpen = fs.openSync;
  let failures = 0;
  const met: string[] = [];
  fs.openSync = (path, flags, mode) => {
    const file = realOpen(path, flags, mode);
    paths.set(file, String(path));
    return file;
  };
  // From the first write of edges on the disk refuses what comes, whatever file it is for.
  fs.writeSync = ((file: number, ...rest: [Uint8Array, number]) => {
    const path = paths.get(file)!;
    if ((failures === 0 ? path.includes("/links/out") : failures < 3) && ++failures) {
      met.push(path.replace(/^.*\/([a-z]+)\/.*/, "$1"));
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
  const builder = new Builder(sampleOptions(folder));
  const store = <T>(step: () => T) => patience.repeat(step, () => builder.flush());
  const page = (name: string) =>
    store(() =>
      builder.page(sampleCapture({ url: url(`http://h/${name}`), outlinks: [url("http://h/")] })),
    );
  page("first");
  // The log has to be written before its next line, and everything with it: the log itself is, then edges meet the fault.
  const long = JSON.stringify({ url: "http://h/", detail: "x".repeat(70_000) });
  store(() => builder.outcome(long));
  store(() => builder.outcome(long));
  page("second");
  store(() => builder.flush());
  store(() => builder.close());
  assert.deepEqual(met, ["links", "links", "links"]);
  assert.deepEqual(said, ["diskFull", "diskFree"]);
});
