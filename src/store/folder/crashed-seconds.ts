import { existsSync, statSync } from "node:fs";
import { FileWindow } from "../files/file-window.ts";
import { parseJson } from "../files/jsonl.ts";
import { crawlPaths, withParts } from "./crawl-folder.ts";

const TAIL_BYTES = 64 * 1024;

/** A run that was killed: when it began, if that is known, to when it last wrote. */
export function crashedSeconds(dir: string, began: string | undefined): number {
  if (began === undefined) return 0;
  let last = Date.parse(began);
  for (const log of withParts(crawlPaths(dir).log)) last = Math.max(last, lastTime(log));
  return (last - Date.parse(began)) / 1000;
}

/** The time in the last whole line of a log; 0 when there is none. */
function lastTime(path: string): number {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  const file = new FileWindow(path);
  const text = file.slice(Math.max(0, file.size - TAIL_BYTES), file.size).toString("latin1");
  file.close();
  for (const line of text.split("\n").slice(0, -1).reverse()) {
    const { time } = (parseJson(line) ?? {}) as { time?: string };
    if (time !== undefined) return Date.parse(time) || 0;
  }
  return 0;
}
