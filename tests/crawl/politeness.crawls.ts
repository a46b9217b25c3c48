import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { orbweaver, readLog, tempFolder } from "../support/orbweaver.ts";
import { crawlOrigin, crawlScript } from "./scripted-crawl.ts";
import { html, scriptedServer } from "./scripted-server.ts";

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

test("a host that asked for an hour is left alone, also by the next run, and its URLs wait for a later one", async (t) => {
  for (const busy of ["/busy", "/robots.txt"]) {
    const { origin, asked } = await scriptedServer(t, {
      "/": html("<a href=/busy>x</a><a href=/other>x</a>"),
      [busy]: (_q, r) => r.writeHead(503, { "retry-after": "3600" }).end(),
    });
    const out = join(tempFolder(t), "out");
    const patience = ["--delay", "50", "--max-wait", "300ms", "--quiet", "--order", "bfs"];
    const start = ["crawl", `${origin}/`, "--out", out, ...patience, "--retries", "1"];
    // Without robots.txt there is no page at all.
    const expected = busy === "/robots.txt" ? 6 : 0;
    assert.equal((await orbweaver(start)).code, expected);
    const before = [...asked];
    assert.equal(before.at(-1), busy);
    const resumed = await orbweaver(["resume", out, "--max-wait", "300ms", "--quiet"]);
    assert.equal(resumed.code, expected, resumed.stderr);
    assert.deepEqual(asked, before, "nothing was asked again");
    const last = readLog(out).at(-1)!;
    assert.equal(last.error, "host_unavailable");
  }
});

test("a host that can no longer be reached is tried ever more rarely and does not keep the crawl alive", async (t) => {
  const links = Array.from({ length: 20 }, (_, i) => `<a href=/${i}>x</a>`).join("");
  const server = await scriptedServer(t, {
    "/": (question, answer) => {
      server.refuseMore();
      html(links, { connection: "close" })(question, answer);
    },
  });
  const patience = ["--delay", "50", "--max-wait", "1s"];
  const { log } = await crawlOrigin(t, server.origin, ...patience);
  const errors = [...log.values()].map(({ error }) => error);
  const failed = errors.filter((error) => error === "connection_refused").length;
  const unavailable = errors.filter((error) => error === "host_unavailable").length;
  assert.equal(failed + unavailable, 20);
  // After 200, 400, 800 ms and so on: a clock that stands still for a while makes it no more.
  assert.ok(failed >= 1 && failed <= 10, `${failed} URLs were tried`);
});

test("a dead port does not hold up another port of the same name", async (t) => {
  const dead = await scriptedServer(t, {});
  dead.refuseMore();
  const links = (origin: string, count: number) =>
    Array.from({ length: count }, (_, i) => `<a href=${origin}/${i}>x</a>`).join("");
  const alive = Array.from({ length: 6 }, (_, i) => [`/${i}`, html("")] as const);
  for (const robots of [[], ["--no-robots"]]) {
    const { all, log } = await crawlScript(
      t,
      { "/": html(links(dead.origin, 12) + links("", 6)), ...Object.fromEntries(alive) },
      ...["--delay", "50", "--max-wait", "1s", "--scope", "any", "--order", "bfs", ...robots],
      // Too few tries wait for a dead port to outlast --max-wait, unless they hold up everybody.
      ...["--retries", "2", "--allow-private", "127.0.0.0/8"],
    );
    const pages = [...log.values()].filter(({ outcome }) => outcome === "page");
    assert.equal(pages.length, 7);
    const errors = all.filter(({ url }) => url.startsWith(dead.origin)).map(({ error }) => error);
    assert.equal(errors.length, 12);
    assert.ok(errors.every((error) => /^(connection_refused|host_unavailable)$/.test(error!)));
  }
});
