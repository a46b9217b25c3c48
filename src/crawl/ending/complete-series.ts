import { OUTCOME } from "../../frontier/finish.ts";
import type { Figures } from "../../stats/crawl-figures.ts";
import { readSeries } from "../../stats/series-file.ts";
import { errorsOf } from "../../stats/series-points.ts";
import { JsonlFile, parseJson } from "../../store/files/jsonl.ts";
import { readLines } from "../../store/files/read-file.ts";
import { openJournals } from "../../store/finish/journal-view.ts";
import { crawlPaths, wholeState } from "../../store/folder/crawl-folder.ts";
import type { OutcomeLine } from "../visit/visit-outcome.ts";

/**
 * Adds a last line to the series of a crawl that died, once its lists are recovered: what was committed in the second before
 * it died is missing from the line that it wrote last. So a dashboard shows what the report counts.
 */
export function completeSeries(dir: string): void {
  const { series, log } = crawlPaths(dir);
  const lines = readSeries(series);
  const last = lines.at(-1);
  const ends = endsIn(dir);
  if (last === undefined || ends === undefined || wholeState(dir)?.ended !== "running") return;
  const idle = { inFlight: 0, hostsWaiting: 0, uncommitted: 0, congested: 0, busy: 0 };
  const { bytes, errors } = logged(log);
  // Errors are those of the run, and the log has those of all.
  for (const [code, count] of Object.entries(errorsOf(lines.filter(({ run }) => run < last.run))))
    errors[code] = Math.max(0, (errors[code] ?? 0) - count);
  const time = new Date().toISOString();
  const line: Figures = { ...last, state: "died", time, ...idle, ...ends, bytes, errors };
  const file = new JsonlFile(series);
  file.write(line);
  file.close();
}

/** What the journals say: how visits have ended, and what waits. */
function endsIn(dir: string): Partial<Figures> | undefined {
  const { view } = openJournals(crawlPaths(dir).journals, wholeState(dir));
  if (view === undefined) return undefined;
  const counts = new Map<number, number>();
  let ended = 0;
  view.eachEnded(({ outcome }) => {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    ended++;
  });
  let queued = 0;
  view.eachWaiting(() => queued++);
  const of = (outcome: number) => counts.get(outcome) ?? 0;
  return {
    pages: of(OUTCOME.page),
    failed: of(OUTCOME.failed),
    refused: of(OUTCOME.refused),
    redirects: of(OUTCOME.redirect),
    sitemaps: of(OUTCOME.sitemap),
    unchanged: of(OUTCOME.unchanged),
    known: ended + queued,
    queued,
  };
}

/** Failures by code, and bytes received, as the log has them. */
function logged(path: string): { bytes: number; errors: Record<string, number> } {
  const errors: Record<string, number> = {};
  let bytes = 0;
  for (const text of readLines(path)) {
    const line = parseJson(text) as OutcomeLine | null | undefined;
    bytes += line?.bytes ?? 0;
    const isFailure = line?.outcome === "failed" || line?.outcome === "refused";
    if (line?.error !== undefined && isFailure) errors[line.error] = (errors[line.error] ?? 0) + 1;
  }
  return { errors, bytes };
}
