import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { readRecords } from "../support/archive.ts";
import {
  type LogLine,
  orbweaver,
  readLines,
  readLog,
  readPages,
  tempFolder,
} from "../support/orbweaver.ts";
import { html, redirect, type Script, scriptedServer } from "./scripted-server.ts";

const FAST = ["--delay", "0", "--json", "--quiet", "--retries", "0"];

async function crawl(t: Parameters<typeof tempFolder>[0], script: Script, ...args: string[]) {
  const server = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const finished = await orbweaver(["crawl", `${server.origin}/`, "--out", out, ...FAST, ...args]);
  const own = readLog(out).filter(({ url }) => url.startsWith(server.origin));
  const log = new Map(own.map((line) => [line.url.slice(server.origin.length), line]));
  return { ...server, ...finished, out, log };
}

function brief(line: LogLine | undefined): unknown {
  return (
    line && [
      line.outcome,
      line.status ?? line.error,
      ...(line.status && line.error ? [line.error] : []),
    ]
  );
}

test("every kind of page and every kind of failure ends as one line with its code", async (t) => {
  const big = "x".repeat(1024 * 1024);
  const { code, stderr, log, out, asked } = await crawl(t, {
    "/": html(
      `<a href=empty>1</a><a href=big>2</a><a href=pdf>3</a><a href=latin>4</a><a href=gone>5</a>
       <a href=broken>6</a><a href=r1>7</a><a href=loop>8</a><a href=mail>9</a><a href=notype>10</a>
       <a href=liar>11</a><a href="ftp://x/">12</a><a href="http://other.example/">13</a><a href=zip>14</a>`,
    ),
    "/empty": (_q, r) => r.writeHead(200, { "content-type": "text/html" }).end(),
    "/big": html(`<p>${big}</p><a href=after-big>x</a>`),
    "/after-big": html("found"),
    "/pdf": (_q, r) => r.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4"),
    "/latin": (_q, r) => {
      r.writeHead(200, { "content-type": "text/html; charset=nonsense" });
      r.end(Buffer.from("<title>caf\xe9</title><a href='/caf\xe9'>x</a>", "latin1"));
    },
    "/caf%C3%A9": html("coffee"),
    "/broken": (_q, r) => r.socket!.destroy(),
    "/r1": redirect("/r2"),
    "/r2": redirect("/target"),
    "/target": html("reached"),
    "/loop": redirect("/loop"),
    "/mail": redirect("mailto:a@b"),
    "/notype": (_q, r) => r.writeHead(200).end("<a href=/from-notype>x</a>"),
    "/from-notype": html("found"),
    "/liar": (_q, r) =>
      r.writeHead(200, { "content-type": "text/html" }).end("PK\x03\x04<a href=/no>x</a>"),
    "/zip": (_q, r) => {
      r.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
      r.end("not gzip at all");
    },
  });
  assert.deepEqual([code, stderr], [0, ""]);
  const got = Object.fromEntries([...log].map(([path, line]) => [path, brief(line)]));
  assert.deepEqual(got, {
    "/": ["page", 200],
    "/empty": ["page", 200],
    "/big": ["page", 200],
    "/after-big": ["page", 200],
    "/pdf": ["refused", "content_type"],
    "/latin": ["page", 200],
    "/caf%C3%A9": ["page", 200],
    "/gone": ["failed", 404, "http_404"],
    "/broken": ["failed", "reset"],
    "/r1": ["redirect", 302],
    "/r2": ["redirect", 302],
    "/target": ["page", 200],
    "/loop": ["failed", 302, "redirect_loop"],
    "/mail": ["failed", 302, "blocked_scheme"],
    "/notype": ["page", 200],
    "/from-notype": ["page", 200],
    "/liar": ["page", 200, "not_html"],
    "/zip": ["page", 200, "encoding_error"],
  });
  assert.equal(asked.length, new Set(asked).size, "nothing was asked for twice");
  const titles = new Map(readPages(out).map(({ url, title }) => [new URL(url).pathname, title]));
  assert.equal(titles.get("/latin"), "café");
  const skipped = readLines<{ url: string; reason: string }>(join(out, "reports/skipped.jsonl"));
  assert.deepEqual(
    skipped.map(({ url, reason }) => [url, reason]),
    [
      ["ftp://x/", "blocked_scheme"],
      ["http://other.example/", "out_of_scope"],
    ],
  );
  assert.deepEqual(
    readRecords(join(out, "archive")).flatMap(({ problems }) => problems),
    [],
  );
});

test("a redirect keeps its depth; a seed's redirect target becomes a seed", async (t) => {
  const other = await scriptedServer(t, {
    "/home": html("<a href=/deep>x</a>"),
    "/deep": html(""),
  });
  const { log, out } = await crawl(
    t,
    { "/": redirect(`${other.origin}/home`, 301) },
    "--allow-private",
    "127.0.0.1",
  );
  assert.deepEqual(brief(log.get("/")), ["redirect", 301]);
  const lines = readLog(out).filter(({ url }) => url.startsWith(other.origin));
  assert.deepEqual(
    lines.map(({ url, depth, via, outcome }) => [new URL(url).pathname, depth, via, outcome]),
    [
      ["/home", 0, "redirect", "page"],
      ["/deep", 1, "link", "page"],
    ],
  );
});

