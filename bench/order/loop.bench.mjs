// The frontier alone, without network, parser and archive: CPU time per page of --order opic and --order bfs.
//
// The frontiers of T crawlers crawl the SMALL web in one thread of the machine, taking turns. Measured are cold crawls
// (the first of a process, with all that is compiled for it) and warm ones, and a digest of the pages in the order in which
// they were taken: a change that is meant to cost less must leave the digest as it was. Each crawl is a process of its own.
// --against runs this same file of another checkout, in turns with this one. About a minute on an idle machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { PROFILES } from "../../build/src/web/profile.js";
import { hostOfPage, makeGraph } from "../../build/src/web/synthetic/graph.js";
import { VariedNames } from "../../build/src/web/synthetic/page-names.js";
import { readArguments } from "../support/arguments.mjs";
import { root } from "../support/command-line.mjs";
import { foundLink } from "../support/links.mjs";
import { openFrontiers, PLACES } from "../support/open-frontier.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { median } from "../support/statistics.mjs";

/** Visits of a thread that are over when its turn comes. */
const ANSWERED = 6;
/** Turns between two commits, and between two when one is asked for. */
const COMMIT_EVERY = 100;
const COMMIT_SOON = 10;
/** Crawls of one process: the last of them is warm. */
const CRAWLS = 4;

/** A web in memory: URLs, the links of each, seeds. */
function makeWeb({ pages, hosts }) {
  const graph = makeGraph({ ...PROFILES.small, pages, hosts });
  const names = new VariedNames(1, false);
  const urls = Array.from({ length: pages }, (_, page) => {
    const host = hostOfPage(graph, page);
    return `http://127.0.0.${host + 1}:4000${names.path(page - graph.firstOfHost[host])}`;
  });
  const links = urls.map((_, page) => {
    const targets = graph.targets.subarray(graph.offsets[page], graph.offsets[page + 1]);
    return [...new Set(targets)].map((target) => urls[target]);
  });
  const seeds = Array.from({ length: hosts }, (_, host) => urls[graph.firstOfHost[host]]);
  return { links, seeds, numberOf: new Map(urls.map((url, page) => [url, page])) };
}

/** Crawls the web once; a digest of which thread took which page, in order. */
function crawl({ links, seeds, numberOf }, order, threads) {
  const all = openFrontiers({ order, threads, delayMs: 0, perHost: PLACES });
  const workers = all.frontiers.map((frontier, thread) => {
    return { thread, frontier, inFlight: [], isAsked: false };
  });
  const digest = createHash("sha1");
  const visit = ({ thread, frontier }, lease, now) => {
    const page = numberOf.get(lease.url);
    digest.update(`${thread}:${page} `);
    frontier.requestEnded(lease, now);
    const { left, known } = frontier.split(lease, links[page]);
    const found = left.map((url) => foundLink(url, lease.url, lease.depth + 1));
    frontier.finish(lease, found, links[page].length, known);
  };
  all.start(seeds);
  for (let now = 1; !all.isOver; now++) {
    for (const me of workers) {
      const { frontier, inFlight } = me;
      me.isAsked = frontier.turn(now) || me.isAsked;
      if (now % (me.isAsked ? COMMIT_SOON : COMMIT_EVERY) === 0 || inFlight.length === 0) {
        me.isAsked = false;
        frontier.commit();
      }
      for (const lease of inFlight.splice(0, ANSWERED)) visit(me, lease, now);
      for (let more = [0]; more.length > 0 && inFlight.length < PLACES; ) {
        more = frontier.take(PLACES - inFlight.length, now);
        inFlight.push(...more);
      }
    }
  }
  return digest.digest("hex").slice(0, 12);
}

/** Microseconds of CPU per page of each crawl of this process. */
function measure({ order, pages, hosts, threads }) {
  const web = makeWeb({ pages, hosts });
  const micros = [];
  let digest = "";
  for (let i = 0; i < CRAWLS; i++) {
    const used = cpuMicros(() => {
      digest = crawl(web, order, threads);
    });
    micros.push(used / pages);
  }
  return { micros, digest };
}

function compare({ pages, hosts: hostCounts, threads: threadCounts, repeat, against }) {
  const roots = against === "" ? [root] : [resolve(against), root];
  for (const hosts of hostCounts) {
    for (const threads of threadCounts) {
      const rows = roots.flatMap((checkout) =>
        ["bfs", "opic"].map((order) => ({
          checkout,
          order,
          cold: [],
          warm: [],
          digests: new Set(),
        })),
      );
      for (let turn = 0; turn < repeat; turn++) {
        for (const { checkout, order, cold, warm, digests } of turn % 2
          ? rows
          : rows.toReversed()) {
          const file = join(checkout, "bench/order/loop.bench.mjs");
          const web = JSON.stringify({ order, pages, hosts, threads });
          const output = execFileSync(process.execPath, [file, "--child", web]);
          const { micros, digest } = JSON.parse(output);
          cold.push(micros[0]);
          warm.push(micros.at(-1));
          digests.add(digest);
        }
      }
      for (const { checkout, order, cold, warm, digests } of rows) {
        const figures = `cold ${median(cold).toFixed(1)}, warm ${median(warm).toFixed(1)} us a page`;
        const where = checkout === root ? "" : ` of ${checkout}`;
        console.log(
          `${hosts} hosts, ${threads} threads, ${order}${where}: ${figures}, ${[...digests].join(" or ")}`,
        );
      }
    }
  }
}

const options = readArguments({
  options: {
    pages: { default: 10_000, smoke: 200, help: "pages of the web" },
    hosts: { default: [1, 20], smoke: [3], help: "hosts of the web" },
    threads: { default: [1, 2], smoke: [2], help: "crawler threads" },
    repeat: { default: 3, smoke: 1, help: "processes for every row" },
    against: { default: "", help: "another checkout that is built" },
    child: { default: "", help: "what a process measures, as JSON; used by the bench itself" },
  },
});
if (options.child === "") compare(options);
else console.log(JSON.stringify(measure(JSON.parse(options.child))));
