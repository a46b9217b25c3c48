// CPU time per page of a crawl with --order opic against --order bfs: user + system of the crawl process alone, start
// to exit, all its threads; the web is another process. Other work on the machine changes CPU time by a quarter within
// a minute, so the two orders take turns, who is first changes, and what counts is the median of the ratios of the two
// crawls of a turn: both met the same weather.
//   npm run build && node bench/order.cost.mjs [--turns 9] [--small-pages 10000] [--real-pages 2500] [--threads T]
//       [--only small|real|hosts] [--save]
// About 5 minutes on 2 idle cores. --save writes bench/results/order-cost.json.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { checkSettings } from "../build/src/config/crawl-config.js";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";

// As a crawl has it here when nobody says anything.
const defaultThreads = checkSettings({ seeds: ["http://127.0.0.1/"] }).threads;
const text = (value) => ({ type: "string", default: value });
const { values: options } = parseArgs({
  options: {
    turns: text("9"),
    "small-pages": text("10000"),
    "real-pages": text("2500"),
    threads: text(String(defaultThreads)),
    only: text(""),
    save: { type: "boolean", default: false },
  },
});
const GOAL = 1.15;
const turns = Number(options.turns);
const [small, real] = [Number(options["small-pages"]), Number(options["real-pages"])];
const WEBS = {
  small: { ...PROFILES.small, pages: small },
  real: { ...PROFILES.real, pages: real },
  hosts: { ...PROFILES.small, pages: small, hosts: 20 },
};
const main = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "orbweaver-order-"));

/** Crawls a web to its end; microseconds of CPU per page. */
async function crawl(web, order) {
  const out = join(folder, "out");
  const settings = ["--order", order, "--delay", "0", "--threads", options.threads];
  const args = [main, "crawl", ...web.start, "--out", out, ...settings, "--json", "--quiet"];
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"; exit 0';
  const shell = ["-c", script, "bash", process.execPath, ...args];
  const { stdout, stderr } = await promisify(execFile)("bash", shell);
  rmSync(out, { recursive: true });
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr);
  return (1e6 * (Number(user) + Number(system))) / JSON.parse(stdout).pages;
}

/** Quartiles, least and greatest. */
function spread(values, digits) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => Number(sorted[Math.round(part * (sorted.length - 1))].toFixed(digits));
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)], least: at(0), most: at(1) };
}

async function measure(name) {
  const web = await startWebProcess({ profile: WEBS[name] });
  const micros = { bfs: [], opic: [] };
  try {
    for (let turn = 0; turn < turns; turn++) {
      for (const order of turn % 2 === 0 ? ["bfs", "opic"] : ["opic", "bfs"]) {
        micros[order].push(await crawl(web, order));
      }
      const [bfs, opic] = [micros.bfs[turn], micros.opic[turn]];
      console.error(`${name}: bfs ${bfs.toFixed(0)} us, opic ${opic.toFixed(0)} us a page`);
    }
  } finally {
    await web.close();
  }
  const ratio = spread(
    micros.opic.map((opic, turn) => opic / micros.bfs[turn]),
    3,
  );
  return { ratio, bfs: spread(micros.bfs, 0), opic: spread(micros.opic, 0), micros };
}

const results = {};
try {
  for (const name of Object.keys(WEBS)) {
    if (options.only === "" || options.only === name) results[name] = await measure(name);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, { ratio, bfs, opic }] of Object.entries(results)) {
  const [from, to] = ratio.quartiles;
  const verdict = ratio.median <= GOAL ? "holds" : "DOES NOT HOLD";
  console.log(`${name}: bfs ${bfs.median}, opic ${opic.median} us a page (medians)`);
  console.log(
    `opic / bfs, at most ${GOAL}: ${verdict} (median of ${turns} turns ${ratio.median}, half of them ${from} to ${to})`,
  );
}
if (options.save) {
  const settings = { turns, small, real, threads: Number(options.threads) };
  keepResult("order-cost", "bench/order.cost.mjs", { settings, results });
}