test("a seed may not lead to another port of this machine by redirect", async (t) => {
  const other = await scriptedServer(t, { "/": html("secret") });
  const { log, out, code } = await crawl(t, { "/": redirect(`${other.origin}/`) });
  assert.equal(code, 6);
  assert.deepEqual(brief(log.get("/")), ["redirect", 302]);
  const target = readLog(out).find(({ url }) => url === `${other.origin}/`);
  assert.deepEqual(brief(target), ["refused", "blocked_private_address"]);
  assert.deepEqual(other.asked, []);
});

test("without a contact nobody outside is asked, not even a name server", async (t) => {
  const page = html("<a href=http://stranger.example/>x</a><a href=http://192.0.2.1/>y</a>");
  const { out, code } = await crawl(t, { "/": page }, "--scope", "any");
  assert.equal(code, 0);
  const strangers = readLog(out).filter(({ url }) => !url.startsWith("http://127."));
  assert.deepEqual(strangers.map((line) => [line.url, ...(brief(line) as string[])]).sort(), [
    ["http://192.0.2.1/", "refused", "blocked_private_address"],
    ["http://stranger.example/", "refused", "contact_required"],
  ]);
});

test("more than ten redirects end, whatever their targets", async (t) => {
  const script: Script = {};
  for (let i = 0; i < 30; i++) script[i === 0 ? "/" : `/${i}`] = redirect(`/${i + 1}`);
  const { log } = await crawl(t, script);
  assert.deepEqual(brief(log.get("/10")), ["failed", 302, "too_many_redirects"]);
  assert.equal(log.has("/11"), false);
});

test("robots.txt is obeyed, its absence allows, its failure forbids", async (t) => {
  const page = html("<a href=/private/x>x</a><a href=/open>y</a>");
  const rules = await crawl(t, {
    "/": page,
    "/open": html(""),
    "/robots.txt": (_q, r) => r.end("User-agent: *\nDisallow: /private/\n"),
  });
  assert.deepEqual(brief(rules.log.get("/private/x")), ["refused", "robots"]);
  assert.deepEqual(brief(rules.log.get("/open")), ["page", 200]);
  assert.ok(!rules.asked.includes("/private/x"));
  const broken = await crawl(t, { "/": page, "/robots.txt": (_q, r) => r.writeHead(503).end() });
  assert.deepEqual(brief(broken.log.get("/")), ["refused", "robots_status_503"]);
  const ignored = await crawl(
    t,
    { "/": page, "/robots.txt": (_q, r) => r.writeHead(503).end() },
    "--no-robots",
  );
  assert.deepEqual(brief(ignored.log.get("/")), ["page", 200]);
  assert.ok(!ignored.asked.includes("/robots.txt"));
});

test("a page larger than the pipe to its builder passes through in pieces", async (t) => {
  const noise = randomBytes(6 * 1024 * 1024).toString("base64");
  const { log, out } = await crawl(t, {
    "/": html(`<a href=/next>x</a><!--${noise}-->`),
    "/next": html(""),
  });
  assert.deepEqual([...log.values()].map(brief), [
    ["page", 200],
    ["page", 200],
  ]);
  assert.ok(readPages(out)[0]!.bytes > 8 * 1024 * 1024);
});

test("nofollow in a page's robots meta keeps its links out", async (t) => {
  const { log } = await crawl(t, {
    "/": html("<meta name=robots content=nofollow><a href=/a>x</a>"),
  });
  assert.deepEqual([...log.keys()], ["/"]);
});

test("a busy server gets its second chance after the time it asks for", async (t) => {
  let busy = true;
  const { log, asked } = await crawl(
    t,
    {
      "/": (q, r) => {
        if (!busy) return html("now")(q, r);
        busy = false;
        return r.writeHead(503, { "retry-after": "1" }).end();
      },
    },
    "--retries",
    "1",
  );
  assert.deepEqual(brief(log.get("/")), ["page", 200]);
  assert.deepEqual(
    asked.filter((path) => path === "/"),
    ["/", "/"],
  );
});

test("--max-depth 0 fetches the seeds only and reports the rest", async (t) => {
  const { log, out } = await crawl(t, { "/": html("<a href=/a>x</a>") }, "--max-depth", "0");
  assert.deepEqual([...log.keys()], ["/"]);
  const [line] = readLines<{ reason: string }>(join(out, "reports/skipped.jsonl"));
  assert.equal(line?.reason, "max_depth");
});

test("--debug also writes time, title and first words, and drops are counted instead of waited for", async (t) => {
  const { out, log } = await crawl(t, { "/": html("<p>one two three") }, "--debug");
  const [line] = readLines<{ time: string; title: string; firstWords: string[] }>(
    join(out, "logs/debug.jsonl"),
  );
  assert.deepEqual([line?.title, line?.firstWords], ["t", ["one", "two", "three"]]);
  assert.equal(line?.time, (log.get("/") as unknown as { time: string }).time);
});
