import { parseJson } from "../../store/files/jsonl.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths, withParts } from "../../store/folder/crawl-folder.ts";
import { MAX_SEED_FAULTS, type SeedFault } from "../crawl-summary.ts";
import { meaningOf } from "../visit/error-codes.ts";
import type { OutcomeLine } from "../visit/visit-outcome.ts";

/**
 * What became of the first seeds, and of what they redirect to, of a crawl without a page. Reads its whole log, which is
 * short then; a later line about a URL, from a later run, replaces an earlier one.
 */
export function seedFaults(out: string): SeedFault[] {
  const faults = new Map<string, SeedFault>();
  for (const file of withParts(crawlPaths(out).log)) {
    for (const line of readLines(file)) {
      if (!line.includes(',"depth":0,')) continue;
      const text = Buffer.from(line, "latin1").toString("utf8");
      const { url, outcome, error, detail, depth, via } = (parseJson(text) ??
        {}) as Partial<OutcomeLine>;
      const isSeed = depth === 0 && (via === "seed" || via === "redirect");
      if (!isSeed || url === undefined || outcome === undefined || error === undefined) continue;
      if (faults.size === MAX_SEED_FAULTS && !faults.has(url)) continue;
      const more = detail === undefined ? "" : ` (${detail})`;
      faults.set(url, { url, outcome, error, reason: meaningOf(error) + more });
    }
  }
  return [...faults.values()];
}
