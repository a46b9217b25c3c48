// Makes the pictures of the dashboard in docs/images: builds nothing, run `npm run build` first.
//   node tools/screenshots.mjs [FOLDER]
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openBrowser, watchCrawl } from "../build/tests/browser/browser.js";

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "..", "docs", "images"));
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "orbweaver-pictures-"));
process.chdir(work);
const crawl = await watchCrawl("crawls/example", ["--delay", "100", "--max-pages", "30000"]);
const browser = await openBrowser();
try {
  for (const [name, width, height, colorScheme, isWhole] of [
    ["dashboard-light", 1400, 1000, "light", false],
    ["dashboard-dark", 1400, 1000, "dark", true],
    ["dashboard-360-light", 360, 800, "light", true],
    ["dashboard-360-dark", 360, 800, "dark", false],
  ]) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    page.on("console", (message) => console.log(`${name}: ${message.text()}`));
    page.on("pageerror", (error) => console.log(`${name}: ${error}`));
    await page.goto(crawl.url);
    await page.waitForSelector("#hosts tr");
    await page.waitForSelector("#graph svg");
    await page.waitForTimeout(name === "dashboard-light" ? 20_000 : 2500);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isWhole });
    await page.close();
  }
} finally {
  await browser.close();
  crawl.kill("SIGTERM");
  await crawl.ended;
  await crawl.web.close();
  rmSync(work, { recursive: true, force: true });
}
