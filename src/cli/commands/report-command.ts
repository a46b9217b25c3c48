import { printable } from "../../config/printable.ts";
import { humanDuration } from "../../config/values/durations.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { CorpusReport } from "../../report/corpus-report.ts";
import { TOKENS, type Tokens } from "../../report/read/tokens.ts";
import type { Command } from "../command.ts";
import { printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption, onlyWord, textOf, wholeNumberOf } from "../options.ts";
import { count } from "../print-summary.ts";
import { DEFAULT_TOP, runReport } from "../run-report.ts";

const group = "Options";
const MAX_TOP = 1000;

/** `orbweaver report`. */
export const command: Command = {
  name: "report",
  usage: ["report DIR [--top N] [--against DIR] [--tokens KIND] [--json]"],
  about:
    "Characterises the pages of a crawl that has ended: hosts, sizes, tokens, links, languages, duplicates, broken links, the most important pages. Writes reports/report.json and reports/report.html, one file with plots. Every page is read from the archive once; an interrupted or repeated report goes on from there.",
  options: [
    {
      flag: "top",
      value: "N",
      group,
      about: `how long lists are (default ${DEFAULT_TOP})`,
      allowed: `a whole number from 1 to ${MAX_TOP}`,
      examples: ["--top 25"],
    },
    {
      flag: "against",
      value: "DIR",
      group,
      about: "another crawl to compare with: pages that are new, gone, changed",
      allowed: "the folder of a crawl that has ended",
      examples: ["--against crawls/last-month"],
    },
    {
      flag: "tokens",
      value: TOKENS.join("|"),
      group,
      about:
        "how tokens are counted: words as counted while crawling (default), runs between white space, or cl100k_base by the package gpt-tokenizer, which is not installed with this program",
      allowed: `one of ${TOKENS.join(", ")}`,
      examples: ["--tokens whitespace"],
    },
    jsonOption("print the report as one JSON object"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver report crawls/example", "what was collected; open reports/report.html"],
    ["orbweaver report crawls/new --against crawls/old --top 25", "two crawls side by side"],
  ],
  async run(args, io) {
    const dir = onlyWord(
      args,
      "report takes the folder of one crawl; for example orbweaver report crawls/example",
    );
    const asJson = isOn(args, "json");
    const { report, html } = await runReport(dir, io, {
      top: wholeNumberOf(args, "top", DEFAULT_TOP, MAX_TOP),
      tokens: tokensOf(textOf(args, "tokens")),
      against: textOf(args, "against"),
    });
    if (asJson) printJson(io, report);
    else io.stdout.write(`${linesOf(report)}${printable(html, 1000)}\n`);
    return EXIT.finished;
  },
};

function tokensOf(text: string | undefined): Tokens {
  const tokens = TOKENS.find((each) => each === (text ?? "words"));
  if (tokens === undefined)
    throw new UsageError(
      `--tokens ${printable(text!, 100)} is not allowed; use one of ${TOKENS.join(", ")}`,
    );
  return tokens;
}

/** The main figures for people. */
function linesOf(report: CorpusReport): string {
  const { duplicates, comparison } = report;
  const rows: [string, string][] = [
    ["pages", count(report.pages)],
    ["hosts", `${count(report.hosts)}, ${count(report.pagesPerHost)} pages each on average`],
    ["domains", `${count(report.domains)}, ${count(report.pagesPerDomain)} pages each`],
    [
      "rate",
      `${count(report.pagesPerSecond)} pages/s over ${humanDuration(report.activeSeconds * 1000)}`,
    ],
    [
      "page size",
      `${count(report.pageBytes.mean)} bytes, median ${count(report.pageBytes.median)}`,
    ],
    ["tokens", `${count(report.tokens.mean)}, median ${count(report.tokens.median)}`],
    ["out-links", `${count(report.outLinks.mean)}, median ${count(report.outLinks.median)}`],
    [
      "duplicates",
      `${count(duplicates.exact.extra)} equal, ${count(duplicates.near.extra)} nearly equal`,
    ],
    ["broken", `${count(report.links.failedTargets)} URLs that are linked`],
  ];
  if (comparison !== undefined)
    rows.push([
      "compared",
      `${count(comparison.new.pages)} new, ${count(comparison.gone.pages)} gone, ${count(comparison.changed.pages)} changed`,
    ]);
  if (report.unread > 0)
    rows.push(["not read", `${count(report.unread)} pages are not in the archive`]);
  return rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}\n`).join("");
}
