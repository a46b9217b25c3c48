import { parseJson } from "../files/jsonl.ts";
import { readLines } from "../files/read-file.ts";

/** A line of logs/crawl.jsonl, as far as the lists need it. */
export interface LogLine {
  readonly url: string;
  readonly via?: string;
  readonly parent?: string;
  readonly outcome?: string;
  readonly file?: string;
  readonly offset?: number;
}

/** In lines that name a record. Within a JSON string the quotation marks would have backslashes. */
const RECORD = ',"file":"';
const NOT_ASCII = /[\x80-\xff]/;
// A line as we write it, without escapes; parsing every line takes three times as long.
const START =
  /^\{"time":"[^"\\]*","url":"([^"\\\x80-\xff]*)","outcome":"([a-z]+)","depth":\d+,"via":"([a-z]+)"(?:,"parent":"([^"\\\x80-\xff]*)"|(?!,"parent"))[,}]/;
const END = /,"file":"([^"\\\x80-\xff]*)","offset":(\d+)\}$/;

/** Lines of the log that name a record, or those that do not; the others are skipped without parsing them. */
export function* logLines(paths: readonly string[], withRecord: boolean): Generator<LogLine, void> {
  for (const path of paths) {
    for (const line of readLines(path)) {
      if (namesRecord(line) !== withRecord) continue;
      const one = plainLine(line, withRecord) ?? parsedLine(line);
      if (one !== undefined) yield one;
    }
  }
}

/** Whether a line names a record. */
export function namesRecord(line: string): boolean {
  return line.includes(RECORD);
}

/** The record that a line names, by regular expression; undefined when it has to be parsed. */
export function plainRecord(line: string): Pick<LogLine, "file" | "offset"> | undefined {
  const end = END.exec(line);
  return end === null ? undefined : { file: end[1]!, offset: Number(end[2]) };
}

/** The fields of a line by regular expression; undefined when it has to be parsed. */
export function plainLine(line: string, withRecord: boolean): LogLine | undefined {
  const start = START.exec(line);
  const where = withRecord ? plainRecord(line) : {};
  if (start === null || where === undefined) return undefined;
  const [, url, outcome, via, parent] = start as unknown as [string, ...string[]];
  const found = { url: url!, outcome: outcome!, via: via! };
  return { ...found, ...(parent === undefined ? {} : { parent }), ...where };
}

/** Undefined for a damaged line; `Committed.unnamed` counts the URL that it should have named. */
export function parsedLine(line: string): LogLine | undefined {
  const text = NOT_ASCII.test(line) ? Buffer.from(line, "latin1").toString("utf8") : line;
  return parseJson(text) as LogLine | undefined;
}
