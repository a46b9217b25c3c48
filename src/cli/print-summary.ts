import { join } from "node:path";
import { shellQuote } from "../config/command-line.ts";
import { printable } from "../config/printable.ts";
import { humanDuration } from "../config/values/durations.ts";
import { humanSize } from "../config/values/sizes.ts";
import { type CrawlSummary, MAX_SEED_FAULTS, type RunFigures } from "../crawl/crawl-summary.ts";
import { meaningOf } from "../crawl/visit/error-codes.ts";
import { EXIT } from "../errors.ts";
import { type Colours, NO_COLOURS } from "./colours.ts";

/** The fields of `--json`, in their order. */
export const SUMMARY_KEYS: readonly (keyof CrawlSummary)[] = [
  "ended",
  "pages",
  "failed",
  "refused",
  "urlsKnown",
  "urlsCrawled",
  "urlsQueued",
  "bytes",
  "seconds",
  "cpuSeconds",
  "maxRssMiB",
  "pagesPerSecond",
  "out",
  "limit",
  "next",
  "seedFaults",
  "urlsLost",
  "urlsTakenTwice",
  "runs",
  "thisRun",
  "selfCheck",
];

/** The one line of `--json`, without its line end: exactly these keys in this order. */
export function summaryJson(summary: CrawlSummary): string {
  return JSON.stringify(
    Object.fromEntries(SUMMARY_KEYS.map((key) => [key, summary[key]])),
    rounded,
  );
}

// More than three decimals would only be noise: 0.30000000000000004.
function rounded(_key: string, value: unknown): unknown {
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

/** What does not add up, for people; "" when everything does. */
export function mismatchText({ selfCheck, out }: CrawlSummary): string {
  if (selfCheck.length === 0) return "";
  const lines = selfCheck.map((problem) => `  ${printable(problem, 1000)}\n`).join("");
  const file = printable(join(out, "reports", "self-check.json"), 1000);
  const cause =
    "if files of the folder were changed or lost, orbweaver recover tells; if not, this is a fault of the program: please report it";
  return `orbweaver: the numbers of this crawl do not add up, see ${file}; ${cause}\n${lines}`;
}

/** What to do next: a command to go on where something is left, and one to look at what there is. */
function nextText(
  { ended, next, out, pages }: CrawlSummary,
  { hasReport = false, isShared = true }: SummaryView,
): string {
  const goOn = next === null ? "" : `Go on with: ${printable(next, 1000)}\n`;
  const lost =
    next === null && ended !== "finished" && isShared
      ? "A shared frontier is not durable: this crawl cannot be resumed.\n"
      : "";
  const look =
    pages === 0 || hasReport
      ? ""
      : `Look at it with: orbweaver report ${printable(shellQuote(out), 1000)}\n`;
  return goOn + lost + look;
}

/** What failed or was refused, and why: the most frequent codes of this run, with what they mean. */
function errorLines(
  errors: Readonly<Record<string, number>>,
  columns: number,
  colours: Colours,
): string[] {
  const top = topErrors(errors, TOP_ERRORS);
  if (top.length === 0) return [];
  const amounts = top.map(([, times]) => count(times));
  const width = Math.max(...amounts.map((text) => text.length));
  const lines = top.map(([code], i) => {
    const start = `    ${amounts[i]!.padStart(width)}  ${code}`;
    const meaning = meaningOf(code);
    const isShort = start.length + 2 + meaning.length <= columns;
    const painted = `    ${amounts[i]!.padStart(width)}  ${colours.red(code)}`;
    return meaning === code
      ? painted
      : isShort
        ? `${painted}: ${meaning}`
        : `${painted}\n${wrapped(meaning, columns, 6 + width)}`;
  });
  const others = Object.keys(errors).length - top.length;
  const rest = others > 0 ? [`    and ${counted(others, "other code")}: docs/outcomes.md`] : [];
  return ["  what went wrong most often", ...lines, ...rest];
}

/** Words in lines of at most so many columns, each behind spaces. */
function wrapped(text: string, columns: number, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && indent + last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => " ".repeat(indent) + line).join("\n");
}

/** Codes that are named in a summary. */
const TOP_ERRORS = 3;
const DEFAULT_COLUMNS = 100;

