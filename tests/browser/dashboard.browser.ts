import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { assertAccessible, LOOKS, loadAxe } from "./axe.ts";
import {
  endWatched,
  openBrowser,
  SKIP_WITHOUT_BROWSER,
  startWatched,
  watchCrawl,
} from "./browser.ts";
import type { Browser, Page } from "./playwright.ts";

const skip = SKIP_WITHOUT_BROWSER;
const PATIENCE_MS = 60_000;
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});
after(async () => {
  endWatched();
  await browser?.close();
});

/** A page that fails its test when anything goes wrong inside it. */
async function openPage(t: TestContext, url: string, width = 1400): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, bypassCSP: false });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) faults.push(message.text());
  });
  t.after(async () => {
    await page.close();
    assert.deepEqual(faults, []);
  });
  await page.goto(url);
  return page;
}

/** Asks again until it is true; not by a function inside the page, which its policy would not run. */
async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** "" as long as there is no such element. */
async function textOf(page: Page, selector: string): Promise<string> {
  const found = page.locator(selector);
  return (await found.count()) === 0 ? "" : ((await found.first().textContent()) ?? "");
}

const state = (page: Page, name: string) =>
  until(async () => (await textOf(page, "#state")) === name, name);
const said = (page: Page, text: string) =>
  until(async () => (await textOf(page, "#said")).includes(text), text);
const atLeast = (page: Page, selector: string, count: number) =>
  until(async () => (await page.locator(selector).count()) >= count, `${count} ${selector}`);
const pagesOf = async (page: Page) =>
  Number((await textOf(page, "#figures dd span")).replaceAll(",", ""));
const more = async (page: Page) => {
  const before = await pagesOf(page);
  await until(async () => (await pagesOf(page)) > before + 20, "more pages");
};

