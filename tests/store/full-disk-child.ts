// Run by full-disk.test.ts in a process whose files may not grow beyond a limit, which is then lifted.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DiskFullError } from "../../src/errors.ts";
import { mergeParts } from "../../src/store/finish/merge-parts.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { sampleBuilder, sampleCapture, url } from "./sample-capture.ts";

const folder = process.argv[2]!;
// Long titles fill pages.jsonl before the archive, where a title is cut at 8 KiB.
const title = "t".repeat(process.argv[3] === "pages" ? 60_000 : 2);
const flushEach = process.argv[3] !== "pages";
const paths = createCrawlFolder(folder);
const builder = sampleBuilder(folder);
let refused = 0;
let sizeAtRefusal = 0;
for (let n = 0; n < 40; n++) {
  const body = randomBytes(flushEach ? 5000 + n * 100 : 10);
  const page = { title, words: 1, links: 0, charset: "utf-8" };
  const capture = sampleCapture({ url: url(`http://example.com/${n}`), body, page });
  let taken = false;
  try {
    builder.append(capture);
    taken = true;
    if (flushEach) builder.flush();
  } catch (fault) {
    if (!(fault instanceof DiskFullError)) throw fault;
    refused++;
    sizeAtRefusal = statSync(join(paths.archive, readdirSync(paths.archive)[0]!)).size;
    execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited"]);
    if (!taken) builder.append(capture);
    if (flushEach) builder.flush();
  }
}
builder.close();
mergeParts(folder);
process.stdout.write(JSON.stringify({ refused, sizeAtRefusal }));
