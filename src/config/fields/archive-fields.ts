import { optional, withDefault } from "../field.ts";
import { choice, duration, size, text, toggle, whole } from "../values/kinds.ts";
import { notEmpty } from "./field-values.ts";

/** Fields about what is kept of a page, how it is written, and what the user sees meanwhile. */
export const archive = {
  accept: withDefault(choice(["html", "text/html", "text", "any"]), "html", {
    flag: "accept",
    group: "Pages",
    about:
      "which responses are kept: html = HTML and XHTML, also where the server names no type; text/html = only what it marks as such; text = every kind of text; any = all",
    examples: ["--accept any", "--accept text/html"],
  }),
  maxLinksPerPage: withDefault(whole(0, 1_000_000), 10_000, {
    flag: "max-links-per-page",
    group: "Pages",
    about: "links kept from one page; the rest is counted",
    examples: ["--max-links-per-page 500"],
  }),
  store: withDefault(choice(["warc", "tree", "warc,tree", "none"]), "warc", {
    flag: "store",
    group: "Archive",
    about:
      "where pages are kept: warc = archive files, tree = a folder per URL with its content (content.html, content.png, ...) and source.txt, or both; none = nowhere, only links, lists and reports are written",
    examples: ["--store warc,tree"],
    fixed: "index, page list and tree would hold only a part of it",
  }),
  warcLevel: withDefault(whole(0, 9), 1, {
    flag: "warc-level",
    group: "Archive",
    about: "gzip level of the archive: 0 = stored, 1 = fast, 9 = small",
    examples: ["--warc-level 6"],
  }),
  rotateBytes: withDefault(size(65_536), 1_000_000_000, {
    flag: "rotate-size",
    group: "Archive",
    about: "start a new archive file when the current one has reached this size",
    examples: ["--rotate-size 100MB"],
  }),
  rotatePages: optional(whole(1, 1_000_000_000), {
    flag: "rotate-pages",
    group: "Archive",
    about: "start a new archive file also when the current one holds this many captures",
    examples: ["--rotate-pages 1000"],
  }),
  maxUncommitted: withDefault(whole(1, 1_000_000), 1000, {
    flag: "max-uncommitted",
    group: "Archive",
    about:
      "pages fetched and not yet safely written; after a crash at most these are fetched again. There are no more threads than that",
    examples: ["--max-uncommitted 200"],
  }),
  statsEveryMs: withDefault(duration(1000), 3_600_000, {
    flag: "stats-every",
    group: "Output",
    about: "how often reports/hourly_statistics.jsonl gets a line",
    examples: ["--stats-every 10m"],
  }),
  syncEveryMs: withDefault(duration(1), 1000, {
    flag: "sync-every",
    group: "Archive",
    about:
      "the longest time between two commits, which make fetched pages safe from a loss of power; earlier when the crawl would have to wait for them, with --hand-off full later when few come",
    examples: ["--sync-every 200ms"],
  }),
  json: withDefault(toggle(), false, {
    flag: "json",
    group: "Output",
    about: "print the summary as one JSON object on standard output",
    examples: ["--json"],
  }),
  report: withDefault(toggle(), false, {
    flag: "report",
    group: "Output",
    about:
      "characterise the pages when the crawl has ended, as orbweaver report does: reports/report.json and report.html",
    examples: ["--report"],
  }),
  onEnd: optional(text("COMMAND|URL", "a shell command, or an http or https URL", notEmpty), {
    flag: "on-end",
    group: "Output",
    about:
      "when the crawl has ended, POST its summary as JSON to this URL, or run this command, which gets it on standard input and the name of its file as $1; for this run only. A failure is told and changes nothing",
    examples: ["--on-end https://hooks.example/crawl", "--on-end 'jq .pages \"$1\" >> pages.txt'"],
  }),
  onEndTimeoutMs: withDefault(duration(1), 60_000, {
    flag: "on-end-timeout",
    group: "Output",
    about: "how long --on-end may take",
    examples: ["--on-end-timeout 10s"],
  }),
  quiet: withDefault(toggle(), false, {
    flag: "quiet",
    group: "Output",
    about: "show no progress and no summary for people; errors are still shown",
    examples: ["--quiet"],
  }),
  color: withDefault(toggle(), true, {
    flag: "color",
    group: "Output",
    about: "use no colours on a terminal; the environment variable NO_COLOR says the same",
    examples: ["--no-color"],
    negated: true,
  }),
  debug: withDefault(toggle(), false, {
    flag: "debug",
    group: "Output",
    about: "log title and first words of every page, and show details of errors",
    examples: ["--debug"],
  }),
};
