import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { tempFolder } from "../support/orbweaver.ts";

/** What goes wrong with buffers stands still for ever. */
export const ENDS = { timeout: 120_000 };

/** A crawl at full speed in a folder of the test's own. */
export function crawlOf(t: TestContext, start: readonly string[], more: Record<string, unknown>) {
  const out = join(tempFolder(t), "out");
  const settings = checkSettings({ seeds: [...start], delayMs: 0, ...more });
  return { crawl: new CheckedCrawl(configFrom(settings, { typed: start }), out), out };
}
