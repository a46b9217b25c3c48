// Which pages first? Seed 002's questions on the cnr-2000 graph, asked of the code that ships.
//   npm run build && node bench/order.bench.mjs [--only coverage,partitions,single,predictor,memory]
// The graph has no URLs: sites are simulated as ranges of page numbers of power-law sizes, three different ways.
// Results go to bench/results/order.json, plots to order-*.svg beside it. Nothing here is timed but "memory".
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { idealCrawl, plainCrawl, shippedCrawl } from "./order.crawl.mjs";
import { dealSites, homePages, loadGraph, pageRank, simulateSites } from "./order.graph.mjs";
import { memory } from "./order.memory.mjs";
import { predictor } from "./order.predictor.mjs";
import { generator } from "./queue.streams.mjs";
import { lineChart } from "./queue.svg.mjs";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const POINTS = [0.01, 0.05, 0.1, 0.25];
const PLOTTED = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5];
const SITE_SEEDS = [7, 8, 9];

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

/** OPIC, breadth first, depth first, random: from the home pages of all sites as in the paper, and from one page. */
function coverage(world) {
  const { graph, rank } = world;
  const { homes } = world.webs[0];
  const starts = {
    "home pages": { seeds: [...homes] },
    "one seed": { seeds: [0] },
    // Simulated home pages are any pages: minting them a unit when they are met sends the crawl astray.
    "one seed, home pages minted": { seeds: [0], homes },
  };
  const table = [];
  const svg = {};
  const isAhead = {};
  for (const [start, { seeds, homes: met }] of Object.entries(starts)) {
    const crawls = {
      OPIC: shippedCrawl(graph, seeds, { homes: met }).fetched,
      "OPIC, exact queue": idealCrawl(graph, seeds, { homes: met }),
      "breadth first": plainCrawl(graph, seeds, "bfs"),
      "depth first": plainCrawl(graph, seeds, "dfs"),
      random: plainCrawl(graph, seeds, generator(3)),
      "known PageRank": idealCrawl(graph, seeds, { worth: rank }),
    };
    const series = {};
    for (const [name, fetched] of Object.entries(crawls)) {
      if (fetched.length !== graph.pages) throw new Error(`${name} missed pages`);
      table.push({ seeds: start, ...row(world, name, fetched) });
      series[name] = PLOTTED.map((p) => [100 * p, 100 * collected(world, fetched, p)]);
    }
    isAhead[start] = POINTS.every(
      (p) => collected(world, crawls.OPIC, p) > collected(world, crawls["breadth first"], p),
    );
    svg[`order-coverage-${start.replaceAll(/\W+/g, "-")}`] = lineChart({
      title: `Share of PageRank collected, cnr-2000, from ${start}`,
      x: "pages fetched, %",
      y: "PageRank collected, %",
      series,
      logX: true,
    });
  }
  const title = "share of PageRank collected after 1, 5, 10, 25 % of the pages";
  return { title, table, data: { opicAheadOfBreadthFirstAtEveryPoint: isAhead }, svg };
}

/** P threads that exchange blocks every 1,000 pages in all, against one instantaneous queue. */
function partitions(world) {
  const { graph } = world;
  const table = [];
  for (const [w, { siteOf, homes }] of world.webs.entries()) {
    const seeds = [...homes];
    const ideal = idealCrawl(graph, seeds);
    for (const [threads, shards, total] of [
      [1, 1, 1000],
      [1, 16, 1000],
      [4, 4, 1000],
      [4, 16, 1000],
      [16, 16, 1000],
      [16, 16, 16],
    ]) {
      const superstep = Math.ceil(total / threads);
      const shardOf = dealSites(siteOf, shards);
      const { fetched, late } = shippedCrawl(graph, seeds, { threads, shards, shardOf, superstep });
      const loss = (p) => 1 - collected(world, fetched, p) / collected(world, ideal, p);
      table.push({
        web: w + 1,
        threads,
        shards,
        "R per thread": superstep,
        ...Object.fromEntries(POINTS.map((p) => [`loss at ${percent(p)}`, percent(loss(p))])),
        "late, own": late.own,
        "late, foreign": late.foreign,
      });
    }
  }
  const title = "loss of PageRank against one instantaneous exact queue (below 0: a gain)";
  return { title, table, data: {} };
}

/** All pages are one host's: mini-queue, overflow classes and ranges against the exact queue. */
function single(world) {
  const { graph } = world;
  const table = [];
  for (const seed of [0, 46918]) {
    const ideal = idealCrawl(graph, [seed]);
    for (const [batch, capacity] of [
      [8, 16],
      [128, 32],
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
