// Tells list pages from detail pages by the label of their URL. Run: node examples/08-router.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crawler } from "orbweaver";
import { createRouter } from "orbweaver/handler";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
const found = [];
const router = createRouter()
  .on("detail", ({ page, request, push, enqueue }) => {
    enqueue([]); // follows nothing from here
    found.push(page.title);
    push({ title: page.title, from: request.userData.from }, "details");
  })
  .otherwise(({ page, links, enqueue }) =>
    enqueue(links.slice(0, 3), { label: "detail", userData: { from: page.url } }),
  );
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const settings = { seeds: web.start[0], scope: "any", sitemaps: "off", out, delayMs: 0 };
  const allowPrivate = ["127.0.0.0/8"];
  const crawler = new Crawler({ ...settings, allowPrivate, handler: router });
  crawler.events.on("failed", ({ url, reason }) => console.error(`${url}: ${reason}`));
  const { pages } = await crawler.run();
  console.log(`${pages} pages, ${found.length} of them details`);
} finally {
  await web.close();
}
