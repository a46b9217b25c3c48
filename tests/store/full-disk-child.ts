// Run by full-disk.test.ts in a process whose files may not grow beyond a limit, which is then lifted.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DiskFullError } from "../../src/errors.ts";
import { Builder } from "../../src/store/builder.ts";
import { createCrawlFolder } from "../../src/store/crawl-folder.ts";
import { finishFolder } from "../../src/store/finish-folder.ts";
import { sampleCapture, sampleOptions, url } from "./sample-capture.ts";

const folder = process.argv[2]!;
const paths = createCrawlFolder(folder);
const builder = new Builder(sampleOptions(folder));
let refused = 0;
let sizeAtRefusal = 0;
for (let n = 0; n < 40; n++) {
  const body = randomBytes(5000 + n * 100);
  const capture = sampleCapture({ url: url(`http://example.com/${n}`), body });
  try {
    builder.page(capture);
  } catch (fault) {
    if (!(fault instanceof DiskFullError)) throw fault;
    refused++;
    sizeAtRefusal = statSync(join(paths.archive, readdirSync(paths.archive)[0]!)).size;
    execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=unlimited"]);
    builder.page(capture);
  }
  builder.flush();
}
builder.close();
finishFolder(folder);
process.stdout.write(JSON.stringify({ refused, sizeAtRefusal }));
