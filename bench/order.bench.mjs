// Which pages first? Seed 002's questions on the cnr-2000 graph, asked of the code that ships.
//   npm run build && node bench/order.bench.mjs [--only coverage,partitions,single,predictor,memory]
// The graph has no URLs: sites are simulated as ranges of page numbers of power-law sizes, in six different ways.
// Results go to bench/results/order.json, plots to order-*.svg beside it. Nothing here is timed but "memory".
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { BATCH, CAPACITY } from "../build/src/frontier/opic/thread-order.js";
import { idealCrawl, plainCrawl, shippedCrawl } from "./order.crawl.mjs";
import { dealSites, homePages, loadGraph, pageRank, simulateSites } from "./order.graph.mjs";
import { memory } from "./order.memory.mjs";
import { predictor } from "./order.predictor.mjs";
import { generator } from "./queue.streams.mjs";
import { lineChart } from "./queue.svg.mjs";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const POINTS = [0.01, 0.05, 0.1, 0.25];
const PLOTTED = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5];
const SITE_SEEDS = [7, 8, 9, 10, 11, 12];
const SINGLE_PAGES = 12;
const SEED_ORDERS = 3;

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

/**
 * P partitions that exchange blocks against one instantaneous exact queue. Seeds are all worth the same, so there are as
 * many such queues as orders of the seeds, and what one collects differs by up to 2 % (a single page of half a percent
 * of PageRank falls on this side of a point or on that): so a web is the mean of some orders. "alone": threads that take
 * their own best pages, whatever others have.
 */
function partitions(world) {
  const { graph } = world;
  const webs = world.webs.map(({ siteOf, homes }, w) => ({
    siteOf,
    orders: Array.from({ length: SEED_ORDERS }, (_, k) => {
      const seeds = shuffled([...homes], generator(100 + w + 1000 * k));
      return { seeds, ideal: idealCrawl(graph, seeds).fetched };
    }),
  }));
  const table = [];
  const everyWebBelow1Percent = {};
  for (const [threads, shards, more] of [
    [1, 1, {}],
    [4, 4, {}],
    [16, 16, {}],
    [4, 16, {}],
    [16, 16, { exchange: 16 }],
    [16, 16, { exchange: 1024 }],
    [16, 16, { alone: true }],
  ]) {
    const how = more.alone ? "alone" : `exchange ${more.exchange ?? "auto"}`;
    const totals = { size: 0, lent: 0, own: 0, foreign: 0, runs: 0 };
    const losses = webs.map(({ siteOf, orders }) => {
      const shardOf = dealSites(siteOf, shards);
      // Other ways than the default are for comparison: one order of the seeds will do.
      const some = how === "exchange auto" && threads === shards ? orders : orders.slice(0, 1);
      const runs = some.map(({ seeds, ideal }) => {
        const run = shippedCrawl(graph, seeds, { threads, shards, shardOf, ...more });
        totals.runs++;
        totals.size += run.exchanges.meanSize;
        totals.lent += run.borrowed / graph.pages;
        totals.own += run.late.own;
        totals.foreign += run.late.foreign;
        return POINTS.map((p) => [collected(world, run.fetched, p), collected(world, ideal, p)]);
      });
      return POINTS.map((_, i) => {
        const sum = (side) => runs.reduce((total, points) => total + points[i][side], 0);
        return 1 - sum(0) / sum(1);
      });
    });
    const points = POINTS.map((p, i) => {
      const list = losses.map((web) => web[i]);
      const mean = list.reduce((sum, each) => sum + each, 0) / list.length;
      return [`loss at ${percent(p)}`, `${percent(mean)} (to ${percent(Math.max(...list))})`];
    });
    table.push({
      threads,
      shards,
      how,
      ...Object.fromEntries(points),
      "R per thread": Math.round(totals.size / totals.runs),
      lent: percent(totals.lent / totals.runs),
      "late, own": Math.round(totals.own / totals.runs),
      "late, foreign": Math.round(totals.foreign / totals.runs),
    });
    everyWebBelow1Percent[`${threads} threads, ${shards} shards, ${how}`] = losses.every((web) =>
      web.every((loss) => loss < 0.01),
    );
  }
  const title = `loss of PageRank against one instantaneous exact queue (below 0: a gain), mean and worst of ${webs.length} webs`;
  return { title, table, data: { everyWebBelow1Percent } };
}

function shuffled(list, random) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

/** All pages are one host's: mini-queue, overflow classes and ranges against the exact queue. */
function single(world) {
  const { graph } = world;
  const table = [];
  for (const seed of [0, 46918]) {
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

const SECTIONS = { coverage, partitions, single, predictor, memory };
const wanted = options.only?.split(",") ?? Object.keys(SECTIONS);
const graph = loadGraph();
if (graph === undefined) {
  console.log("skipped: ../shared/conformance/webgraph is not here");
  process.exit(0);
}
const world = { graph, rank: pageRank(graph) };
world.webs = SITE_SEEDS.map((seed) => {
  const { siteOf, sites } = simulateSites(graph.pages, generator(seed));
  return { siteOf, sites, homes: homePages(siteOf) };
});
const results = {};
const plots = {};
for (const name of wanted) {
  const { title, table, data, svg } = SECTIONS[name](world);
  console.log(`\n${title}`);
  console.table(table);
  if (Object.keys(data).length > 0) console.log(data);
  results[name] = { title, ...data, table };
  Object.assign(plots, svg);
}
store();

function store() {
  const folder = new URL("./results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL("order.json", folder);
  let before = {};
  try {
    before = JSON.parse(readFileSync(file, "utf8"));
  } catch {}
  const machine = {
    cpu: cpus()[0].model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
  };
  const versions = { node: process.version, v8: process.versions.v8 };
  const note = `cnr-2000, ${graph.pages} pages; sites are simulated: ranges of page numbers of power-law sizes (${world.webs.map((web) => web.sites).join(", ")} sites)`;
  const sections = { ...before.sections, ...results };
  const date = new Date().toISOString().slice(0, 10);
  const text = { note, machine, versions, date, sections };
  writeFileSync(file, `${JSON.stringify(text, undefined, 2)}\n`);
  for (const [name, svg] of Object.entries(plots))
    writeFileSync(new URL(`${name}.svg`, folder), svg);
}
