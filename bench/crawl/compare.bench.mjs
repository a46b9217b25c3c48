// CPU per page of whole crawls beside other crawlers, on static webs that nginx serves: everything on, rows take turns.
//
// SMALL pages have 4.8 KB and 26 links, REAL ones 109 KB and 150; 20 hosts on loopback, compressed by the server. The
// server's log says how many pages were fetched. CPU time (user + system) of the crawler's processes alone counts.
// wget2 takes part if it is installed, other checkouts with --against, Colly with --colly (a program that takes seeds),
// Crawlee after npm install in bench/rivals and Scrapy if python3 has it: both fetch the first pages only, for they take long.
// SMALL pages also come over TLS, with a certificate that is trusted. What starting and warming up cost is told apart: a row ends after the first tenth of the
// pages, and the steady state is what each page behind those costs. --save also writes a table (Markdown) and a plot.
// Needs nginx, and openssl for TLS.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { barPlot } from "../../build/src/stats/plot/bar-plot.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, commandTimed, root } from "../support/command-line.mjs";
import { keepPlots, keepResult } from "../support/keep-result.mjs";
import { spread } from "../support/statistics.mjs";
import { HOSTS, writeWeb } from "./compare-web.mjs";

const {
  repeat,
  small,
  real,
  tls,
  against,
  colly,
  save,
  folder: within,
} = readArguments({
  result: "compare",
  options: {
    repeat: { default: 3, smoke: 1, help: "turns" },
    small: { default: 20_000, smoke: 40, help: "SMALL pages; 0 for none" },
    real: { default: 3000, smoke: 20, help: "REAL pages; 0 for none" },
    tls: { default: 5000, smoke: 20, help: "SMALL pages over TLS; 0 for none" },
    against: { default: [], help: "other checkouts that are built" },
    colly: { default: "", help: "a Colly program that takes seeds" },
    folder: {
      default: tmpdir(),
      help: "where webs and crawls lie; a memory disk keeps disks out of it",
    },
  },
});

const isThere = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
if (!isThere("nginx")) {
  console.log("skipped: nginx is not installed");
  process.exit(0);
}

const rivals = join(root, "bench", "rivals");
const SLOW_PAGES = 1000;
/** Rows that cost more than so many times as much as Orbweaver are left out of the plots. */
const MOST_PLOTTED = 5;
const folder = mkdtempSync(join(within, "orbweaver-compare-"));
const log = join(folder, "access.log");
const certificateFile = join(folder, "cert.pem");
// Read by Node when it starts, whatever it crawls.
process.env.NODE_EXTRA_CA_CERTS = certificateFile;
const names = Array.from({ length: HOSTS }, (_, host) => `127.0.1.${host + 1}`);

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A certificate for all addresses. */
function makeCertificate() {
  const addresses = names.map((name) => `IP:${name}`).join(",");
  const { status, stderr } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"],
    ...["-subj", "/CN=orbweaver bench", "-addext", `subjectAltName=${addresses}`],
    ...["-keyout", join(folder, "key.pem"), "-out", certificateFile],
  ]);
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
}

async function serve(port, scheme) {
  const [secure, certificate] =
    scheme === "https"
      ? [" ssl", `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`]
      : ["", ""];
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    // Its worker would be somebody else who may not read these files.
    `${process.getuid?.() === 0 ? "user root;" : ""} worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 4096; }
http { types { text/html html; } sendfile on; keepalive_requests 1000000; gzip_static on; ${temporary}
log_format pages '$host$uri $status'; access_log ${log} pages;
server { listen 127.0.0.1:${port}${secure}; ${names.map((name) => `listen ${name}:${port}${secure};`).join(" ")} ${certificate} root ${folder}/web/$server_addr; } }\n`,
  );
  const server = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], {
    stdio: "ignore",
  });
  for (let tries = 0; tries < 100; tries++) {
    const socket = createConnection(port, "127.0.0.1");
    const isOpen = await new Promise((done) => {
      socket.once("connect", () => done(true)).once("error", () => done(false));
    });
    socket.destroy();
    if (isOpen) return server;
    await sleep(50);
  }
  throw new Error("nginx does not listen");
}

function rowsFor(port, pages, scheme) {
  const isSecure = scheme === "https";
  const seed = `${scheme}://${names[0]}:${port}/p/0.html`;
  const ours =
    (checkout, ...more) =>
    (out) => [
      ...[process.execPath, commandOf(checkout), "crawl", seed, "--scope", "any", "--delay", "0"],
      ...["--include", "^https?://127\\.0\\.1\\.", "--allow-private", "127.0.1.0/24"],
      ...["--out", out, "--quiet", "--json", ...more],
    ];
  const rows = new Map([
    ["Orbweaver", ours(root)],
    ["Orbweaver --store none", ours(root, "--store", "none")],
    ["Orbweaver --threads 2", ours(root, "--threads", "2")],
  ]);
  rows.set(FIRST_TENTH, ours(root, "--max-pages", String(Math.ceil(pages / 10))));
  for (const other of against) rows.set(other, ours(other));
  if (isThere("wget2"))
    rows.set("wget2 (no archive)", (out) => [
      ...["wget2", "-q", "-r", "-l", "inf", "-H", `--domains=${names.join(",")}`],
      ...["--max-threads=32", "-P", out, "--compression=gzip"],
      ...(isSecure ? [`--ca-certificate=${certificateFile}`] : []),
      seed,
    ]);
  else console.log("skipped: wget2 is not installed");
  if (colly !== "" && !isSecure)
    rows.set("Colly (no archive)", () => [
      colly,
      ...names.map((name) => `http://${name}:${port}/p/0.html`),
    ]);
  if (!isSecure) addSlowRivals(rows, Math.min(pages, SLOW_PAGES), seed);
  return rows;
}

