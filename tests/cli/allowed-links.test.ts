import assert from "node:assert/strict";
import { test } from "node:test";
import { briefly, crawlScript } from "../crawl/scripted-crawl.ts";
import { html, redirect } from "../crawl/scripted-server.ts";
import { runHere } from "./run-bin.ts";

const ROBOTS = [
  "User-agent: *",
  "Disallow: /robots",
  "Disallow: /*?$",
  "Disallow: /docs/",
  "Allow: /docs/index.html",
].join("\n");

test("issue 16: robots.txt itself, an index's folder, an empty query, a redirect that is too deep", async (t) => {
  const { log, skipped, origin } = await crawlScript(
    t,
    {
      "/robots.txt": (_q, r) => r.writeHead(200, { "content-type": "text/html" }).end(ROBOTS),
      "/": html(
        "<a href=robots.txt>1</a><a href=docs/>2</a><a href=docs/x>3</a><a href='empty?'>4</a><a href=near>5</a>",
      ),
      "/docs/": html("the folder"),
      "/near": redirect("/static"),
      "/static": html("<a href=deep>1</a>"),
      "/deep": redirect("/dynamic?id=1"),
    },
    ...["--max-depth-dynamic", "1"],
  );
  assert.deepEqual(briefly(log), {
    "/": ["page", 200, "seed"],
    "/robots.txt": ["page", 200, "link"],
    "/docs/": ["page", 200, "link"],
    "/docs/x": ["refused", "robots", "link"],
    "/empty?": ["refused", "robots", "link"],
    "/near": ["redirect", 302, "link"],
    "/static": ["page", 200, "redirect"],
    "/deep": ["redirect", 302, "link"],
  });
  assert.deepEqual(
    skipped.map(({ url, reason }) => [url.slice(origin.length), reason]),
    [["/dynamic?id=1", "max_depth_dynamic"]],
  );
});

test("issue 16: check robots says the same of one URL and of a batch", async () => {
  const expected: [path: string, allowed: boolean, line: number | null][] = [
    ["/robots.txt", true, null],
    ["/docs/", true, 5],
    ["/docs/x", false, 4],
    ["/empty?", false, 3],
    ["/empty?#top", false, 3],
    ["/empty", true, null],
  ];
  const lines = expected.map(([path]) =>
    JSON.stringify({ robots: ROBOTS, agent: "Orbweaver", url: `http://h${path}` }),
  );
  const { stdout } = await runHere(["check", "robots", "--batch"], lines.join("\n"));
  const answers = stdout.trim().split("\n");
  for (const [i, [path, allowed, line]] of expected.entries()) {
    const one = await runHere(
      ["check", "robots", `http://h${path}`, "--file", "-", "--json"],
      ROBOTS,
    );
    for (const text of [answers[i]!, one.stdout]) {
      const answer = JSON.parse(text);
      assert.deepEqual([answer.allowed, answer.line], [allowed, line], path);
    }
  }
  const { stdout: text } = await runHere(
    ["check", "robots", "http://h/robots.txt", "--file", "-"],
    ROBOTS,
  );
  assert.match(text, /^decided by +robots\.txt itself is always allowed$/m);
});
