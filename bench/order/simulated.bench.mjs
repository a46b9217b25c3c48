// Which pages first? Seed 002's questions on the cnr-2000 graph, asked of the code that ships.
//
// The graph has no URLs: sites are simulated as ranges of page numbers of power-law sizes, in twelve different ways.
// --save writes after every section; sections that did not run keep what they had. Nothing here is timed but "memory": all
// else is counted, and the same under any load. On an idle machine "partitions" takes about five minutes, the others one each.

import { BATCH, CAPACITY } from "../../build/src/frontier/opic/thread-order.js";
import { idealCrawl } from "../../build/src/lab/simulation/ideal-crawl.js";
import { plainCrawl } from "../../build/src/lab/simulation/plain-crawl.js";
import { shippedCrawl } from "../../build/src/lab/simulation/shipped-crawl.js";
import { homePages, simulateSites } from "../../build/src/lab/simulation/simulated-web.js";
import { readArguments } from "../support/arguments.mjs";
import { keepPlots, keepResult, storedResult } from "../support/keep-result.mjs";
import { lineChart } from "../support/line-chart.mjs";
import { generator } from "../support/random.mjs";
import { graphFile, loadGraph, pageRank, smokeGraph } from "./graph.mjs";
import { memory } from "./memory.mjs";
import { partitions } from "./partitions.mjs";

const SECTIONS = { coverage, partitions, single, memory };
const NAMES = Object.keys(SECTIONS);
const options = readArguments({
  result: "order",
  options: {
    only: { default: NAMES, choices: NAMES, help: "sections" },
    webs: { default: 12, smoke: 1, help: "simulated webs of `partitions`, at most 12" },
    orders: { default: 8, smoke: 2, help: "orders of equal pages, for each of these webs" },
    "memory-sizes": {
      default: [1e6, 1e7],
      smoke: [2e4],
      help: "known URLs of `memory`; 1e8 measures the goal: 4 GB, some minutes",
    },
  },
});
const POINTS = [0.01, 0.05, 0.1, 0.25];
const PLOTTED = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5];
/** The rules of exchange were chosen on the first six webs; the others were not looked at meanwhile. */
const SITE_SEEDS = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
const SINGLE_PAGES = options.smoke ? 2 : 12;

const round = (value, digits = 4) => Number(value.toFixed(digits));
const percent = (share) => `${round(100 * share, 2)} %`;

/** Share of PageRank in the first pages of a crawl. */
function collected({ graph, rank }, fetched, share) {
  let sum = 0;
  for (let i = 0; i < share * graph.pages; i++) sum += rank[fetched[i]];
  return sum;
}

const row = (world, name, fetched) => ({
  order: name,
  ...Object.fromEntries(POINTS.map((p) => [percent(p), round(collected(world, fetched, p))])),
});

/** OPIC, breadth first, depth first, random: from the home pages of all sites as in the paper, and from single pages. */
function coverage(world) {
  const { graph, rank } = world;
  const seeds = [...world.webs[0].homes];
  const table = [];
  const svg = {};
  const plot = (start, series) => {
    svg[`order-coverage-${start.replaceAll(/\W+/g, "-")}`] = lineChart({
      title: `Share of PageRank collected, cnr-2000, from ${start}`,
      x: "pages fetched, %",
      y: "PageRank collected, %",
      series,
      logX: true,
    });
  };
  const crawls = {
    OPIC: shippedCrawl(graph, seeds, {}).fetched,
    "OPIC, exact queue": idealCrawl(graph, seeds).fetched,
    "breadth first": plainCrawl(graph, seeds, "bfs"),
    "depth first": plainCrawl(graph, seeds, "dfs"),
    random: plainCrawl(graph, seeds, generator(3)),
    "known PageRank": idealCrawl(graph, seeds, { worth: rank }).fetched,
  };
  const series = {};
  for (const [name, fetched] of Object.entries(crawls)) {
    if (fetched.length !== graph.pages) throw new Error(`${name} missed pages`);
    table.push({ seeds: "home pages", ...row(world, name, fetched) });
    series[name] = PLOTTED.map((p) => [100 * p, 100 * collected(world, fetched, p)]);
  }
  plot("home pages", series);
  const { means, plotted, ahead, starts } = singlePages(world);
  for (const [order, shares] of Object.entries(means)) {
    const points = POINTS.map((p, i) => [percent(p), round(shares[i])]);
    table.push({ seeds: "single pages", order, ...Object.fromEntries(points) });
  }
  plot("single pages", plotted);
  const isAhead = {
    "home pages": POINTS.every(
      (p) => collected(world, crawls.OPIC, p) > collected(world, crawls["breadth first"], p),
    ),
    "single pages, mean": means.OPIC.every((share, i) => share > means["breadth first"][i]),
  };
  const title = "share of PageRank collected after 1, 5, 10, 25 % of the pages";
  const data = {
    opicAheadOfBreadthFirstAtEveryPoint: isAhead,
    singlePages: { starts, opicAheadOfBreadthFirstIn: ahead },
  };
  return { title, table, data, svg };
}