/** Which codes are most frequent. */
export function topErrors(
  errors: Readonly<Record<string, number>>,
  most: number,
): [string, number][] {
  return Object.entries(errors)
    .sort(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
    .slice(0, most);
}

/** How each figure of a run is shown, in the order of the rows. */
const FIGURES: readonly [name: string, show: (figures: RunFigures) => string][] = [
  [
    "pages",
    ({ pages, seconds, pagesPerSecond }) =>
      `${count(pages)}${seconds > 0 ? ` (${count(pagesPerSecond)}/s)` : ""}`,
  ],
  ["failed", ({ failed }) => count(failed)],
  ["refused", ({ refused }) => count(refused)],
  ["received", ({ bytes }) => humanSize(bytes)],
  [
    "time",
    ({ seconds, cpuSeconds }) =>
      `${humanDuration(seconds * 1000)}, ${cpuSeconds.toFixed(1)} s of CPU`,
  ],
  ["memory", ({ maxRssMiB }) => `${Math.round(maxRssMiB)} MiB at most`],
];

/** The rows of figures; after a resume those of this run and of all runs stand side by side. */
function figureRows(summary: CrawlSummary): [string, string][] {
  const { runs, thisRun } = summary;
  if (runs === 1) return FIGURES.map(([name, show]) => [name, show(summary)]);
  const shown = FIGURES.map(([name, show]) => [name, show(thisRun), show(summary)] as const);
  const width = Math.max(...shown.map(([, own]) => own.length), "this run".length);
  return [
    ["", `${"this run".padEnd(width)}  all ${count(runs)} runs`],
    ...shown.map(([name, own, all]): [string, string] => [name, `${own.padEnd(width)}  ${all}`]),
  ];
}

/** How a summary is shown. */
export interface SummaryView {
  /** For a frontier that loses URLs. */
  readonly showsLoss?: boolean;
  /** What went wrong in this run, by code. */
  readonly errors?: Readonly<Record<string, number>>;
  /** One worker of a crawl on an engine. */
  readonly isElsewhere?: boolean;
  /** What was left is gone with the process. */
  readonly isShared?: boolean;
  /** The report is made anyway. */
  readonly hasReport?: boolean;
  readonly colours?: Colours;
  /** Of a terminal. */
  readonly columns?: number | undefined;
}

/** The summary for people: why the crawl ended, what there is, what went wrong, and what to do next. */
export function summaryText(summary: CrawlSummary, view: SummaryView = {}): string {
  const { showsLoss = false, errors = {}, colours = NO_COLOURS } = view;
  const { urlsKnown, urlsCrawled, urlsQueued, urlsLost } = summary;
  const urls: [string, string] = view.isElsewhere
    ? ["URLs", `${count(urlsCrawled)} crawled by this worker; the engine knows what waits`]
    : [
        "URLs known",
        `${count(urlsKnown)}: ${count(urlsCrawled)} crawled, ${count(urlsQueued)} still queued`,
      ];
  const rows: [string, string][] = [
    ...figureRows(summary),
    urls,
    ...(showsLoss || urlsLost > 0 ? [lossRow(summary)] : []),
    ["results", printable(summary.out, 1000)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}  ${value}`);
  const isWell = summary.ended === "finished" && summary.seedFaults.length === 0;
  const ending = colours.bold((isWell ? colours.green : colours.yellow)(endingText(summary)));
  const troubles = errorLines(errors, view.columns ?? DEFAULT_COLUMNS, colours);
  const text = [...lines, ...troubles].map((line) => `${line}\n`).join("");
  const next = colours.cyan(nextText(summary, view));
  return `${ending}\n${faultsText(summary)}${text}${next}`;
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
  selfCheck,
  runs,
}: Pick<CrawlSummary, "ended" | "seedFaults" | "selfCheck" | "runs">): number {
  // A folder that was resumed may have been changed or copied between its runs; a new one was not.
  if (selfCheck.length > 0) return runs > 1 ? EXIT.corrupt : EXIT.fault;
  if (ended === "limit") return EXIT.limit;
  if (ended === "interrupted") return EXIT.interrupted;
  return seedFaults.length > 0 ? EXIT.nothingFetched : EXIT.finished;
}
