// Cost of one link: `canonicalize` against `new URL`, on links as a page has them; CPU time in nanoseconds.

import { canonicalize, canonicalizeSlowly } from "../../build/src/url/crawl-url.js";
import { Scope } from "../../build/src/url/scope.js";
import { siteHash, siteOf } from "../../build/src/url/site.js";
import { surtKey } from "../../build/src/url/surt.js";
import { hostnameOf, partsOf } from "../../build/src/url/url-parts.js";
import { readArguments } from "../support/arguments.mjs";
import { flat } from "../support/links.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";

const { repeat, items: perRound } = readArguments({
  options: {
    items: { default: 30_000, smoke: 300, help: "links of a round" },
    repeat: { default: 15, smoke: 2, help: "rounds, of which the fastest counts" },
  },
});
const BASE = canonicalize("https://docs.example.org/guide/v2/routing/intro.html?lang=en");

/** 150 links in the mixture of a documentation page or shop: mostly rooted and relative, some absolute. */
const KINDS = {
  relative: (i) => `chapter-${i}/page-${i}.html`,
  rooted: (i) => `/guide/v2/topic-${i}/section/${i * 7}`,
  parent: (i) => `../reference/item_${i}.html#section-${i}`,
  "same host": (i) => `https://docs.example.org/blog/2024/05/post-number-${i}?ref=nav`,
  "other host": (i) => `https://www.site-${i % 9}.com/some/path/article-${i}.html`,
  "protocol-relative": (i) => `//cdn.example.net/assets/${i}/page`,
  query: (i) => `?page=${i}&sort=asc`,
  fragment: (i) => `#heading-${i}`,
  refused: (i) => `mailto:someone-${i}@example.org`,
};
const MIXTURE = ["relative", "rooted", "rooted", "parent", "same host", "same host", "other host"];
const RARE = ["protocol-relative", "query", "fragment", "refused"];

const page = Array.from({ length: 150 }, (_, i) => {
  const kind = i % 8 < 7 ? MIXTURE[i % 8] : RARE[(i >> 3) % 4];
  return flat(KINDS[kind](i));
});

const plainUrl = (link) => new URL(link, BASE).href; // keeps the fragment: the least that can be done

/** Least over rounds of nanoseconds of CPU per item; the sum keeps the work from being optimised away. */
function nsPerItem(items, work) {
  const samples = [];
  let kept = 0;
  for (let round = -2; round < repeat; round++) {
    const passes = Math.ceil(perRound / items.length);
    const micros = cpuMicros(() => {
      for (let pass = 0; pass < passes; pass++)
        for (const item of items) kept += work(item) === undefined ? 0 : 1;
    });
    if (round >= 0) samples.push((1000 * micros) / (passes * items.length));
  }
  if (kept < 0) throw new Error("unreachable");
  return Math.min(...samples);
}

const fast = (link) => canonicalize(link, BASE);
const slow = (link) => canonicalizeSlowly(link, BASE);
const rows = [];
for (const [name, items] of [
  ["page of 150 links", page],
  ...Object.entries(KINDS).map(([name, make]) => [
    name,
    Array.from({ length: 150 }, (_, i) => flat(make(i))),
  ]),
]) {
  const [ours, definition, parser] = [fast, slow, plainUrl].map((work) => nsPerItem(items, work));
  rows.push({
    links: name,
    "canonicalize ns": Math.round(ours),
    "slow path ns": Math.round(definition),
    "new URL ns": Math.round(parser),
    "times cheaper": Number((parser / ours).toFixed(1)),
  });
}
console.table(rows);

const urls = page.map(fast).filter((url) => url !== undefined);
const scope = new Scope({ kind: "host" });
scope.addSeed(BASE);
const others = { partsOf, "hostnameOf + siteOf": (url) => siteOf(hostnameOf(url)), surtKey };
others["siteHash of a site"] = (url) => siteHash(siteOf(hostnameOf(url)));
others["scope host"] = (url) => scope.refusal(url) === undefined;
console.table(
  Object.entries(others).map(([name, work]) => ({
    function: name,
    ns: Math.round(nsPerItem(urls, work)),
  })),
);