/**
 * A crawl from one page alone: what it collects depends on that page more than on the order (one whose first links
 * lead into a great site is well served by any), so the mean of several is shown, and how often which order is ahead.
 * No home page is minted a unit here: the simulated ones are any pages, and that would send the crawl astray.
 */
function singlePages(world) {
  const { graph } = world;
  const starts = [0];
  for (const random = generator(11); starts.length < SINGLE_PAGES; ) {
    const page = Math.floor(random() * graph.pages);
    if (plainCrawl(graph, [page], "bfs").length > 0.9 * graph.pages) starts.push(page);
  }
  const means = {};
  const plotted = {};
  const ahead = POINTS.map(() => 0);
  for (const start of starts) {
    const crawls = {
      OPIC: shippedCrawl(graph, [start], {}).fetched,
      "breadth first": plainCrawl(graph, [start], "bfs"),
      "depth first": plainCrawl(graph, [start], "dfs"),
      random: plainCrawl(graph, [start], generator(3)),
    };
    for (const [name, fetched] of Object.entries(crawls)) {
      means[name] ??= POINTS.map(() => 0);
      plotted[name] ??= PLOTTED.map((p) => [100 * p, 0]);
      for (const [i, p] of POINTS.entries()) {
        means[name][i] += collected(world, fetched, p) / starts.length;
      }
      for (const point of plotted[name]) {
        point[1] += (100 * collected(world, fetched, point[0] / 100)) / starts.length;
      }
    }
    for (const [i, p] of POINTS.entries()) {
      if (collected(world, crawls.OPIC, p) > collected(world, crawls["breadth first"], p)) {
        ahead[i]++;
      }
    }
  }
  const points = POINTS.map((p, i) => [percent(p), `${ahead[i]} of ${starts.length}`]);
  return { means, plotted, ahead: Object.fromEntries(points), starts };
}

/** All pages are one host's: mini-queue, overflow classes and ranges against the exact queue. */
function single(world) {
  const { graph } = world;
  const table = [];
  for (const seed of graph.pages > 46918 ? [0, 46918] : [0]) {
    const ideal = idealCrawl(graph, [seed]).fetched;
    for (const [batch, capacity] of [
      [BATCH, CAPACITY],
      [8, 16],
      [2000, 256],
    ]) {
      const { fetched } = shippedCrawl(graph, [seed], { batch, capacity });
      const share = (p) => collected(world, fetched, p) / collected(world, ideal, p);
      table.push({
        "first page": seed,
        R: batch,
        "mini-queue": capacity,
        ...Object.fromEntries(POINTS.map((p) => [`of ideal at ${percent(p)}`, percent(share(p))])),
      });
    }
  }
  return {
    title: "one host: share of what an exact instantaneous queue collects",
    table,
    data: {},
  };
}

const file = options.smoke ? undefined : graphFile();
if (!options.smoke && file === undefined) process.exit(0);
const graph = options.smoke ? smokeGraph() : await loadGraph(file);
const world = { graph, rank: pageRank(graph), points: POINTS };
world.webs = SITE_SEEDS.map((seed) => {
  const siteOf = simulateSites(graph.pages, generator(seed));
  const homes = homePages(siteOf);
  return { seed, siteOf, sites: homes.size, homes };
});
const results = {};
const plots = {};
for (const name of options.only) {
  const { title, table, data, svg } = SECTIONS[name](world, {
    ...options,
    webs: Math.min(options.webs, world.webs.length),
  });
  console.log(`\n${title}`);
  console.table(table);
  if (Object.keys(data).length > 0) console.log(data);
  results[name] = { title, ...data, table };
  Object.assign(plots, svg);
  if (options.save) store(); // a long run that is stopped keeps what it has
}

function store() {
  const note = `cnr-2000, ${graph.pages} pages; sites are simulated: ranges of page numbers of power-law sizes (${world.webs.map((web) => web.sites).join(", ")} sites)`;
  const sections = { ...storedResult("order").sections, ...results };
  keepResult("order", { note, sections });
  keepPlots(plots);
}
