import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { readPages } from "../support/orbweaver.ts";
import type { EngineCrawl } from "./engine-crawl.ts";

/** What is true of a distributed crawl when all its workers are gone. */
export interface CrawlVerdict {
  readonly figures: {
    readonly pages: number;
    readonly lost: number;
    readonly twice: number;
    readonly refetched: number;
    readonly tooSoon: number;
    /** Pages in archives of workers that do not list them: fetched, and not theirs in the end. */
    readonly unlisted: number;
  };
  readonly problems: string[];
}

/** What may be as it is. */
export interface JudgeOptions {
  /** Pages that there must be, where not all that can be reached. */
  readonly expected?: number;
  /** Most pages that may have been fetched again. */
  readonly maxRefetched: number;
  /** Connections that one host may see at once. */
  readonly perHost?: number;
}

/** Compares archives and lists of all workers with what the web has, and looks at how the web was asked. */
export async function judgeCrawl(
  crawl: EngineCrawl,
  web: RemoteWeb,
  { expected, maxRefetched, perHost = 1 }: JudgeOptions,
): Promise<CrawlVerdict> {
  const problems: string[] = [];
  const { reachable } = await web.truth();
  const wanted = expected ?? reachable;
  const collected = await crawl.collect();
  problems.push(...collected.problems);
  const archived = new Set<string>();
  const listed = new Map<string, number>();
  let unlisted = 0;
  for (const out of crawl.folders) {
    const own = archivedPages(out, (what) => problems.push(what));
    for (const url of own) archived.add(url);
    const lines = listedPages(out);
    unlisted += own.size - new Set(lines).size;
    for (const url of lines) {
      listed.set(url, (listed.get(url) ?? 0) + 1);
      if (!own.has(url)) problems.push(`${url} is listed in ${out} and not in its archive`);
    }
  }
  const twice = [...listed.values()].filter((times) => times > 1).length;
  const pages = new Set(listedPages(collected.out)).size;
  if (pages !== listed.size) problems.push(`${pages} pages are collected, not ${listed.size}`);
  const lost = Math.max(0, wanted - listed.size);
  if (archived.size < wanted) problems.push(`${wanted - archived.size} pages are in no archive`);
  if (listed.size !== wanted) problems.push(`${listed.size} pages are listed, not ${wanted}`);
  if (twice > 0) problems.push(`${twice} pages are listed by two workers`);
  const report = await web.report();
  const { repeated, tooFastCount, tooFast, perHostMaxInFlight } = report;
  if (repeated > maxRefetched) problems.push(`${repeated} pages refetched, of ${maxRefetched}`);
  if (tooFastCount > 0)
    problems.push(`${tooFastCount} requests too soon, such as ${JSON.stringify(tooFast[0])}`);
  if (perHostMaxInFlight > perHost)
    problems.push(`a host saw ${perHostMaxInFlight} requests at once`);
  return {
    figures: {
      ...{ pages: listed.size, lost, twice, refetched: repeated },
      ...{ tooSoon: tooFastCount, unlisted },
    },
    problems: problems.slice(0, 20),
  };
}

/** Pages in the archives of a worker, which may have died while it wrote the last one. */
function archivedPages(out: string, problem: (what: string) => void): Set<string> {
  const found = new Set<string>();
  const folder = join(out, "archive");
  if (!existsSync(folder)) return found;
  for (const file of readdirSync(folder).sort()) {
    const isOpen = !file.endsWith(".warc.gz");
    try {
      for (const { headers, problems } of readWarc(join(folder, file))) {
        if (problems.length > 0 && !isOpen) problem(`${out} ${file}: ${problems[0]}`);
        const uri = headers.get("warc-target-uri");
        const type = headers.get("warc-type");
        if (uri !== undefined && (type === "response" || type === "revisit")) found.add(uri);
      }
    } catch (error) {
      // The record that a killed worker was writing.
      if (!isOpen) problem(`${out} ${file}: ${(error as Error).message}`);
    }
  }
  return found;
}

function listedPages(out: string): string[] {
  if (!existsSync(join(out, "pages/pages.jsonl"))) return [];
  return readPages(out).map(({ url }) => url);
}
