import { isPlainJson, jsonLine } from "../../store/files/jsonl.ts";
import type { OutcomeLine } from "../visit/visit-outcome.ts";

/**
 * A line of the log as `jsonLine` writes it. That of a page in which nothing is unusual is composed of its texts, which
 * costs a fifth.
 */
export function logText(line: Partial<OutcomeLine>): string {
  const { time, url, outcome, depth, via, parent, status, mime, bytes, ms } = line;
  const isUsual =
    outcome === "page" &&
    line.attempt === undefined &&
    line.error === undefined &&
    line.detail === undefined &&
    line.location === undefined &&
    line.truncated === undefined &&
    line.insecure === undefined &&
    line.robots === undefined &&
    line.urls === undefined &&
    line.links_dropped === undefined;
  if (!isUsual || !isPlainJson(`${url}${mime}${parent ?? ""}`)) return jsonLine(line);
  const source = parent === undefined ? "" : `,"parent":"${parent}"`;
  return `{"time":"${time}","url":"${url}","outcome":"page","depth":${depth},"via":"${via}"${source},"status":${status},"mime":"${mime}","bytes":${bytes},"ms":${ms}}`;
}
