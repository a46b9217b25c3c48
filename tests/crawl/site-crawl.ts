import assert from "node:assert/strict";
import { join } from "node:path";
import { startWebProcess } from "../../src/web/web-process.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLog, readPages, readReport } from "../support/orbweaver.ts";
import type { Site } from "../support/sites.ts";

/** The path of a URL as the truth writes it: as it was asked for, without host. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** Crawls a site served from a folder, and compares pages, misses and archive with the truth. */
export async function crawlSite(
  site: Site,
  out: string,
  options: {
    threads: number;
    links: number;
    spread?: number;
    latencyMs?: number;
    args?: readonly string[];
  },
): Promise<Record<string, number>> {
  const web = await startWebProcess({
    dir: site.folder,
    startPath: site.start,
    ...(options.spread === undefined ? {} : { spread: options.spread }),
    ...(options.latencyMs === undefined ? {} : { latencyMs: options.latencyMs }),
  });
  try {
    const { code, stdout, stderr } = await orbweaver([
      "crawl",
      ...web.start,
      "--out",
      out,
      "--json",
      ...["--delay", "0", "--quiet", "--scope", options.spread === undefined ? "host" : "any"],
      ...["--threads", String(options.threads), "--links-per-thread", String(options.links)],
      ...(options.spread === undefined
        ? []
        : ["--allow-private", "127.0.0.0/8", "--include", "^http://site\\d+\\.test/"]),
      ...web.resolveArguments(),
      ...(options.args ?? []),
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    const summary = JSON.parse(stdout);
    const pages = readPages(out);
    assert.deepEqual(pages.map(({ url }) => pathOf(url)).sort(), [...site.reachable].sort());
    const misses = readLog(out).filter(({ status }) => status === 404);
    const missed = misses.map(({ url }) => pathOf(url));
    assert.equal(new Set(missed).size, missed.length, "each missing target once");
    assert.deepEqual(
      missed.filter((path) => !site.missing.has(path)),
      [],
    );
    const truth = await web.truth();
    assert.equal(missed.length, truth.missing);
    const report = await web.report();
    assert.deepEqual([report.pages, report.repeated], [site.reachable.length, 0]);
    assert.deepEqual([summary.ended, summary.pages], ["finished", site.reachable.length]);

    // Every URL with an answer has exactly one record of it, a revisit when the bytes were stored before; all are whole.
    const records = readRecords(join(out, "archive"));
    assert.deepEqual(
      records.flatMap(({ problems }) => problems),
      [],
    );
    const answers = records.filter(({ type }) => type === "response" || type === "revisit");
    const responses = answers.map(({ uri }) => uri);
    const answered = readLog(out).filter(({ status }) => status !== undefined);
    assert.deepEqual(responses.sort(), answered.map(({ url }) => url).sort());
    assert.equal(readReport(out).trapped, 0, "the watch for traps, on by default, stops nothing");
    return readReport(out);
  } finally {
    await web.close();
  }
}
