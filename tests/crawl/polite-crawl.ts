import assert from "node:assert/strict";
import { PROFILES, type WebProfile } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { orbweaver, readLog } from "../support/orbweaver.ts";

/** Crawls a synthetic web of many hosts and lets the web itself judge completeness and politeness. */
export async function politeCrawl(
  out: string,
  profile: Partial<WebProfile>,
  options: { delayMs: number; args?: readonly string[] },
): Promise<{ maxRssMiB: number; seconds: number; cpuSeconds: number }> {
  const { delayMs, args = [] } = options;
  const web = await startWebProcess({ profile: { ...PROFILES.polite, ...profile }, delayMs });
  try {
    const truth = await web.truth();
    const { code, stdout, stderr } = await orbweaver([
      ...["crawl", ...web.start, "--scope", "any", "--allow-private", "127.0.0.0/8"],
      ...["--delay", String(delayMs), "--out", out, "--json", "--quiet", ...args],
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    const report = await web.report();
    const summary = JSON.parse(stdout);
    assert.deepEqual(
      {
        pages: report.pages,
        repeated: report.repeated,
        tooFast: report.tooFast,
        robots: report.robotsViolations,
      },
      { pages: truth.reachable, repeated: 0, tooFast: [], robots: 0 },
    );
    assert.equal(summary.pages, truth.reachable);
    const log = readLog(out);
    assert.equal(new Set(log.map(({ url }) => url)).size, log.length, "one line per URL");
    assert.equal(log.length, summary.urlsKnown);
    return summary;
  } finally {
    await web.close();
  }
}
