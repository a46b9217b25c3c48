// Crawls a small synthetic web on this machine and prints the figures. Run: node examples/01-first-crawl.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "orbweaver";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const summary = await crawl({
    seeds: web.start,
    out,
    scope: "any",
    delayMs: 20,
    allowPrivate: ["127.0.0.0/8"], // unlike on the command line, seeds alone allow no private address
  });
  console.log(`${summary.pages} pages of ${web.truth().reachable}, results in ${summary.out}`);
} finally {
  await web.close();
}
