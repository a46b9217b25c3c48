import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";
import { replaceWith } from "../store/files/replace-file.ts";
import { makeFolders } from "../store/files/system-calls.ts";
import { finalizeIfLeft } from "../store/finish/finalize.ts";
import { unfinishedBytes } from "../store/finish/merge-parts.ts";
import { crawlPaths, readCrawlState } from "../store/folder/crawl-folder.ts";
import { lockFolder } from "../store/folder/folder-lock.ts";
import { noResults } from "../store/folder/no-crawl.ts";
import type { CorpusReport } from "./corpus-report.ts";
import { reportPage } from "./html/report-page.ts";
import { makeReport, type ReportOptions } from "./make-report.ts";

/** A report and where it was written. */
export interface WrittenReport {
  readonly report: CorpusReport;
  readonly json: string;
  readonly html: string;
}

/** Writes reports/report.json and reports/report.html of a crawl that has ended. */
export async function writeReport(dir: string, options: ReportOptions): Promise<WrittenReport> {
  requireEnded(dir);
  if (options.against !== undefined) requireEnded(options.against);
  const { reports } = crawlPaths(dir);
  makeFolders(reports);
  const report = await makeReport(dir, options);
  const [json, html] = [join(reports, "report.json"), join(reports, "report.html")];
  replaceWith(json, `${JSON.stringify(report, null, 2)}\n`);
  replaceWith(html, reportPage(report, basename(resolve(dir))));
  return { report, json, html };
}

/** Finishes what an interrupted run left; refuses a folder without a finished page list. */
export function requireEnded(dir: string): void {
  finalizeIfLeft(dir);
  if (!existsSync(crawlPaths(dir).pages)) throw noResults(dir, "page list");
  if (readCrawlState(dir)?.ended !== "running") return;
  // A crawl that runs holds the lock, and taking it tells who that is.
  lockFolder(dir).release();
  if (unfinishedBytes(dir) === 0) return; // recovered after a crash
  const shown = printable(dir, 1000);
  throw new UsageError(
    `the crawl in ${shown} crashed, so its lists are not complete; orbweaver resume ${shown} goes on with it, orbweaver recover ${shown} puts the lists right`,
  );
}
