// From `orbweaver resume` to its first request, after kill -9 of a real crawl with many URLs known.
//
// A loopback server gives pages of 10,000 new links each, on 64 addresses. A real `orbweaver crawl` reads them until so
// many links were served; then the server answers nothing more, and when the journals have stopped growing the crawl is
// killed. A real `orbweaver resume` follows: measured are the wall time from its start to its first request and the CPU
// time it has used by then (where there is /proc). No page whose end was in a journal may be asked for again.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf } from "../support/command-line.mjs";
import { judgeGoal } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { cpuMsOf } from "../support/process-cpu.mjs";

const { size, threads, order, repeat, smoke, save } = readArguments({
  result: "restart",
  options: {
    size: { default: 1e6, smoke: 2e4, help: "links given away before the crawl is killed" },
    threads: { default: 2, help: "crawler threads" },
    order: { default: "bfs", choices: ["bfs", "dfs", "opic"], help: "order of the crawl" },
    repeat: { default: 3, smoke: 1, help: "kills" },
  },
});
const LINKS = smoke ? 1000 : 10_000;
const HOSTS = 64;
const SYNC_MS = smoke ? 100 : 1000;
/** After so long without a change, and idle, everything is in the journals. */
const QUIET_MS = smoke ? 800 : 5000;
/** CPU that an idle crawl uses in that time, at most. */
const IDLE_CPU_MS = QUIET_MS / 20;

/** Serves pages until `limit` links were given away, then holds every request. */
function openServer(limit) {
  const served = new Set();
  const asked = new Map();
  let given = 0;
  let isHeld = false;
  let onHeld = () => {};
  const server = createServer((request, response) => {
    const name = `${request.headers.host}${request.url}`;
    if (request.url === "/robots.txt") {
      response.writeHead(404, { "content-length": 0 }).end();
      return;
    }
    if (!asked.has(name)) asked.set(name, performance.now());
    if (isHeld) return;
    served.add(name);
    const lines = ["<!doctype html><title>Links</title>"];
    const path = request.url === "/" ? "/articles/" : request.url;
    for (let i = 0; i < LINKS; i++)
      lines.push(`<a href="${path}${i}-a-story-about-spiders/">x</a>`);
    response.writeHead(200, { "content-type": "text/html" }).end(lines.join("\n"));
    given += LINKS;
    if (given < limit) return;
    isHeld = true;
    onHeld();
  });
  const held = new Promise((resolve) => {
    onHeld = resolve;
  });
  return { server, served, asked, held };
}

function bytesOf(folder) {
  let sum = 0;
  for (const name of readdirSync(folder)) {
    sum += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}

/** Waits until the crawl is idle and its journals have stopped growing; a starved process is not idle. */
async function untilQuiet(folder, { child }) {
  for (;;) {
    const [bytes, cpu] = [bytesOf(folder), cpuMsOf(child.pid) ?? 0];
    await sleep(QUIET_MS);
    if (bytesOf(folder) === bytes && (cpuMsOf(child.pid) ?? 0) - cpu <= IDLE_CPU_MS) return;
  }
}

function start(args) {
  const child = spawn(process.execPath, [commandOf(), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { child, ended: once(child, "exit") };
}

async function kill({ child, ended }) {
  child.kill("SIGKILL");
  await ended;
}

async function measure() {
  const out = mkdtempSync(join(os.tmpdir(), "orbweaver-restart-"));
  const dir = join(out, "crawl");
  const { server, served, asked, held } = openServer(size);
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address();
  let running;
  try {
    const seeds = Array.from({ length: HOSTS }, (_, i) => `http://127.0.0.${i + 1}:${port}/`);
    const settings = {
      out: dir,
      threads,
      order,
      delay: 0,
      "per-host": 1,
      "sync-every": `${SYNC_MS}ms`,
    };
    const flags = flagsOf({ ...settings, "no-traps": true, sitemaps: "off", quiet: true });
    running = start(["crawl", ...seeds, ...flags]);
    await Promise.race([held, running.ended]);
    await untilQuiet(join(dir, "state", "journals"), running);
    await kill(running);
    asked.clear();
    const started = performance.now();
    running = start(["resume", dir, "--quiet"]);
    await Promise.race([once(server, "request"), running.ended]);
    const firstMs = performance.now() - started;
    const cpuMs = cpuMsOf(running.child.pid);
    // Until it has asked for all that it begins with.
    await untilQuiet(join(dir, "state", "journals"), running);
    await kill(running);
    const again = [...asked.keys()].filter((name) => served.has(name));
    if (asked.size === 0) throw new Error("nothing was asked for after the restart");
    if (again.length > 0) throw new Error(`${again[0]} was fetched again`);
    return { pages: served.size, links: served.size * LINKS, firstMs, cpuMs, asked: asked.size };
  } finally {
    if (running !== undefined) await kill(running);
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
    `${row.links} links of ${row.pages} pages known: first request ${Math.round(row.firstMs)} ms after the start of resume, ${row.cpuMs ?? "?"} ms of CPU`,
  );
}
const seconds = rows.map(({ firstMs }) => firstMs / 1000);
const goal = judgeGoal(`first request of a resume with ${size} URLs known`, seconds, 2, "s");
if (save) {
  keepResult("restart", {
    unit: "wall milliseconds from the start of the process to the first request the server sees",
    size,
    threads,
    order,
    goals: size === 1e6 ? [goal] : [],
    rows,
  });
}
