// Lets a function choose the links to follow and push rows of its own. Run: node examples/06-page-handler.js
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "orbweaver";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  await crawl({
    seeds: web.start,
    scope: "any",
    out,
    delayMs: 0,
    maxPages: 20,
    allowPrivate: ["127.0.0.0/8"],
    handler: ({ page, links, enqueue, push }) => {
      enqueue(links.filter((link) => !link.includes("?")));
      push({ url: page.url, headings: (page.html.match(/<h[1-6]/gi) ?? []).length });
    },
  });
  const lines = readFileSync(join(out, "data/data.jsonl"), "utf8").trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line));
  const headings = rows.reduce((sum, row) => sum + row.headings, 0);
  console.log(`${rows.length} pages with ${headings} headings`);
} finally {
  await web.close();
}
