// CPU time per page of a crawl with --order opic against --order bfs: user + system of the crawl process alone, all threads.
//
// Other work on the machine changes CPU time by a quarter within a minute, so the two orders take turns, who is first
// changes, and what counts is the median of the ratios of the two crawls of a turn: both ran under the same load. The web
// is another process. About 5 minutes on 2 idle cores.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSettings } from "../../build/src/config/crawl-config.js";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { crawlTimed } from "../support/command-line.mjs";
import { keepResult } from "../support/keep-result.mjs";

const NAMES = ["small", "real", "hosts"];
const options = readArguments({
  result: "order-cost",
  options: {
    only: { default: NAMES, smoke: ["small"], choices: NAMES, help: "webs" },
    "small-pages": { default: 10_000, smoke: 100, help: "pages of the SMALL web" },
    "real-pages": { default: 2500, smoke: 50, help: "pages of the REAL web" },
    threads: {
      default: checkSettings({ seeds: ["http://127.0.0.1/"] }).threads,
      help: "crawler threads",
    },
    repeat: { default: 9, smoke: 1, help: "turns" },
  },
});
const GOAL = 1.15;
const { smallPages, realPages, threads, repeat } = options;
const WEBS = {
  small: { ...PROFILES.small, pages: smallPages },
  real: { ...PROFILES.real, pages: realPages },
  hosts: { ...PROFILES.small, pages: smallPages, hosts: 20 },
};
const folder = mkdtempSync(join(tmpdir(), "orbweaver-order-"));

/** Crawls a web to its end; microseconds of CPU per page. */
async function crawl(web, order) {
  const out = join(folder, "out");
  const { cpu, pages } = await crawlTimed(web.start, { out, order, delay: 0, threads });
  rmSync(out, { recursive: true });
  return (1e6 * cpu) / pages;
}

/** Quartiles, least and most. */
function spread(values, digits) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => Number(sorted[Math.round(part * (sorted.length - 1))].toFixed(digits));
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)], least: at(0), most: at(1) };
}

async function measure(name) {
  const web = await startWebProcess({ profile: WEBS[name] });
  const micros = { bfs: [], opic: [] };
  try {
    for (let turn = 0; turn < repeat; turn++) {
      for (const order of turn % 2 === 0 ? ["bfs", "opic"] : ["opic", "bfs"]) {
        micros[order].push(await crawl(web, order));
      }
      const [bfs, opic] = [micros.bfs[turn], micros.opic[turn]];
      console.error(`${name}: bfs ${bfs.toFixed(0)} us, opic ${opic.toFixed(0)} us a page`);
    }
  } finally {
    await web.close();
  }
  const ratios = micros.opic.map((opic, turn) => opic / micros.bfs[turn]);
  return {
    ratio: spread(ratios, 3),
    bfs: spread(micros.bfs, 0),
    opic: spread(micros.opic, 0),
    micros,
  };
}

const results = {};
try {
  for (const name of options.only) results[name] = await measure(name);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, { ratio, bfs, opic }] of Object.entries(results)) {
  const [from, to] = ratio.quartiles;
  const verdict = ratio.median <= GOAL ? "holds" : "DOES NOT HOLD";
  console.log(`${name}: bfs ${bfs.median}, opic ${opic.median} us a page (medians)`);
  console.log(
    `opic / bfs, at most ${GOAL}: ${verdict} (median of ${repeat} turns ${ratio.median}, half of them ${from} to ${to})`,
  );
}
if (options.save) {
  const settings = { turns: repeat, small: smallPages, real: realPages, threads };
  keepResult("order-cost", { settings, results });
}
