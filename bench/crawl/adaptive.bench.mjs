// Pages per second with requests in flight that adapt, against fixed numbers of them: >= 95 % of the best fixed one.
//
// Three webs on loopback: fast (no latency), slow (every answer after 100 ms), mixed (20 ms, and 5 % of the pages never
// answer; the crawl gives them up after two seconds). A crawl lasts --seconds and is not polite, so that only places in
// flight bound it; rows take turns. Wall time counts here, so the machine must have nothing else to do.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments } from "../support/arguments.mjs";
import { crawlTimed } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { spread } from "../support/statistics.mjs";

const { seconds, repeat, fixed, webs, save, smoke } = readArguments({
  result: "adaptive",
  options: {
    seconds: { default: 12, smoke: 2, help: "how long each crawl lasts" },
    repeat: { default: 3, smoke: 1, help: "turns" },
    fixed: { default: ["16", "64", "256", "1024"], smoke: ["64"], help: "fixed numbers" },
    webs: { default: ["fast", "slow", "mixed"], smoke: ["slow"], help: "webs" },
  },
});
const WEBS = { fast: [0, 0], slow: [100, 0], mixed: [20, 0.05] };
const GOAL = 0.95;

const folder = mkdtempSync(join(tmpdir(), "orbweaver-adaptive-"));
const runs = [];
for (const name of webs) {
  const web = fork(new URL("./delayed-web.child.mjs", import.meta.url), WEBS[name].map(String));
  const [{ start }] = await once(web, "message");
  for (let turn = 0; turn < repeat; turn++)
    for (const links of ["adaptive", ...fixed]) {
      const out = join(folder, "out");
      const { pages, thisRun } = await crawlTimed(start, {
        ...{ out, delay: 0, scope: "any", "max-time": `${seconds}s` },
        ...{ "first-byte-timeout": "2s", retries: 0, "allow-private": "127.0.3.0/24" },
        ...(links === "adaptive" ? {} : { "links-per-thread": links }),
      });
      rmSync(out, { recursive: true });
      const perSecond = pages / (thisRun?.seconds ?? seconds);
      runs.push({ web: name, links, perSecond });
      console.log(`${name} ${links}: ${perSecond.toFixed(0)} pages/s`);
    }
  web.disconnect();
}
rmSync(folder, { recursive: true });

const table = webs.map((web) => {
  const of = (links) =>
    spread(
      runs.filter((run) => run.web === web && run.links === links).map((run) => run.perSecond),
      0,
    );
  const byLinks = Object.fromEntries(fixed.map((links) => [links, of(links)]));
  const best = Math.max(...Object.values(byLinks).map(({ median }) => median));
  const adaptive = of("adaptive");
  return {
    web,
    adaptive,
    fixed: byLinks,
    shareOfBest: Number((adaptive.median / best).toFixed(3)),
  };
});
for (const { web, adaptive, shareOfBest } of table)
  console.log(`${web}: adaptive ${adaptive.median} pages/s, ${shareOfBest} of the best fixed`);
const missed = table.filter(({ shareOfBest }) => shareOfBest < GOAL);
judgeProblems(
  missed.map(({ web, shareOfBest }) => `${web}: ${shareOfBest} of the best, not ${GOAL}`),
  { smoke },
);
if (save) keepResult("adaptive", { seconds, repeat, goal: GOAL, table });
