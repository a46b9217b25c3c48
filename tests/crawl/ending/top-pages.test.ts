import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TopPage } from "../../../src/crawl/ending/top-pages.ts";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { orbweaver } from "../../support/orbweaver.ts";
import { crawlScript } from "../scripted-crawl.ts";
import { html, type Script } from "../scripted-server.ts";

test("the page that most links lead to is on top, though it was fetched before they were found", async (t) => {
  const pages = ["a", "b", "c", "d", "e", "f"];
  const links = (paths: readonly string[]) =>
    paths.map((path) => `<a href=/${path}>x</a>`).join("");
  const script: Script = { "/": html(links(["hub", "g", ...pages])), "/hub": html("end") };
  // Its only link gets everything, and more from the virtual page: fetched with the most, and one page links to it.
  script["/g"] = html(links(["rich"]));
  script["/rich"] = html("end");
  for (const page of pages) {
    script[`/${page}`] = html(links(["hub", `leaf-${page}`]));
    script[`/leaf-${page}`] = html("end");
  }
  // One place, so that the hub is fetched first.
  const flags = ["--order", "opic", "--links-per-thread", "1", "--per-host", "1"];
  const { out, origin } = await crawlScript(t, script, ...flags);
  const top = () =>
    JSON.parse(readFileSync(join(out, "reports/top-pages.json"), "utf8")) as TopPage[];
  const found = top();
  assert.equal(found.length, 4 + 2 * pages.length);
  const [seed, hub, ...others] = found;
  assert.deepEqual([seed!.url, seed!.history], [`${origin}/`, 1]);
  assert.deepEqual([hub!.url, hub!.inDegree], [`${origin}/hub`, 1 + pages.length]);
  assert.ok(hub!.history > hub!.priority + pages.length / 16, "what came too late counts");
  assert.ok(
    others.some(({ cash }) => cash > hub!.cash),
    "others were fetched with more",
  );
  for (const { history, inDegree, cash } of others)
    assert.deepEqual([history, inDegree], [cash / UNIT, 1]);
  assert.equal((await orbweaver(["recover", out])).code, 0);
  assert.deepEqual(top(), found);
});
