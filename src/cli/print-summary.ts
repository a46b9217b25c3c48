import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import { humanSize } from "../config/values/sizes.ts";
import type { CrawlSummary } from "../crawl/crawl-summary.ts";
import { EXIT } from "../errors.ts";

const KEYS: readonly (keyof CrawlSummary)[] = [
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
];

/** The one line of `--json`, without its line end: exactly these keys in this order. */
export function summaryJson(summary: CrawlSummary): string {
  return JSON.stringify(Object.fromEntries(KEYS.map((key) => [key, rounded(summary[key])])));
}

// More than three decimals would only be noise: 0.30000000000000004.
function rounded(value: string | number): string | number {
  return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
}

const ENDINGS = {
  finished: "Finished: no URL is left.",
  limit: "Stopped by a limit.",
  interrupted: "Interrupted.",
};

/** The summary for people. */
export function summaryText(summary: CrawlSummary): string {
  const { seconds, cpuSeconds, maxRssMiB } = summary;
  const rate = seconds > 0 ? ` (${count(summary.pages / seconds)}/s)` : "";
  const rows: [string, string][] = [
    ["pages", `${count(summary.pages)}${rate}`],
    ["failed", count(summary.failed)],
    ["refused", count(summary.refused)],
    ["URLs known", `${count(summary.urlsKnown)}, ${count(summary.urlsQueued)} still queued`],
    ["received", humanSize(summary.bytes)],
    ["time", `${humanDuration(seconds * 1000)}, ${cpuSeconds.toFixed(1)} s of CPU`],
    ["memory", `${Math.round(maxRssMiB)} MiB at most`],
    ["results", printable(summary.out, 1000)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}`);
  return `${[ENDINGS[summary.ended], ...lines].join("\n")}\n`;
}

/** A count with thousands set apart: 1,234,567; below ten one decimal where there is one. */
export function count(value: number): string {
  const digits =
    value < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value));
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The exit code of an ending. */
export function exitCodeOf(ended: CrawlSummary["ended"]): number {
  if (ended === "limit") return EXIT.limit;
  return ended === "interrupted" ? EXIT.interrupted : EXIT.finished;
}
