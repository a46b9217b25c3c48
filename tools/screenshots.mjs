// Makes the pictures in docs/images, of a real crawl of a synthetic web: dashboard and report in Chromium, the terminal in tmux.
// Builds nothing, run `npm run build` first.
//   node tools/screenshots.mjs [FOLDER]
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, WATCHED, watchCrawl } from "../build/tests/browser/browser.js";

const root = resolve(import.meta.dirname, "..");
const orbweaver = join(root, "build", "src", "cli", "main.js");
const folder = resolve(process.argv[2] ?? join(root, "docs", "images"));
mkdirSync(folder, { recursive: true });
// Pictures show paths: the crawl is in a folder with a plain name.
const work = mkdtempSync(join(tmpdir(), "orbweaver-pictures-"));
process.chdir(work);

const [WIDE, NARROW] = [1400, 360];
const WARM_UP_MS = 45_000;

async function shoot(browser, { name, url, width, height, colorScheme, ready }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.on("console", (message) => console.log(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => console.log(`${name}: ${error}`));
  await page.goto(url);
  for (const selector of ready) await page.waitForSelector(selector);
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

async function shootDashboard(browser, { url }) {
  const ready = ["#hosts tr", "#graph svg", "#failures details", "#pages strong"];
  for (const [name, width, height, colorScheme] of [
    ["dashboard-light", WIDE, 1250, "light"],
    ["dashboard-dark", WIDE, 1250, "dark"],
    ["dashboard-360-light", NARROW, 1250, "light"],
    ["dashboard-360-dark", NARROW, 1250, "dark"],
  ])
    await shoot(browser, { name, url, width, height, colorScheme, ready });
}

async function shootReport(browser, out) {
  execFileSync(process.execPath, [orbweaver, "report", out], { stdio: "ignore" });
  const url = pathToFileURL(join(work, out, "reports", "report.html")).href;
  for (const [name, width, height, colorScheme] of [
    ["report-light", WIDE, 1250, "light"],
    ["report-dark", WIDE, 1250, "dark"],
    ["report-360-light", NARROW, 1250, "light"],
  ])
    await shoot(browser, { name, url, width, height, colorScheme, ready: ["svg"] });
}

/** A crawl as three terminals show it: a narrow, a usual and a wide one. */
async function recordTerminals(start, resolveTo) {
  for (const [columns, rows] of [
    [40, 18],
    [80, 14],
    [160, 10],
  ]) {
    const out = `crawls/terminal-${columns}`;
    const options = ["--scope", "any", "--delay", "100", "--max-pages", "800", "--threads", "2"];
    const crawl = ["crawl", ...start, ...resolveTo, "--allow-private", "127.0.0.0/8", "--out", out];
    const size = ["--columns", String(columns), "--rows", String(rows)];
    const title = `a crawl in a terminal of ${columns} columns`;
    const still = ["--still", "--stop-after", "8", "--title", title, ...size];
    const file = join(folder, `terminal-${columns}.svg`);
    const args = [join(root, "tools", "record-terminal.mjs"), file, ...still, "--"];
    const command = [process.execPath, orbweaver, ...crawl, ...options];
    const child = spawn(process.execPath, [...args, ...command], { stdio: "inherit" });
    await once(child, "exit");
  }
}

const out = "crawls/example";
const options = ["--delay", "100", "--max-pages", "30000", "--order", "opic"];
const crawl = await watchCrawl(out, options, WATCHED, true);
const browser = await openBrowser();
try {
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  await shootDashboard(browser, crawl);
  crawl.kill("SIGTERM");
  await crawl.ended;
  await shootReport(browser, out);
  await recordTerminals(crawl.web.start, crawl.web.resolveArguments());
} finally {
  await browser.close();
  crawl.kill("SIGKILL");
  await crawl.web.close();
  rmSync(work, { recursive: true, force: true });
}