test("numbers move, the crawl is paused, goes on, loses a host, gains a seed, and stops", {
  skip,
}, async (t) => {
  const out = join(tempFolder(t), "out");
  const crawl = await watchCrawl(out, ["--delay", "200", "--max-pages", "30000"]);
  t.after(async () => {
    crawl.kill("SIGKILL");
    await crawl.ended;
    await crawl.web.close();
  });
  const page = await openPage(t, crawl.url);
  await state(page, "running");
  assert.equal(new URL(page.url()).search, "", "the token leaves the address");
  await more(page);
  await more(page);
  await atLeast(page, "#hosts tr", 5);
  await atLeast(page, "#charts canvas", 8);
  await atLeast(page, "#pages li strong", 3);

  // Pause by keyboard; then nothing more is fetched.
  await page.keyboard.press("p");
  await state(page, "paused");
  await until(
    async () => (await metric(crawl.origin, "orbweaver_in_flight_requests")) === 0,
    "nothing in flight",
  );
  const paused = await metric(crawl.origin, "orbweaver_pages_total");
  await page.waitForTimeout(1500);
  assert.equal(await metric(crawl.origin, "orbweaver_in_flight_requests"), 0);
  assert.ok((await metric(crawl.origin, "orbweaver_pages_total")) - paused <= 50);
  await page.locator("#pause").click();
  await state(page, "running");

  // Search for a host and block it.
  await page.keyboard.press("/");
  await page.locator("#host-search").fill("127.0.0.9");
  await until(async () => (await page.locator("#hosts tr").count()) === 1, "one host");
  await page.locator("#hosts button").first().click();
  await page.locator("#host-block").check();
  await page.locator("#ask-yes").click();
  await said(page, "127.0.0.9 is blocked");

  // Change another one: only what was filled in.
  await page.locator("#host-search").fill("127.0.0.7");
  await until(async () => (await textOf(page, "#hosts tr th")) === "127.0.0.7", "another host");
  await page.locator("#hosts button").first().click();
  await page.locator("#host-delay").fill("300");
  await page.locator("#host-connections").fill("2");
  await page.locator("#host-budget").fill("5000");
  await page.locator("#ask-yes").click();
  await said(page, "127.0.0.7 is changed");
  await until(async () => (await textOf(page, "#hosts td:nth-child(5)")) === "300 ms", "its delay");
  await page.locator("#links-per-thread").fill("32");
  await page.locator("#set-links button").click();
  await said(page, "Each thread may have 32 requests in flight");
  await until(
    async () =>
      /Blocked: 127\.0\.0\.9\. Changed: 127\.0\.0\.7 \(/.test(await textOf(page, "#changes")),
    "all changes so far",
  );

  // Every span of the charts, every order and the next page of hosts.
  for (const last of ["60", "3600", ""]) {
    await page.locator(`#spans button[data-last="${last}"]`).click();
    await atLeast(page, `#spans button[data-last="${last}"][aria-pressed="true"]`, 1);
  }
  await page.locator("#host-search").fill("");
  await until(async () => (await textOf(page, "#host-range")) === "1 to 25", "the first hosts");
  await page.locator("#host-on").click();
  await until(async () => (await textOf(page, "#host-range")).startsWith("26 to"), "the next");

  // Add a seed that no link leads to, of a host that has no queue.
  const other = await startWeb({ address: "127.0.0.77", profile: { ...PROFILES.tiny, hosts: 1 } });
  t.after(() => other.close());
  const seed = other.start[0]!;
  await page.locator("#seeds").fill(seed);
  await page.locator("#add-seeds button").click();
  await said(page, "Added 1 seed,");
  await page.locator("#host-search").fill("127.0.0.77");
  await until(async () => (await textOf(page, "#hosts tr th")) === "127.0.0.77", "the new host");
  await until(async () => Number(await textOf(page, "#hosts tr td:nth-child(3)")) > 0, "its pages");

  // In a field an s is a letter, so leave it.
  await page.keyboard.press("s");
  assert.equal(await page.locator("#ask-yes").isVisible(), false);
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await page.locator("#ask-yes").click();
  const { code } = await crawl.ended;
  assert.equal(code, 130);

  // The log and the journal of changes tell the same.
  const control = readFileSync(join(out, "logs", "control.jsonl"), "utf8");
  const events = ["pause", "goOn", "blockHost", "setHost", "setLinksPerThread", "addSeeds", "stop"];
  for (const event of events) assert.ok(control.includes(`"${event}"`), event);
  const log = readFileSync(join(out, "logs", "crawl.jsonl"), "utf8");
  assert.ok(log.includes(`"url":${JSON.stringify(seed)}`), "the seed was visited");
  assert.ok(log.includes('"error":"host_blocked"'), "URLs of the blocked host ended");
  const summary = JSON.parse(readFileSync(join(out, "reports", "summary.json"), "utf8"));
  const pages = log.split("\n").filter((line) => line.includes('"outcome":"page"')).length;
  assert.equal(pages, summary.pages);

  // The same folder, looked at afterwards: the same numbers.
  const folder = await startWatched(["dashboard", out]);
  t.after(async () => {
    folder.kill("SIGTERM");
    await folder.ended;
  });
  const later = await openPage(t, folder.url, 360);
  await state(later, "stopped");
  assert.equal(await pagesOf(later), summary.pages);
  assert.equal(await metric(folder.origin, "orbweaver_pages_total"), summary.pages);
  assert.equal(await later.locator("#pause").isVisible(), false);
});

test("axe finds no violation, in light and dark, wide and narrow, with an open dialog", {
  skip,
}, async (t) => {
  const out = join(tempFolder(t), "out");
  const crawl = await watchCrawl(out, ["--delay", "200"]);
  t.after(async () => {
    crawl.kill("SIGKILL");
    await crawl.ended;
    await crawl.web.close();
  });
  for (const [width, colorScheme] of LOOKS) {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme,
      bypassCSP: true,
    });
    await page.goto(crawl.url);
    await atLeast(page, "#hosts tr button", 1);
    await atLeast(page, "#graph svg", 1);
    await atLeast(page, "#failures details", 1);
    await loadAxe(page);
    await assertAccessible(page, `${width} ${colorScheme}`);
    await page.locator("#stop").click();
    await assertAccessible(page, `${width} ${colorScheme}, asked`);
    await page.close();
  }
});

async function metric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}
