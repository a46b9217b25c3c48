// Goes over pages one by one; the loop sets the pace, and leaving it stops the crawl. Run: node examples/07-stream-pages.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "orbweaver";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const settings = { seeds: web.start, scope: "any", out, delayMs: 0 };
  const run = crawl({ ...settings, allowPrivate: ["127.0.0.0/8"] });
  let words = 0;
  let pages = 0;
  for await (const page of run) {
    words += page.text.split(/\s+/).length;
    if (++pages === 10) break;
  }
  const { ended } = await run;
  console.log(`${pages} pages with ${words} words, ${ended}`);
} finally {
  await web.close();
}