/** What costs a hundred times as much: some pages tell. */
function addSlowRivals(rows, pages, seed) {
  if (existsSync(join(rivals, "node_modules", "@crawlee", "cheerio")))
    rows.set(`Crawlee, ${pages} pages (no archive)`, () => [
      ...[process.execPath, join(rivals, "crawl-with-crawlee.mjs"), String(pages), seed],
    ]);
  else console.log("skipped: Crawlee is not installed (npm install in bench/rivals)");
  if (spawnSync("python3", ["-c", "import scrapy"]).status === 0)
    rows.set(`Scrapy, ${pages} pages (no archive)`, () => [
      ...["python3", join(rivals, "crawl_with_scrapy.py"), String(pages), seed],
    ]);
  else console.log("skipped: Scrapy is not installed");
}

/** Pages that the server has sent, and how many of them more than once. */
function served() {
  const lines = readFileSync(log, "latin1").split("\n");
  const pages = lines.filter((line) => line.includes("/p/") && line.endsWith(" 200"));
  const unique = new Set(pages).size;
  return { unique, twice: pages.length - unique };
}

const FIRST_TENTH = "Orbweaver, first tenth of the pages";
const STEADY = "Orbweaver, steady state";
const runs = [];
try {
  for (const [kind, pages, scheme] of [
    ["small", small, "http"],
    ["real", real, "http"],
    ["small, TLS", tls, "https"],
  ]) {
    if (pages === 0) continue;
    const port = await freePort();
    rmSync(join(folder, "web"), { recursive: true, force: true });
    mkdirSync(join(folder, "web"));
    if (scheme === "https") makeCertificate();
    const all = writeWeb(
      join(folder, "web"),
      kind === "real" ? "real" : "small",
      pages,
      port,
      scheme,
    );
    const server = await serve(port, scheme);
    try {
      const rows = [...rowsFor(port, all, scheme)];
      for (let turn = 0; turn < repeat; turn++)
        for (const [row, command] of turn % 2 === 0 ? rows : rows.toReversed()) {
          const out = join(folder, "out");
          truncateSync(log);
          const { cpu, wall } = await commandTimed(command(out));
          const { unique, twice } = served();
          rmSync(out, { recursive: true, force: true });
          runs.push({ kind, row, cpu, wall, all, unique, twice, per1000: (1000 * cpu) / unique });
        }
    } finally {
      server.kill();
      await once(server, "exit");
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What each page costs when the code is warm: the difference of two crawls of a turn, by the pages between them. */
function steadyOf(kind) {
  const of = (row) => runs.filter((run) => run.kind === kind && run.row === row);
  const tenths = of(FIRST_TENTH);
  return of("Orbweaver").map((run, turn) => {
    const { cpu, unique } = tenths[turn];
    const per1000 = (1000 * (run.cpu - cpu)) / Math.max(1, run.unique - unique);
    return { ...run, row: STEADY, per1000 };
  });
}

const table = [];
for (const kind of new Set(runs.map((run) => run.kind))) {
  const own = [...runs.filter((run) => run.kind === kind), ...steadyOf(kind)];
  for (const row of new Set(own.map((run) => run.row))) {
    const of = own.filter((run) => run.row === row);
    const per1000 = spread(
      of.map((run) => run.per1000),
      4,
    );
    const { all, unique, twice } = of.at(-1);
    table.push({ kind, row, per1000, all, unique, twice });
  }
}
const ratioOf = ({ kind, per1000 }) =>
  per1000.median / table.find((other) => other.kind === kind).per1000.median;
const markdown = [
  "| pages | crawler | CPU-seconds per 1,000 pages | spread | of Orbweaver | pages, twice |",
  "|---|---|---|---|---|---|",
  ...table.map(
    (line) =>
      `| ${line.kind.toUpperCase()} | ${line.row} | ${line.per1000.median} | ${line.per1000.least}-${line.per1000.most} | ${ratioOf(line).toFixed(2)} | ${line.unique} of ${line.all}, ${line.twice} |`,
  ),
].join("\n");
console.log(markdown);
const missed = table.filter(
  ({ row, all, unique }) => row.startsWith("Orbweaver") && row !== FIRST_TENTH && unique < all,
);
if (missed.length > 0) {
  console.error(`not every page was fetched: ${JSON.stringify(missed)}`);
  process.exitCode = 1;
}
if (save) {
  keepResult("compare", { repeat, table, runs });
  writeFileSync(new URL("../results/compare.md", import.meta.url), `${markdown}\n`);
  const kinds = [...new Set(table.map(({ kind }) => kind))];
  // Beside what costs many times as much nothing else could be seen: the table has it.
  const isPlotted = (line) => line.row !== FIRST_TENTH && ratioOf(line) <= MOST_PLOTTED;
  keepPlots(
    Object.fromEntries(
      kinds.map((kind) => {
        const lines = table.filter((line) => line.kind === kind && isPlotted(line));
        const bar = ({ median, least, most }) => ({ value: median, low: least, high: most });
        const svg = barPlot({
          title: `CPU-seconds per 1,000 ${kind.toUpperCase()} pages`,
          x: "crawler",
          y: { label: "CPU-seconds" },
          names: ["median"],
          groups: lines.map(({ row, per1000 }) => ({ label: row, bars: [bar(per1000)] })),
        });
        return [`compare-${kind.replaceAll(/\W+/g, "-")}`, svg];
      }),
    ),
  );
}
