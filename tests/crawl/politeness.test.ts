import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlScript } from "./scripted-crawl.ts";
import { html } from "./scripted-server.ts";

test("only requests cost a delay: what robots.txt refuses does not keep its host from the next page", async (t) => {
  const delayMs = 500;
  const refused = Array.from({ length: 60 }, (_, i) => `<a href=/no/${i}>x</a>`).join("");
  const startMs = performance.now();
  const { asked, log } = await crawlScript(
    t,
    {
      "/robots.txt": (_q, r) => r.end("User-agent: *\nDisallow: /no/\n"),
      "/": html(`${refused}<a href=/last>x</a>`),
      "/last": html(""),
    },
    "--delay",
    String(delayMs),
  );
  assert.deepEqual(asked, ["/robots.txt", "/", "/last"]);
  assert.equal([...log.values()].filter(({ error }) => error === "robots").length, 60);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < (60 * delayMs) / 2, `${Math.round(tookMs)} ms`);
});
