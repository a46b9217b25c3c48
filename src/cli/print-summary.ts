import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import { humanSize } from "../config/values/sizes.ts";
import { type CrawlSummary, MAX_SEED_FAULTS } from "../crawl/crawl-summary.ts";
import { EXIT } from "../errors.ts";

/** The fields of `--json`, in their order. */
export const SUMMARY_KEYS: readonly (keyof CrawlSummary)[] = [
  "ended",
  "pages",
  "failed",
  "refused",
  "urlsKnown",
  "urlsQueued",
  "bytes",
  "seconds",
  "cpuSeconds",
  "maxRssMiB",
  "out",
  "limit",
  "next",
  "seedFaults",
  "urlsLost",
  "urlsTakenTwice",
];

/** The one line of `--json`, without its line end: exactly these keys in this order. */
export function summaryJson(summary: CrawlSummary): string {
  return JSON.stringify(
    Object.fromEntries(SUMMARY_KEYS.map((key) => [key, rounded(summary[key])])),
  );
}

// More than three decimals would only be noise: 0.30000000000000004.
function rounded<T>(value: T): T | number {
  return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
}

/** In which unit each limit is reached. */
const REACHED: Readonly<Record<string, (amount: number) => string>> = {
  "--max-pages": (pages) => counted(pages, "page"),
  "--max-size": (bytes) => `${humanSize(bytes)} received`,
  "--max-time": (seconds) => humanDuration(seconds * 1000),
};

/** How the crawl ended, in one sentence. */
function endingText({ ended, limit, seedFaults, next, urlsQueued }: CrawlSummary): string {
  if (limit !== null) {
    const reached = REACHED[limit.option]?.(limit.reached) ?? limit.reached;
    return `Stopped by a limit: ${limit.option} ${limit.value} (${reached}).`;
  }
  if (ended === "interrupted") return "Interrupted.";
  if (seedFaults.length > 0) return "Nothing could be fetched.";
  return next === null
    ? "Finished: no URL is left."
    : `Finished, except for ${counted(urlsQueued, "URL")} whose hosts did not answer.`;
}

/** Why nothing could be fetched: a line per seed. */
export function faultsText({ seedFaults }: CrawlSummary): string {
  const lines = seedFaults.map(({ url, outcome, error, reason }) =>
    printable(`${url}: ${outcome}, ${error}: ${reason}`, 3000),
  );
  if (lines.length === MAX_SEED_FAULTS) lines.push("and perhaps more, in logs/crawl.jsonl");
  return lines.map((line) => `  ${line}\n`).join("");
}

/** What to do next; "" when nothing is left. */
function nextText({ ended, next }: CrawlSummary): string {
  if (next !== null) return `Go on with: ${printable(next, 1000)}\n`;
  return ended === "finished"
    ? ""
    : "A shared frontier is not durable: this crawl cannot be resumed.\n";
}

/** The summary for people; `showsLoss` for a frontier that loses URLs. */
export function summaryText(summary: CrawlSummary, showsLoss = false): string {
  const { seconds, cpuSeconds, maxRssMiB } = summary;
  const rate = seconds > 0 ? ` (${count(summary.pages / seconds)}/s)` : "";
  const rows: [string, string][] = [
    ["pages", `${count(summary.pages)}${rate}`],
    ["failed", count(summary.failed)],
    ["refused", count(summary.refused)],
    ["URLs known", `${count(summary.urlsKnown)}, ${count(summary.urlsQueued)} still queued`],
    ...(showsLoss ? [lossRow(summary)] : []),
    ["received", humanSize(summary.bytes)],
    ["time", `${humanDuration(seconds * 1000)}, ${cpuSeconds.toFixed(1)} s of CPU`],
    ["memory", `${Math.round(maxRssMiB)} MiB at most`],
    ["results", printable(summary.out, 1000)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}`);
  const text = `${lines.join("\n")}\n`;
  return `${endingText(summary)}\n${faultsText(summary)}${text}${nextText(summary)}`;
}

function lossRow({ urlsLost, urlsTakenTwice }: CrawlSummary): [string, string] {
  return ["lost", `${counted(urlsLost, "URL")}, ${count(urlsTakenTwice)} taken twice`];
}

/** A count with its noun: "1 page", "1,234 pages". */
export function counted(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}

/** A count with thousands set apart: 1,234,567; below ten one decimal where there is one. */
export function count(value: number): string {
  const digits =
    value < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value));
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The exit code of an ending. */
export function exitCodeOf({
  ended,
  seedFaults,
}: Pick<CrawlSummary, "ended" | "seedFaults">): number {
  if (ended === "limit") return EXIT.limit;
  if (ended === "interrupted") return EXIT.interrupted;
  return seedFaults.length > 0 ? EXIT.nothingFetched : EXIT.finished;
}
