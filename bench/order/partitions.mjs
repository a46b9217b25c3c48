// P partitions that exchange blocks against one instantaneous exact queue, in share of PageRank collected.
import { idealCrawl } from "../../build/src/lab/simulation/ideal-crawl.js";
import { shippedCrawl } from "../../build/src/lab/simulation/shipped-crawl.js";
import { dealSites } from "../../build/src/lab/simulation/simulated-web.js";
import { generator } from "../support/random.mjs";
import { mixLinks } from "./graph.mjs";

const GOAL = 0.01;
const SETUPS = [
  { threads: 1, shards: 1 },
  { threads: 4, shards: 4 },
  { threads: 16, shards: 16 },
  // For comparison only: fewer webs and orders will do.
  { threads: 4, shards: 16, few: true },
  { threads: 16, shards: 16, exchange: 16, few: true },
  { threads: 16, shards: 16, exchange: 1024, few: true },
  { threads: 16, shards: 16, alone: true, few: true },
];
const FEW = { webs: 6, orders: 2 };
/** Student's t for 95 % by degrees of freedom; the last for all that are more. */
const T95 = [
  Number.NaN,
  12.71,
  4.3,
  3.18,
  2.78,
  2.57,
  2.45,
  2.36,
  2.31,
  2.26,
  2.23,
  2.2,
  2.18,
  2.1,
];

const round = (value, digits = 2) => Number(value.toFixed(digits));
const percent = (share) => `${round(100 * share)} %`;

/** Mean, and half the width of its 95 % confidence interval. */
function meanOf(list) {
  const mean = list.reduce((sum, each) => sum + each, 0) / list.length;
  const squares = list.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / Math.max(1, list.length - 1));
  const t = T95[Math.min(list.length - 1, T95.length - 1)];
  return { mean, deviation, interval: (t * deviation) / Math.sqrt(list.length) };
}

const shown = ({ mean, interval }) => `${round(100 * mean)} ± ${round(100 * interval)} %`;

/**
 * Which of equal pages comes first decides a lot: all seeds are worth the same, so are the links of a page (which the
 * graph keeps sorted, as no page does), and a page of half a percent of PageRank falls on this side of a point or on that.
 * So every web is crawled in several orders of its seeds and of the links of its pages, by the queue and by the
 * partitions alike, and its loss is their mean. How much the instantaneous queue differs from itself in another order is
 * the first line. "alone": threads that take their own best pages, whatever others have.
 */
export function partitions({ graph, rank, webs: all, points }, { webs: count, orders }) {
  const until = Math.ceil(points.at(-1) * graph.pages);
  const startedMs = performance.now();
  const progress = (text) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    process.stderr.write(`  ${String(seconds).padStart(4)} s  ${text}\n`);
  };
  /** Share of PageRank in the first pages of a crawl, at every point. */
  const collected = ({ fetched }) => {
    let sum = 0;
    let at = 0;
    return points.map((point) => {
      while (at < point * graph.pages) sum += rank[fetched[at++]];
      return sum;
    });
  };
  const start = ({ homes, seed }, k) => {
    const random = generator(100 + seed + 1000 * k);
    const seeds = shuffled([...homes], random);
    return { seeds, links: mixLinks(graph, random) };
  };
  // Losses by set-up, web, order and point; links are mixed once for all set-ups.
  const losses = SETUPS.map(() => []);
  const totals = SETUPS.map(() => ({ size: 0, lent: 0, own: 0, foreign: 0, runs: 0 }));
  const noise = points.map(() => []);
  for (const [w, web] of all.slice(0, count).entries()) {
    const ideals = [];
    for (const list of losses) list.push([]);
    for (let k = 0; k < orders; k++) {
      const { seeds, links } = start(web, k);
      const ideal = collected(idealCrawl(links, seeds, { until }));
      ideals.push(ideal);
      for (const [setup, { threads, shards, few, ...more }] of SETUPS.entries()) {
        if (few && (w >= FEW.webs || k >= FEW.orders)) continue;
        const shardOf = dealSites(web.siteOf, shards);
        const run = shippedCrawl(links, seeds, { threads, shards, shardOf, until, ...more });
        losses[setup][w].push(collected(run).map((share, i) => 1 - share / ideal[i]));
        const sums = totals[setup];
        sums.runs++;
        sums.size += run.exchanges.meanSize;
        sums.lent += run.borrowed / run.fetched.length;
        sums.own += run.late.own;
        sums.foreign += run.late.foreign;
      }
    }
    for (const [i, list] of noise.entries()) {
      const { mean, deviation } = meanOf(ideals.map((ideal) => ideal[i]));
      list.push(deviation / mean);
    }
    progress(`web ${w + 1} of ${count}: ${orders} orders`);
  }
  const table = [
    {
      threads: 1,
      shards: 1,
      how: "one queue, another order of equals: standard deviation",
      ...Object.fromEntries(
        points.map((p, i) => [
          `loss at ${percent(p)}`,
          `± ${percent(meanOf(noise[i]).mean)}, worst web ± ${percent(Math.max(...noise[i]))}`,
        ]),
      ),
    },
  ];
  const isBelow1Percent = {};
  for (const [setup, { threads, shards, exchange = "auto", alone }] of SETUPS.entries()) {
    const how = alone ? "alone" : `exchange ${exchange}`;
    const webs = losses[setup].filter((runs) => runs.length > 0);
    const ofWebs = points.map((_, i) => webs.map((runs) => meanOf(runs.map((run) => run[i]))));
    const means = ofWebs.map((list) => meanOf(list.map(({ mean }) => mean)));
    const worst = ofWebs.map((list) => list.reduce((a, b) => (b.mean > a.mean ? b : a)));
    const { size, lent, own, foreign, runs } = totals[setup];
    table.push({
      threads,
      shards,
      how,
      ...Object.fromEntries(
        points.map((p, i) => [
          `loss at ${percent(p)}`,
          `${shown(means[i])}, worst web ${shown(worst[i])}`,
        ]),
      ),
      "webs x orders": `${webs.length} x ${webs[0].length}`,
      "R per thread": Math.round(size / runs),
      lent: percent(lent / runs),
      "late, own": Math.round(own / runs),
      "late, foreign": Math.round(foreign / runs),
    });
    isBelow1Percent[`${threads} threads, ${shards} shards, ${how}`] = {
      meanOfWebs: means.every(({ mean }) => mean < GOAL),
      meanOfWebsWithItsInterval: means.every(({ mean, interval }) => mean + interval < GOAL),
      everyWeb: worst.every(({ mean }) => mean < GOAL),
      greatestMean: percent(Math.max(...means.map(({ mean }) => mean))),
      greatestOfAWeb: percent(Math.max(...worst.map(({ mean }) => mean))),
      greatestOfASingleOrder: percent(Math.max(...webs.flat(2))),
    };
  }
  const title = `loss of PageRank against one instantaneous exact queue (below 0: a gain), means with 95 % intervals, first ${percent(points.at(-1))} of the pages`;
  return { title, table, data: { isBelow1Percent } };
}

function shuffled(list, random) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
