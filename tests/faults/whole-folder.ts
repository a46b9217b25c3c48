import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { cdxjFields } from "../../src/store/lists/cdxj.ts";
import { readRecords } from "../support/archive.ts";
import { checkLists } from "../support/result-lists.ts";
import { type OnDisk, readOnDisk } from "./on-disk.ts";

/**
 * Reads a crawl folder that nobody writes to, after its end, `recover` or `resume`: every archive closed and valid,
 * every committed record in the index once and nothing else, every page in the page list once, lists that add up.
 */
export function readWhole(out: string): OnDisk {
  const disk = readOnDisk(out);
  const problems = [...disk.problems];
  try {
    for (const { file, offset, problems: bad } of readRecords(crawlPaths(out).archive))
      if (bad.length > 0) problems.push(`${file}:${offset}: ${bad[0]}`);
    problems.push(...indexProblems(out, disk));
    checkLists(out);
  } catch (fault) {
    problems.push((fault as Error).message.replaceAll("\n", " "));
  }
  return { ...disk, problems };
}

/** What a broken program would have left; each change must be noticed. */
const BROKEN: readonly [name: string, breakIt: (out: string) => void][] = [
  [
    "a line of the index is missing",
    (out) => changeLines(crawlPaths(out).index, (l) => l.slice(1)),
  ],
  ["a line of the index is there twice", (out) => changeLines(crawlPaths(out).index, twice)],
  ["a page is not listed", (out) => changeLines(crawlPaths(out).pages, (l) => l.slice(0, -1))],
  ["a URL is not in the lists", (out) => changeLines(crawledOf(out), (l) => l.slice(1))],
  ["a URL is in the lists twice", (out) => changeLines(crawledOf(out), twice)],
  ["the last record is torn", tearRecord],
];

/** Breaks copies of a whole folder; returns what was not noticed. */
export function unnoticed(out: string): string[] {
  return BROKEN.flatMap(([name, breakIt]) => {
    const copy = `${out}-broken`;
    cpSync(out, copy, { recursive: true });
    breakIt(copy);
    const { problems } = readWhole(copy);
    rmSync(copy, { recursive: true });
    return problems.length > 0 ? [] : [`not noticed: ${name}`];
  });
}

const twice = (all: string[]) => [...all, all.at(-1)!];
const crawledOf = (out: string) => join(crawlPaths(out).reports, "crawled.txt");

function changeLines(path: string, change: (lines: string[]) => string[]): void {
  writeFileSync(path, `${change(lines(path)).join("\n")}\n`);
}

function tearRecord(out: string): void {
  const { archive } = crawlPaths(out);
  const path = join(archive, readdirSync(archive).sort().at(-1)!);
  truncateSync(path, statSync(path).size - 5);
}

function indexProblems(out: string, { places, pages }: OnDisk): string[] {
  const problems: string[] = [];
  const { index, pages: pageList } = crawlPaths(out);
  const indexed = new Set<string>();
  for (const line of lines(index)) {
    const { filename, offset } = cdxjFields(line);
    const place = `${filename} ${offset}`;
    if (indexed.has(place)) problems.push(`${place} is indexed twice`);
    if (!places.has(place)) problems.push(`${place} is indexed and not committed`);
    indexed.add(place);
  }
  // Pages of a URL tree are in no index.
  for (const place of places)
    if (!indexed.has(place) && !place.startsWith("tree/"))
      problems.push(`${place} is committed and not in the index`);
  const listed = lines(pageList)
    .slice(1)
    .map((line) => (JSON.parse(line) as { url: string }).url);
  if (new Set(listed).size < listed.length) problems.push("a page is listed twice");
  if (listed.length !== pages) problems.push(`${listed.length} pages listed, ${pages} committed`);
  return problems;
}

function lines(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}
