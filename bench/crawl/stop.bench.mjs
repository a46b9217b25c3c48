// From SIGINT to the end of a real crawl with many URLs known: it must take at most 10 s, reports included.
//
// A loopback server gives pages of so many new links each, on 64 addresses, until so many links were given away; then
// pages without links. When 200 of those were served a real `orbweaver crawl` gets the signal. Measured are the wall time
// to its end and the CPU time it uses meanwhile (where there is /proc). What it leaves is checked: total new = lines of
// crawled.txt + lines of uncrawled.txt - 1 = statistics.txt = the links that pages gave away and were read.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import { join } from "node:path";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeGoal } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";

const GOAL_SECONDS = 10;
const HOSTS = 64;
/** Pages without links that are served before the signal: then the crawl is in the middle of ordinary work. */
const PAGES_BEFORE_SIGNAL = 200;
const NEWLINE = 10;
const { known, links, threads, order, signal, repeat, save } = readArguments({
  result: "stop",
  options: {
    known: { default: 1e6, smoke: 1e4, help: "links given away before the signal" },
    links: { default: 100, help: "links of a page" },
    threads: { default: 2, help: "crawler threads" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
    signal: { default: "SIGINT", choices: ["SIGINT", "SIGTERM"], help: "the signal" },
    repeat: { default: 3, smoke: 1, help: "crawls" },
  },
});

/** Serves pages with links until `known` were given away, then pages without. */
function openServer() {
  let given = 0;
  let plain = 0;
  let ready = () => {};
  const isReady = new Promise((resolve) => {
    ready = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") {
      response.writeHead(404, { "content-length": 0 }).end();
      return;
    }
    const lines = ["<!doctype html><title>Links</title>"];
    const path = request.url === "/" ? "/articles/" : request.url;
    if (given < known) {
      for (let i = 0; i < links; i++)
        lines.push(`<a href="${path}${i}-a-story-about-spiders/">x</a>`);
      given += links;
    } else if (++plain === PAGES_BEFORE_SIGNAL) ready();
    response.writeHead(200, { "content-type": "text/html" }).end(lines.join("\n"));
  });
  return { server, isReady, given: () => given };
}

async function linesOf(path) {
  let lines = 0;
  for await (const chunk of createReadStream(path)) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  }
  return lines;
}

/** Throws unless the lists say what was found. */
async function check(reports, given) {
  const crawled = await linesOf(join(reports, "crawled.txt"));
  const uncrawled = (await linesOf(join(reports, "uncrawled.txt"))) - 1;
  const statistics = readFileSync(join(reports, "statistics.txt"), "utf8");
  const total = Number(/^total new URLs: (\d+)$/m.exec(statistics)?.[1]);
  if (crawled + uncrawled !== total)
    throw new Error(`${crawled} + ${uncrawled} URLs are listed, statistics say ${total}`);
  if (total !== given) throw new Error(`${given} links were given away, ${total} are listed`);
  return { crawled, uncrawled };
}

async function measure() {
  const out = mkdtempSync(join(os.tmpdir(), "orbweaver-stop-"));
  const dir = join(out, "crawl");
  const { server, isReady, given } = openServer();
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address();
  const seeds = Array.from({ length: HOSTS }, (_, i) => `http://127.0.0.${i + 1}:${port}/`);
  const settings = { out: dir, threads, order, delay: 0, "no-traps": true, sitemaps: "off" };
  const args = [commandOf(), "crawl", ...seeds, ...flagsOf({ ...settings, quiet: true })];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  try {
    await Promise.race([isReady, ended]);
    if (child.exitCode !== null) throw new Error("the crawl ended before the signal");
    const before = cpuMsOf(child.pid);
    const signalled = performance.now();
    child.kill(signal);
    let after = before;
    const poll = setInterval(() => {
      after = cpuMsOf(child.pid) ?? after;
    }, 20);
    const [code] = await ended;
    const seconds = (performance.now() - signalled) / 1000;
    clearInterval(poll);
    if (code !== 130) throw new Error(`exit code ${code}`);
    const cpuSeconds = before === undefined ? undefined : (after - before) / 1000;
    return { seconds, cpuSeconds, ...(await check(join(dir, "reports"), given())) };
  } finally {
    child.kill("SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(out, { recursive: true });
  }
}

const rows = [];
for (let repetition = 0; repetition < repeat; repetition++) {
  const row = { repetition, ...(await measure()) };
  rows.push(row);
  console.log(
    `${row.crawled} URLs crawled, ${row.uncrawled} not: ended ${row.seconds.toFixed(2)} s after ${signal}, ${row.cpuSeconds ?? "?"} s of CPU`,
  );
}
const goal = judgeGoal(
  `stop of a crawl with ${known} URLs known`,
  rows.map(({ seconds }) => seconds),
  GOAL_SECONDS,
  "s",
);
if (save) {
  keepResult("stop", {
    unit: "wall seconds from the signal to the end of the process, and its CPU seconds meanwhile",
    known,
    linksPerPage: links,
    threads,
    order,
    signal,
    goals: [goal],
    rows,
  });
}
