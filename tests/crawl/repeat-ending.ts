import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { readReport, tempFolder } from "../support/orbweaver.ts";

/** Crawls a small web many times; each crawl must be complete and end. Gives the times from last commit to end. */
export async function repeatEnding(t: TestContext, times: number): Promise<number[]> {
  const web = await startWebProcess({ profile: { ...PROFILES.tiny, errorRate: 0 } });
  t.after(() => web.close());
  const { reachable } = await web.truth();
  const folder = tempFolder(t);
  const endings: number[] = [];
  for (let run = 0; run < times; run++) {
    const out = join(folder, String(run));
    const settings = checkSettings({
      ...{ seeds: [...web.start], delayMs: 0, scope: "any", allowPrivate: ["127.0.0.0/8"] },
      threads: 1 + (run % 4),
    });
    const summary = await new CheckedCrawl(configFrom(settings, { typed: web.start }), out).run();
    assert.deepEqual([summary.ended, summary.pages], ["finished", reachable], `run ${run}`);
    endings.push(readReport(out).endingMs!);
    rmSync(out, { recursive: true });
  }
  return endings;
}
