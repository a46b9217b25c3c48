import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { root } from "../support/conformance.ts";
import { BUILDERS_VARIABLE, crawlArguments, drillThreads, startCrawl } from "./drill.ts";
import type { Call } from "./record-calls.ts";

const ENTRY = pathToFileURL(join(root, "build/tests/faults/record-calls.js")).href;

/** What to record, and where. */
export interface Recording {
  readonly out: string;
  /** Room for the record. */
  readonly folder: string;
  readonly pages: number;
  /** More arguments of the crawl. */
  readonly more?: readonly string[];
}

/** Crawls a small web in a process that writes down every call that changes its folder; answers the calls. */
export async function recordCrawl({ out, folder, pages, more = [] }: Recording): Promise<Call[]> {
  const trace = join(folder, "trace");
  const web = await startWebProcess({
    profile: { ...PROFILES.small, pages, hosts: 6 },
    latencyMs: 10,
  });
  try {
    // What a builder answers says nothing about what another one has written: there is one.
    const threads = process.env[BUILDERS_VARIABLE] === "0" ? 1 : drillThreads();
    const args = [...crawlArguments(web.start, out, threads), "--max-uncommitted", "16", ...more];
    const env = {
      NODE_OPTIONS: `--import ${ENTRY}`,
      ORBWEAVER_RECORD_FOLDER: out,
      ORBWEAVER_RECORD_TRACE: trace,
    };
    const { code, stderr } = await startCrawl(args, env).ended;
    if (code !== 0) throw new Error(`the crawl ended with ${code}: ${stderr}`);
  } finally {
    await web.close();
  }
  const lines = readFileSync(trace, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Call);
}
