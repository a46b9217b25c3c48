import { cdxjFields } from "./cdxj.ts";
import type { Committed } from "./committed.ts";
import { crawlPaths } from "./crawl-folder.ts";
import { readLines } from "./line-reader.ts";
import { replaceFile } from "./replace-file.ts";

const WRITE_CHARS = 256 * 1024;

/**
 * Takes out of index and page list what was never committed: a run that died had listed pages that the next run
 * fetched again. Answers how many lines that were.
 */
export function dropUncommitted(dir: string, committed: Committed): number {
  const { index, pages } = crawlPaths(dir);
  const isIndexed = (line: string) => {
    const { filename, offset } = cdxjFields(line);
    return committed.has(filename!, Number(offset));
  };
  const isListed = (line: string) => {
    const { url, file, offset } = JSON.parse(line);
    return url === undefined || committed.has(file, offset);
  };
  return keepLines(index, isIndexed) + keepLines(pages, isListed);
}

function keepLines(path: string, keep: (line: string) => boolean): number {
  let dropped = 0;
  for (const line of readLines(path)) if (!keep(line)) dropped++;
  if (dropped === 0) return 0;
  replaceFile(path, (file) => {
    let text = "";
    for (const line of readLines(path)) {
      if (keep(line)) text += `${line}\n`;
      if (text.length < WRITE_CHARS) continue;
      file.write(Buffer.from(text, "latin1"));
      text = "";
    }
    file.write(Buffer.from(text, "latin1"));
  });
  return dropped;
}
