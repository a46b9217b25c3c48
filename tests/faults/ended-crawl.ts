import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readNewestRun } from "../../src/crawl/ending/reports.ts";
import { EXIT } from "../../src/errors.ts";
import { compactShard } from "../../src/frontier/fold/compact-shard.ts";
import { listJournals } from "../../src/frontier/journal/journal-listing.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { type Recovery, recoverFolder } from "../../src/store/recover/recover-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { type RemoteWeb, startWebProcess } from "../../src/web/web-process.ts";
import { crawlArguments, startCrawl } from "./drill.ts";

/** A crawl that has ended, what `recover` says of it, and all its files. */
export async function endedCrawl(out: string, pages: number) {
  await crawlTwice(out, pages);
  // The first time it may have something to do.
  recover(out);
  return { clean: recover(out), files: readFiles(out) };
}

/** A crawl in two runs, between which half of its journals become snapshots. */
async function crawlTwice(out: string, pages: number): Promise<void> {
  const web: RemoteWeb = await startWebProcess({
    profile: {
      ...PROFILES.small,
      pages,
      hosts: 6,
      errorRate: 0.05,
      redirectShare: 0.05,
      encodings: false,
    },
  });
  try {
    const first = [...crawlArguments(web.start, out), "--max-pages", String(pages >> 1)];
    await runTo([...first, "--rotate-pages", String(pages >> 2)], EXIT.limit);
    const { journals: folder } = crawlPaths(out);
    const { seedLow, seedHigh } = readCrawlState(out)!;
    for (let shard = 0; shard < 16; shard += 2) {
      // The last file is empty.
      const upTo = listJournals(folder)(shard).segments.at(-2);
      if (upTo !== undefined) compactShard({ folder, shard, upTo, seedLow, seedHigh });
    }
    await runTo(["resume", out, "--json", "--quiet", "--max-pages", String(pages * 2)], 0);
  } finally {
    await web.close();
  }
}

async function runTo(args: readonly string[], expected: number): Promise<void> {
  const { code, stderr } = await startCrawl(args).ended;
  if (code !== expected) throw new Error(`${args[0]} ended with ${code}: ${stderr}`);
}

/** What `recover` finds and does, in this process. */
export function recover(out: string): Recovery {
  return recoverFolder(out, readNewestRun(out));
}

/** The same in a process of its own, whose exit code is checked. */
export async function recoverInProcess(
  out: string,
  problem: (what: string) => void,
): Promise<Recovery> {
  const { code, stdout, stderr } = await startCrawl(["recover", out, "--json"]).ended;
  const recovery = JSON.parse(stdout) as Recovery;
  const expected = recovery.damages.length > 0 ? EXIT.corrupt : 0;
  if (code !== expected) problem(`recover ended with ${code}: ${stderr}`);
  return recovery;
}

/** Every file of a folder. */
export function readFiles(out: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(out, name);
    if (statSync(path).isFile()) files.set(path, readFileSync(path));
  }
  return files;
}

/** Restores a folder. */
export function restore(out: string, files: ReadonlyMap<string, Buffer>): void {
  const now = readFiles(out);
  for (const path of now.keys()) if (!files.has(path)) rmSync(path);
  for (const [path, bytes] of files) if (!now.get(path)?.equals(bytes)) writeFileSync(path, bytes);
}
