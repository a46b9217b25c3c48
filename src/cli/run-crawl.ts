import { availableParallelism } from "node:os";
import { printable } from "../config/printable.ts";
import type { CrawlConfig } from "../config/schema.ts";
import type { BuildHere } from "../crawl/builder/build-rules.ts";
import { MainBuilder } from "../crawl/builder/main-builder.ts";
import { Crawl } from "../crawl/crawl.ts";
import { EXIT } from "../errors.ts";
import { frontierTraits } from "../frontier/frontier-memory.ts";
import { mayCompileLess } from "../runtime/compile-less.ts";
import { freshFolder } from "../store/folder/fresh-folder.ts";
import { coloursOf } from "./colours.ts";
import { type Io, onSignals } from "./io.ts";
import { exitCodeOf, faultsText, mismatchText, summaryJson, summaryText } from "./print-summary.ts";
import { Progress } from "./progress.ts";
import { slowestOf } from "./progress-view.ts";
import type { EndNews } from "./run-on-end.ts";
import { runReport } from "./run-report.ts";

/** The hosts among which the slowest one is looked for, every so many lines of figures. */
const MOST_QUEUED = { search: "", sort: "queued", offset: 0, limit: 50 } as const;
const SLOWEST_EVERY = 3;

const buildHere: BuildHere = (rules, onMessage) => new MainBuilder(rules, onMessage);

/** Who watches a crawl from its start answers what is to be done at its end, before the summary. */
type OnStart = (note: (text: string) => void, crawl: Crawl) => (() => Promise<void>) | undefined;

/** Runs a crawl: progress on standard error, the summary on standard output; signals stop it cleanly. */
export async function runCrawl(
  config: CrawlConfig,
  io: Io,
  resumes = false,
  onStart: OnStart = () => undefined,
): Promise<number> {
  mayCompileLess();
  const out = config.out ?? freshFolder("crawls", new Date());
  const crawl = new Crawl(config, out, resumes, undefined, buildHere);
  const progress = new Progress(io.stderr, {
    now: io.now,
    quiet: config.quiet,
    colours: coloursOf(io.stderr, io.environment, config.color),
    unicode: isUnicode(io.environment),
    cores: availableParallelism(),
  });
  let lines = 0;
  crawl.events.on("figures", (figures) => {
    progress.outlook(figures);
    if (config.quiet || lines++ % SLOWEST_EVERY !== 0 || figures.queued === 0) return;
    void crawl.hosts(MOST_QUEUED).then(({ hosts }) => progress.slowest(slowestOf(hosts)));
  });
  crawl.events.on("progress", (snapshot) => progress.update(snapshot));
  // What is no trouble is not told with --quiet.
  const inform = (text: string) => {
    if (!config.quiet) progress.note(text);
  };
  crawl.events.on("seedRedirected", (url) => inform(`a seed redirects to ${url}, now a seed`));
  crawl.events.on("fewFiles", inform);
  crawl.events.on("log", (url, text) => progress.note(`${url}: ${text}`));
  crawl.events.on("workerReplaced", (name, cause, backMs) =>
    progress.note(
      `${name} died (${messageOf(cause)}) and was replaced after ${Math.round(backMs)} ms`,
    ),
  );
  crawl.events.on("diskFull", (message) =>
    progress.note(`the crawl waits for its disk: ${message}`),
  );
  crawl.events.on("diskFree", () => progress.note("the disk works again, the crawl goes on"));
  const onEnd = onStart((text) => progress.note(text), crawl);
  let left = "";
  crawl.events.on("leftForLater", (message) => {
    left += `Left for later: ${message}.\n`;
  });
  const dashboard = await startDashboard(crawl, out, config);
  // Also with --quiet: who asked for it has to find it.
  if (dashboard !== undefined) progress.note(`Dashboard: ${dashboard.url}`);
  let terminated = false;
  const forget = onSignals((signal) => {
    terminated ||= signal === "SIGTERM";
    progress.note("stopping: finishing what is in flight; once more to stop at once");
    crawl.stop();
  });
  // From now on a signal ends the process at once.
  crawl.events.on("safe", forget);
  try {
    const summary = await crawl.run().catch(async (fault: unknown) => {
      await tellFault(config, fault, out, io);
      throw fault;
    });
    await onEnd?.();
    progress.close();
    const { losesUrls, hasJournals, isElsewhere } = frontierTraits(config);
    if (config.json) io.stdout.write(`${summaryJson(summary)}\n`);
    else if (!config.quiet)
      io.stdout.write(
        summaryText(summary, {
          showsLoss: losesUrls,
          isShared: !hasJournals,
          isElsewhere,
          errors: crawl.figures().errors,
          hasReport: config.report,
          colours: coloursOf(io.stdout, io.environment, config.color),
          columns: io.stdout.isTTY ? io.stdout.columns : undefined,
        }) + left,
      );
    if (config.json && !config.quiet) io.stderr.write(left);
    // Also with --quiet: nothing that was printed can be trusted then.
    io.stderr.write(mismatchText(summary));
    if (config.report && summary.pages > 0) await report(out, config, io);
    await tellEnd(config, { json: summaryJson(summary), out, ended: summary.ended }, io);
    const exitCode = exitCodeOf(summary);
    // An end without a page is no ordinary one.
    if (exitCode === EXIT.nothingFetched && (config.json || config.quiet))
      io.stderr.write(`orbweaver: nothing could be fetched\n${faultsText(summary)}`);
    return terminated && exitCode === EXIT.interrupted ? EXIT.terminated : exitCode;
  } finally {
    progress.close();
    forget();
    await dashboard?.close();
  }
}

/** Loaded on use. */
async function tellEnd(config: CrawlConfig, news: EndNews, io: Io): Promise<void> {
  if (config.onEnd === undefined) return;
  const { runOnEnd } = await import("./run-on-end.ts");
  await runOnEnd(config, news, io);
}

/** A crawl that could not begin, or broke, has no summary. */
function tellFault(config: CrawlConfig, fault: unknown, out: string, io: Io): Promise<void> {
  const error = { code: (fault as { code?: unknown }).code, message: messageOf(fault) };
  const json = JSON.stringify({ ended: "failed", out, error });
  return tellEnd(config, { json, out, ended: "failed" }, io);
}

/** Whether the terminal shows more than ASCII, as its locale says; most do not say. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG }: Io["environment"]): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return locale === "" || /utf-?8/i.test(locale);
}

/** Loaded on use; undefined when nobody asked for it. */
async function startDashboard(crawl: Crawl, out: string, config: CrawlConfig) {
  if (config.dashboard === undefined) return undefined;
  const { serveCrawl } = await import("./run-dashboard.ts");
  return serveCrawl(crawl, out, config);
}

/** What `orbweaver report` does; standard output stays the summary's. */
async function report(out: string, { quiet }: CrawlConfig, io: Io): Promise<void> {
  const { html } = await runReport(out, io);
  if (!quiet) io.stderr.write(`Report: ${printable(html, 1000)}\n`);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
