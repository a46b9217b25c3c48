import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { assertAccessible, LOOKS, loadAxe } from "./axe.ts";
import { openBrowser, SKIP_WITHOUT_BROWSER } from "./browser.ts";
import type { Browser } from "./playwright.ts";

const skip = SKIP_WITHOUT_BROWSER;
let browser: Browser;

before(async () => {
  if (!skip) browser = await openBrowser();
});
after(async () => browser?.close());

test("a report needs nothing but itself, and axe finds no violation in it, wide and narrow, light and dark", {
  skip,
}, async (t) => {
  const out = join(tempFolder(t), "out");
  const web = await startWebProcess({
    profile: { ...PROFILES.tiny, pages: 200, hosts: 6, crossHostShare: 0.4 },
  });
  const { code } = await orbweaver([
    ...["crawl", ...web.start, "--out", out, "--scope", "any", "--delay", "0", "--quiet"],
    ...["--allow-private", "127.0.0.0/8", "--order", "opic", "--report"],
  ]);
  await web.close();
  assert.equal(code, 0);
  const url = pathToFileURL(join(out, "reports", "report.html")).href;
  for (const [width, colorScheme] of LOOKS) {
    const faults: string[] = [];
    const plain = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    plain.on("console", (message) => faults.push(message.text()));
    plain.on("pageerror", (error) => faults.push(String(error)));
    await plain.goto(url);
    assert.ok((await plain.locator("svg").count()) >= 10, "plots are there");
    await plain.close();
    assert.deepEqual(faults, [], "its policy has nothing to refuse");
    const page = await browser.newPage({
      ...{ viewport: { width, height: 900 }, colorScheme, bypassCSP: true },
    });
    await page.goto(url);
    await loadAxe(page);
    await assertAccessible(page, `${width} ${colorScheme}`);
    await page.close();
  }
});
