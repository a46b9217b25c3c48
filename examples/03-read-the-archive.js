// Crawls one page and reads it back from the WARC archive. Run: node examples/03-read-the-archive.js
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "orbweaver";
import { readWarc } from "orbweaver/warc";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const seeds = web.start.slice(0, 1);
  await crawl({ seeds, out, maxDepth: 0, delayMs: 0, allowPrivate: ["127.0.0.0/8"] });
  for (const file of readdirSync(join(out, "archive"))) {
    for (const { type, headers, block } of readWarc(join(out, "archive", file))) {
      const target = headers.get("warc-target-uri") ?? "";
      console.log(`${type.padEnd(9)} ${String(block.length).padStart(6)} bytes  ${target}`);
    }
  }
} finally {
  await web.close();
}
