import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { RemoteWeb } from "../../web/web-process.ts";
import { counted, type LabRun, measured, type Table } from "../experiment.ts";
import { rounded, spreadOf } from "../run-spread.ts";
import { type Fetchers, type RoundsResult, runRounds } from "./rounds-crawl.ts";

/** Rounds whose leftovers are kept and dropped, with each of these waits. */
export interface LeftoverSettings {
  readonly threads: number;
  readonly links: number;
  readonly pages: number;
  readonly maxWaitMs: readonly number[];
}

/** Rounds that treat what a round has no room for in one way. */
export interface Leftovers {
  readonly leftovers: "keep" | "drop";
  readonly maxWaitMs: number;
  readonly runs: readonly RoundsResult[];
}

/** What becomes of a crawl in rounds that drops what a round has no room for, or waits less long for a round. */
export async function measureLeftovers(
  run: LabRun,
  web: RemoteWeb,
  settings: LeftoverSettings & { readonly repeats: number; start(): Promise<Fetchers> },
): Promise<Leftovers[]> {
  const { links: maxLinks, pages: maxPages, repeats } = settings;
  const open = await settings.start();
  const found: Leftovers[] = [];
  try {
    for (const leftovers of ["keep", "drop"] as const) {
      for (const maxWaitMs of settings.maxWaitMs) {
        const runs = await run.step(`leftovers-${leftovers}-${maxWaitMs}`, async () => {
          const plan = { maxLinks, maxPages, leftovers, maxWaitMs, maxDepth: 999 };
          const results: RoundsResult[] = [];
          for (let n = 0; n < repeats; n++)
            results.push(await runRounds(open, web.start as CrawlUrl[], plan));
          return results;
        });
        found.push({ leftovers, maxWaitMs, runs });
      }
    }
  } finally {
    await open.close();
  }
  return found;
}

/** The same as a table. */
export function leftoversTable(
  found: readonly Leftovers[],
  { threads, links, pages }: LeftoverSettings,
): Table {
  return {
    title: `Rounds of ${threads} x ${links} until ${pages} pages: leftovers kept or dropped, and how long a round waits`,
    columns: [
      ...[counted("leftovers"), counted("max_wait", "ms"), counted("runs"), measured("crawled")],
      ...[measured("failed or too late"), measured("dropped", "links"), measured("rounds")],
      ...[measured("distinct links discovered"), measured("mean", "s"), measured("SD", "s")],
    ],
    rows: found.map(({ leftovers, maxWaitMs, runs }) => {
      const mean = (of: (run: RoundsResult) => number) => rounded(spreadOf(runs.map(of)).mean, 1);
      const seconds = spreadOf(runs.map((each) => each.seconds));
      return [
        ...[leftovers === "keep" ? "kept" : "dropped", maxWaitMs, runs.length],
        ...[mean((each) => each.pages), mean(({ failed }) => failed)],
        ...[mean(({ dropped }) => dropped), mean((each) => each.rounds)],
        ...[mean(({ discovered }) => discovered), rounded(seconds.mean, 3)],
        rounded(seconds.deviation, 3),
      ];
    }),
  };
}
