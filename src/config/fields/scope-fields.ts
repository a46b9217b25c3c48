import { optional, withDefault } from "../field.ts";
import { choice, duration, list, size, text, whole, wholeOr } from "../values/kinds.ts";
import { notEmpty, patternRefusal } from "./field-values.ts";

const group = "How far to go";
const ANY = Number.MAX_SAFE_INTEGER;

/** Fields that bound a crawl: which URLs belong to it, in which order, and when it ends. */
export const reach = {
  scope: withDefault(choice(["page", "prefix", "host", "domain", "any"]), "host", {
    flag: "scope",
    group,
    about:
      "which links are followed: page = none, prefix = below the folder of a seed, host = on the host of a seed, domain = on its registrable domain, any = everywhere",
    examples: ["--scope domain"],
  }),
  include: withDefault(
    list(text("RE", "a JavaScript regular expression", patternRefusal)),
    () => [],
    {
      flag: "include",
      group,
      about: "follow only URLs that match this expression; several: at least one of them",
      examples: ["--include '/docs/'"],
      repeatable: true,
    },
  ),
  exclude: withDefault(
    list(text("RE", "a JavaScript regular expression", patternRefusal)),
    () => [],
    {
      flag: "exclude",
      group,
      about: "do not follow URLs that match this expression; wins over --include",
      examples: ["--exclude '[?&]print='"],
      repeatable: true,
    },
  ),
  order: withDefault(choice(["bfs", "dfs", "opic"]), "bfs", {
    flag: "order",
    group,
    about:
      "bfs = pages near the seeds first, dfs = follow the newest links first, opic = most linked pages first",
    examples: ["--order opic"],
    fixed:
      "with opic pages have cash from the first one on, otherwise never; bfs and dfs may replace each other",
  }),
  priority: optional(text("FILE", "a JavaScript module", notEmpty), {
    flag: "priority",
    group,
    about:
      "with --order opic: a module whose default export (url, depth) => number tells what a page is worth by itself when its URL is found; 1 is as much as a seed has, at most 16",
    examples: ["--priority ./docs-first.mjs"],
  }),
  shouldVisit: optional(text("FILE", "a JavaScript module", notEmpty), {
    flag: "should-visit",
    group,
    about:
      "a module whose export shouldVisit, or default export, (url, depth) => boolean tells whether a link in scope is visited",
    examples: ["--should-visit ./hooks.mjs"],
  }),
  exchangeSize: withDefault(wholeOr(1, 65_536, "auto"), "auto", {
    flag: "exchange-size",
    group,
    about:
      "with --order opic or --supersteps: visits of a thread between two exchanges with the sites of others; auto keeps pages that come too late below 5 %",
    examples: ["--exchange-size 64"],
  }),
  recordKeys: optional(text("FILE", "the name of a file", notEmpty), {
    flag: "record-keys",
    group,
    about:
      "with --order opic: append the priorities that go into the queue and how many come out to this file, for `orbweaver lab queues`",
    examples: ["--record-keys keys.jsonl"],
  }),
  maxPages: optional(whole(1, ANY), {
    flag: "max-pages",
    group,
    about: "end after exactly this many stored pages (responses with status 2xx)",
    examples: ["--max-pages 1000"],
  }),
  maxDepth: optional(whole(0, 65_535), {
    flag: "max-depth",
    group,
    about: "follow links at most this many steps from a seed; 0 = only the seeds",
    examples: ["--max-depth 3"],
  }),
  maxTimeMs: optional(duration(1), {
    flag: "max-time",
    group,
    about: "end after this time",
    examples: ["--max-time 3s", "--max-time 10m", "--max-time 24h"],
  }),
  maxBytes: optional(size(1), {
    flag: "max-size",
    group,
    about:
      "end after this much has been received, in all runs together; 1 GB = 10^9 bytes, 1 GiB = 2^30 bytes",
    examples: ["--max-size 10GB", "--max-size 500MiB"],
  }),
  maxWaitMs: withDefault(duration(0), 900_000, {
    flag: "max-wait",
    group,
    about: "when only hosts remain that make us wait longer than this, end without them",
    examples: ["--max-wait 1h"],
  }),
};
