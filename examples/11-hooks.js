// Decides about links and requests, and goes on with a crawl. Run: node examples/11-hooks.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crawl, crawl } from "orbweaver";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const first = await crawl({
    ...{ seeds: web.start[0], out, delayMs: 0, allowPrivate: ["127.0.0.0/8"], maxPages: 10 },
    // These run in the crawler threads: they see nothing of what stands around them here.
    shouldVisit: (url, depth) => depth < 4 && !url.includes("?"),
    beforeRequest: (headers) => {
      headers["Accept-Language"] = "en";
    },
  });
  const both = await Crawl.resume(out, { maxPages: 15 }).run();
  console.log(`${first.pages} pages, then ${both.pages} in ${both.runs} runs`);
} finally {
  await web.close();
}
