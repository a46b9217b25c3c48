// Follows a crawl by its events and stops it after 50 pages. Run: node examples/02-watch-and-stop.js
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crawl, configOf } from "orbweaver";
import { startWeb } from "orbweaver/web";

const web = await startWeb();
try {
  const out = join(mkdtempSync(join(tmpdir(), "orbweaver-")), "crawl");
  const settings = { seeds: web.start, scope: "any", delayMs: 20, allowPrivate: ["127.0.0.0/8"] };
  const running = new Crawl(configOf(settings), out);
  let stopped = false;
  running.events.on("progress", ({ pages, queued }) => {
    if (pages < 50 || stopped) return;
    stopped = true;
    console.log(`${pages} pages, ${queued} waiting: that is enough`);
    running.stop();
  });
  const { ended, pages } = await running.run();
  console.log(`${ended} with ${pages} pages`);
} finally {
  await web.close();
}
