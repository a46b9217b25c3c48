import type { CommandTable } from "./command.ts";

/** Every command. A new one is a module in commands/ and a line here: help and dispatch read this table. */
export const COMMANDS: CommandTable = {
  crawl: {
    summary: "crawl web sites into an archive",
    load: () => import("./commands/crawl-command.ts"),
  },
  resume: {
    summary: "continue a crawl after a stop or a crash",
    load: () => import("./commands/resume-command.ts"),
  },
  worker: {
    summary: "join a crawl on an engine, one of many machines",
    isSpecial: true,
    load: () => import("./commands/worker-command.ts"),
  },
  demo: {
    summary: "crawl a small synthetic web on this machine; needs no internet",
    load: () => import("./commands/demo-command.ts"),
  },
  web: {
    summary: "serve a synthetic web, a folder or a link graph on this machine",
    load: () => import("./commands/web-command.ts"),
  },
  check: {
    summary: "tell what the crawler would do with a URL, and why",
    load: () => import("./commands/check-command.ts"),
  },
  recover: {
    summary: "rebuild indexes and lists of a crawl from what is on disk",
    load: () => import("./commands/recover-command.ts"),
  },
  links: {
    summary: "tell which pages of a crawl link to a URL",
    load: () => import("./commands/links-command.ts"),
  },
  export: {
    summary: "write a crawl as text, WACZ, URL tree, CSV, Parquet or link graph",
    load: () => import("./commands/export-command.ts"),
  },
  upload: {
    summary: "copy a crawl to S3 or a server like it, compared by digest",
    load: () => import("./commands/upload-command.ts"),
  },
  report: {
    summary: "characterise the pages of a crawl, with tables and plots",
    load: () => import("./commands/report-command.ts"),
  },
  dashboard: {
    summary: "look at a crawl in a browser, while it runs and afterwards",
    load: () => import("./commands/dashboard-command.ts"),
  },
  lab: {
    summary: "repeat the experiments of the documents, with tables and plots",
    isSpecial: true,
    load: () => import("./commands/lab-command.ts"),
  },
  search: {
    summary: "look for words in titles, URLs and texts of a crawl",
    load: () => import("./commands/search-command.ts"),
  },
  cluster: {
    summary: "look after a crawl of many machines",
    isSpecial: true,
    load: () => import("./commands/cluster-command.ts"),
  },
  frontier: {
    summary: "serve the URLFrontier API for other crawlers",
    isSpecial: true,
    load: () => import("./commands/frontier-command.ts"),
  },
  verify: {
    summary: "explore the concurrent code, all interleavings of small programs",
    isSpecial: true,
    load: () => import("./commands/verify-command.ts"),
  },
  replay: {
    summary: "run one interleaving again, step by step and in real threads",
    isSpecial: true,
    load: () => import("./commands/replay-command.ts"),
  },
  completion: {
    summary: "print a script that completes commands and options in a shell",
    isSpecial: true,
    load: () => import("./commands/completion-command.ts"),
  },
};
