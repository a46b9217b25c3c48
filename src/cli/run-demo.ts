import { configFrom } from "../config/crawl-config.ts";
import type { CrawlSettings } from "../config/schema.ts";
import { freshFolder } from "../store/folder/fresh-folder.ts";
import { PROFILES } from "../web/profile.ts";
import { startWebProcess } from "../web/web-process.ts";
import type { Io } from "./io.ts";
import { counted } from "./print-summary.ts";
import { runCrawl } from "./run-crawl.ts";

/** The delay of the demonstration, unless another one is given. */
const DEMO_DELAY_MS = 50;

/** Starts the built-in web in a process of its own, crawls it, and compares with what there was to find. */
export async function runDemo(settings: CrawlSettings, io: Io): Promise<number> {
  const profile = PROFILES.demo;
  const delayMs = settings.delayMs === 1000 ? DEMO_DELAY_MS : settings.delayMs;
  const web = await startWebProcess({ profile, delayMs });
  try {
    const truth = await web.truth();
    const note = (text: string) => {
      if (!settings.quiet) io.stderr.write(text);
    };
    note(
      `A synthetic web of ${counted(truth.hosts.length, "host")} and ${counted(truth.pages, "page")} is up on this machine; ` +
        `${truth.reachable} of them can be reached.\nCrawling it with ${delayMs} ms between two requests of a host.\n\n`,
    );
    const config = configFrom(
      {
        ...settings,
        seeds: [...truth.start],
        scope: settings.scope === "host" ? "any" : settings.scope,
        delayMs,
        report: true,
        allowPrivate: [...settings.allowPrivate, "127.0.0.0/8"],
        out: settings.out ?? freshFolder("crawls", new Date()),
      },
      { typed: truth.start },
    );
    const code = await runCrawl(config, io);
    const report = await web.report();
    note(
      `\nThe web itself saw ${report.pages} of ${truth.reachable} reachable pages fetched, ` +
        `${report.repeated} of them more than once, and ${report.tooFastCount} requests that came too soon.\n` +
        `Look around: ${config.out}/reports/report.html shows what was collected, pages/pages.jsonl lists the pages, archive/ holds them as WARC.\n`,
    );
    return code;
  } finally {
    await web.close();
  }
}
