// Lets a function choose the links to follow and keep a value with each page. Run: node examples/06-page-handler.js
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
    // Its text is sent to the crawler threads, so it can use nothing from around it.
    handler: async (page) => ({
      links: page.links.filter((link) => !link.includes("?")),
      data: { headings: ((await page.text()).match(/<h[1-6]/gi) ?? []).length },
    }),
  });
  const [, ...lines] = readFileSync(join(out, "pages/pages.jsonl"), "utf8").trim().split("\n");
  const pages = lines.map((line) => JSON.parse(line));
  const headings = pages.reduce((sum, { data }) => sum + data.headings, 0);
  console.log(`${pages.length} pages with ${headings} headings`);
} finally {
  await web.close();
}
