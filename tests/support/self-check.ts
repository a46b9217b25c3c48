import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** reports/self-check.json. */
export interface SelfCheckReport {
  readonly ok: boolean;
  readonly run: number;
  readonly tookMs: number;
  readonly problems: readonly string[];
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}

/** The newest self-check of a crawl folder; undefined when no run has come to its end. */
export function readSelfCheck(out: string): SelfCheckReport | undefined {
  const path = join(out, "reports", "self-check.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
