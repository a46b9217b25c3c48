import { isPlainJson, jsonLine } from "../../store/files/jsonl.ts";
import { type OutcomeLine, timeText } from "../visit/visit-outcome.ts";

/** Whether a line is that of a page in which nothing is unusual: it tells when, which, where from, and how large. */
export function isUsual(line: Partial<OutcomeLine>): boolean {
  return (
    line.outcome === "page" &&
    line.attempt === undefined &&
    line.error === undefined &&
    line.detail === undefined &&
    line.location === undefined &&
    line.truncated === undefined &&
    line.insecure === undefined &&
    line.robots === undefined &&
    line.urls === undefined &&
    line.links_dropped === undefined
  );
}

/** What a usual line tells. */
export type UsualFacts = Pick<
  OutcomeLine,
  "url" | "depth" | "via" | "parent" | "status" | "mime" | "bytes" | "ms"
> & {
  /** When the request began. */
  readonly date: number;
};

/** The usual line of a page. */
export function usualLine({ date, ...facts }: UsualFacts): OutcomeLine<"page"> {
  return { time: timeText(date), outcome: "page", ...facts };
}

/**
 * A line of the log as `jsonLine` writes it. That of a page in which nothing is unusual is composed of its texts, which
 * costs a fifth.
 */
export function logText(line: Partial<OutcomeLine>): string {
  const { time, url, depth, via, parent, status, mime, bytes, ms } = line;
  if (!isUsual(line) || !isPlainJson(`${url}${mime}${parent ?? ""}`)) return jsonLine(line);
  const source = parent === undefined ? "" : `,"parent":"${parent}"`;
  return `{"time":"${time}","url":"${url}","outcome":"page","depth":${depth},"via":"${via}"${source},"status":${status},"mime":"${mime}","bytes":${bytes},"ms":${ms}}`;
}
