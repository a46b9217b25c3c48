// Does a page cost the same late in a crawl as early? One crawl of a synthetic web by the real program: CPU time per page
// and resident memory of the crawler's process, window by window.
// Needs a build: npm run build && node bench/flat.bench.mjs
//   [--pages 1e6] [--hosts 1000] [--threads 2] [--windows 10] [--order bfs] [--save]
//
// Windows begin behind 10,000 pages, or behind a fifth of the crawl when that is less: before, code is compiled and
// tables are small. The median of the last third of the windows is compared with that of the first third. CPU time includes the kernel's, so
// other load on the machine makes all windows dearer and not flat: run it alone. 1e6 pages take about a quarter of an
// hour on two cores, 5e4 a minute.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";
import { cpuMsOf } from "./process-cpu.mjs";

const text = (name, otherwise) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const argument = (name, otherwise) => Number(text(name, otherwise));
const pages = argument("--pages", 1e6);
const hosts = argument("--hosts", Math.min(1000, Math.ceil(pages / 50)));
const threads = argument("--threads", 2);
const windows = argument("--windows", 10);
const order = text("--order", "bfs");
const WARM_PAGES = Math.min(10_000, pages / 5);
/** Allowed of the last windows against the first: CPU per page, and bytes of memory per page done between them. */
const MAX_RATIO = 1.25;
const MAX_BYTES_PER_PAGE = 128;
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));

/** CPU seconds and resident bytes of a process now. */
function used(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    cpu: cpuMsOf(pid) / 1000,
    rss: 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)[1]),
  };
}

const folder = mkdtempSync(join(os.tmpdir(), "orbweaver-flat-"));
const profile = { ...PROFILES.small, pages, hosts, meanLinks: 12, minBytes: 1024, maxBytes: 8192 };
const web = await startWebProcess({ profile });
const seeds = join(folder, "seeds.txt");
writeFileSync(seeds, `${web.start.join("\n")}\n`);
const crawler = spawn(
  process.execPath,
  [
    ...[main, "crawl", "--seeds", seeds, "--scope", "any", "--allow-private", "127.0.0.0/8"],
    ...["--delay", "0", "--threads", String(threads), "--order", order],
    ...["--out", join(folder, "out"), "--quiet", "--json"],
  ],
  { stdio: ["ignore", "ignore", "inherit"] },
);
let isOver = false;
const ended = once(crawler, "exit").then(() => {
  isOver = true;
});
const rows = [];
try {
  const step = (pages - WARM_PAGES) / windows;
  let before;
  for (let next = WARM_PAGES; !isOver; ) {
    await sleep(20);
    const { pages: done } = await web.report();
    // The last pages are served before the crawl is over, so its process is still there.
    if (done < Math.min(next, pages - 1) || isOver) continue;
    const now = { done, ...used(crawler.pid) };
    if (before !== undefined) {
      rows.push({
        pages: done,
        cpuPerPageUs: Number(((1e6 * (now.cpu - before.cpu)) / (done - before.done)).toFixed(1)),
        rssMiB: Number((now.rss / 2 ** 20).toFixed(1)),
      });
      console.log(
        `  ${done} pages: ${rows.at(-1).cpuPerPageUs} us each, ${rows.at(-1).rssMiB} MiB`,
      );
    }
    before = now;
    next = done + step;
    if (rows.length === windows || done >= pages - 1) break;
  }
} finally {
  crawler.kill("SIGKILL");
  await ended;
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}
const [first, last] = [rows[0], rows.at(-1)];
if (first === undefined || first === last) throw new Error("too few windows: more --pages");
/** Of some windows the one in the middle, as CPU time goes. */
const middle = (some) =>
  some.map(({ cpuPerPageUs }) => cpuPerPageUs).sort((a, b) => a - b)[some.length >> 1];
const some = Math.max(1, Math.floor(rows.length / 3));
const [firstUs, lastUs] = [middle(rows.slice(0, some)), middle(rows.slice(-some))];
const result = {
  pages,
  hosts,
  threads,
  order,
  firstUs,
  lastUs,
  ratio: Number((lastUs / firstUs).toFixed(3)),
  bytesPerPage: Math.round((2 ** 20 * (last.rssMiB - first.rssMiB)) / (last.pages - first.pages)),
};
console.table({ flat: result });
// In a short crawl a few MiB of noise are many bytes per page.
const isLong = pages >= 2e5;
const problems = [
  ...(result.ratio > MAX_RATIO ? [`a page costs ${result.ratio} times as much at the end`] : []),
  ...(isLong && result.bytesPerPage > MAX_BYTES_PER_PAGE
    ? [`memory grows by ${result.bytesPerPage} bytes per page`]
    : []),
];
for (const problem of problems) console.log(`  ${problem}`);
if (process.argv.includes("--save"))
  keepResult("flat", "bench/flat.bench.mjs", { result, windows: rows });
process.exitCode = problems.length > 0 ? 1 : 0;
