import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CrawlConfig } from "../config/schema.ts";
import type { Totals } from "../stats/counters.ts";
import { replaceFile } from "../store/replace-file.ts";
import { type Measured, reportOf } from "./summary.ts";

/** Writes reports/summary.json and reports/seeds.json. */
export function writeReports(
  out: string,
  config: CrawlConfig,
  totals: Totals,
  measured: Measured,
): void {
  const folder = join(out, "reports");
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, "summary.json"), reportOf(totals, measured));
  writeJson(join(folder, "seeds.json"), { seeds: config.seeds, rejected: config.rejectedSeeds });
}

function writeJson(path: string, value: object): void {
  replaceFile(path, (file) => file.write(Buffer.from(`${JSON.stringify(value, null, 2)}\n`)));
}
