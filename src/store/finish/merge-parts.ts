import { existsSync, statSync } from "node:fs";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { FileWindow } from "../files/file-window.ts";
import { chunksOf, readLines } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { sortLines } from "../files/sort-lines.ts";
import { removeIfThere } from "../files/system-calls.ts";
import { writeLines } from "../files/write-lines.ts";
import { crawlPaths, partsOf, withParts } from "../folder/crawl-folder.ts";
import { graphPaths } from "../folder/graph-facts.ts";
import { finishGraph } from "../graph/link-graph.ts";
import { mergeCdxj } from "../lists/cdxj.ts";
import { unmergedBytes } from "../rows/merge-rows.ts";

const REDIRECT = '"via":"redirect"';
const URL_OF_LINE = /^\{"url":"(?:[^"\\]|\\.)*"/;

/**
 * Joins what the builders wrote, after all of them have closed: index, skipped report and link graph sorted, pages and
 * log appended. Parts are removed once their content is durable elsewhere; interrupted at any point, by a limit as well,
 * a second call ends with the same files. Answers the lines of the index; undefined when there was nothing to join.
 */
export function mergeParts(dir: string, limit: TimeLimit = NO_LIMIT): number | undefined {
  const paths = crawlPaths(dir);
  const indexed = join(paths.index, (parts, out) => mergeCdxj(parts, out, limit));
  append(paths.pages, limit);
  append(paths.log, limit);
  join(paths.skipped, (parts, out) =>
    sortLines(parts, out, {
      // Who redirects there matters to a later look.
      sameWhen: (line) => (line.includes(REDIRECT) ? line : (URL_OF_LINE.exec(line)?.[0] ?? line)),
      prefer: shallower,
      limit,
    }),
  );
  finishGraph(dir, limit);
  return indexed;
}

const DEPTH = /,"depth":(\d+),/;

/** Of two lines about one link the one that a later look has the best chance with. */
function shallower(a: string, b: string): string {
  const depthOf = (line: string) => Number(DEPTH.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
  return depthOf(b) < depthOf(a) ? b : a;
}

/** Goes over the merged list of skipped links once more: what `judge` makes a text stays, the others leave the list. */
export function judgeSkipped(dir: string, judge: (line: string) => unknown): void {
  const { skipped } = crawlPaths(dir);
  if (!existsSync(skipped)) return;
  replaceFile(skipped, (file) => writeLines(file, stillSkipped(readLines(skipped), judge)));
}

function* stillSkipped(
  lines: Iterable<string>,
  judge: (line: string) => unknown,
): Generator<string, void> {
  for (const line of lines) {
    const now = judge(line);
    if (typeof now === "string") yield now;
  }
}

/** Bytes that `mergeParts` and `mergeRows` would have to read. */
export function unfinishedBytes(dir: string): number {
  const { index, skipped, pages, log } = crawlPaths(dir);
  const { nodes, out } = graphPaths(dir);
  const files = [index, skipped, pages, log, nodes, out].filter((path) => partsOf(path).length > 0);
  const rows = unmergedBytes(dir);
  return files.flatMap(withParts).reduce((sum, file) => sum + statSync(file).size, rows);
}

/** Repeating a merge changes nothing, because equal lines are written once. */
function join(path: string, merge: (parts: string[], out: string) => number): number | undefined {
  const parts = partsOf(path);
  if (parts.length === 0 && existsSync(path)) return undefined;
  const lines = merge(withParts(path), path);
  for (const part of parts) removeIfThere(part);
  return lines;
}

function append(path: string, limit: TimeLimit): void {
  const parts = partsOf(path);
  // Parts are removed in order, so those that an interrupted call left are the end of the file.
  if (parts.length > 0 && !endsWith(path, parts)) {
    replaceFile(path, (file) => {
      for (const source of withParts(path))
        for (const chunk of chunksOf(source)) {
          limit.check();
          file.write(chunk);
        }
    });
  }
  for (const part of parts) removeIfThere(part);
}

function endsWith(path: string, parts: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  const file = new FileWindow(path);
  try {
    const bytes = parts.reduce((sum, part) => sum + statSync(part).size, 0);
    let at = file.size - bytes;
    if (at < 0 || bytes === 0) return false;
    for (const part of parts) {
      for (const chunk of chunksOf(part)) {
        if (!file.slice(at, at + chunk.length).equals(chunk)) return false;
        at += chunk.length;
      }
    }
    return true;
  } finally {
    file.close();
  }
}
