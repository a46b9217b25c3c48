import { headEnd } from "./archived-head.ts";

const MAX_HEADER_BYTES = 1024 * 1024;
const VERSION = /^WARC\/(\d+\.\d+)$/;
const LENGTH = /^\d{1,15}$/;
// RFC 7230 token: what a field name may be made of.
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The header of a WARC record as found, with what is wrong about it. */
export interface WarcHeader {
  version: string;
  /** Names in lower case; of a field given twice the first counts, as readers do. */
  headers: Map<string, string>;
  /** Where the block starts, counted from the first byte of the header. */
  blockStart: number;
  contentLength: number;
  problems: string[];
}

/** Reads the header at the start of the bytes; answers the reason, as a string, when there is none. */
export function parseWarcHeader(bytes: Buffer, atEnd: boolean): WarcHeader | string {
  const problems: string[] = [];
  const start = bytes.subarray(0, 64).toString("latin1");
  if (!start.startsWith("WARC/".slice(0, Math.max(1, start.length))))
    return `not a WARC record: it starts with ${JSON.stringify(start.slice(0, 24))}`;
  const blockStart = headEnd(bytes.subarray(0, MAX_HEADER_BYTES));
  if (blockStart < 0)
    return atEnd && bytes.length < MAX_HEADER_BYTES
      ? "torn: the file ends inside a WARC header"
      : "the WARC header does not end";
  // Behind the last line there are its line end and a blank line.
  const lines = bytes.toString("utf8", 0, blockStart).split("\n").slice(0, -2);
  for (const [i, line] of lines.entries()) {
    if (!line.endsWith("\r")) problems.push(`header line ${i + 1} ends without CR`);
    else lines[i] = line.slice(0, -1);
  }
  const version = VERSION.exec(lines[0]!)?.[1] ?? "";
  if (version === "") problems.push(`bad version line ${JSON.stringify(lines[0]!.slice(0, 40))}`);
  const headers = readFields(lines.slice(1), problems);
  const length = headers.get("content-length") ?? "";
  if (!LENGTH.test(length)) {
    problems.push(`bad or missing Content-Length ${JSON.stringify(length.slice(0, 40))}`);
    return problems.join("; ");
  }
  return { version, headers, blockStart, contentLength: Number(length), problems };
}

function readFields(lines: readonly string[], problems: string[]): Map<string, string> {
  const headers = new Map<string, string>();
  let last = "";
  for (const line of lines) {
    if (/^[ \t]/.test(line) && last !== "") {
      headers.set(last, `${headers.get(last)} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!NAME.test(name)) {
      problems.push(`bad header line ${JSON.stringify(line.slice(0, 60))}`);
      continue;
    }
    last = name.toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!headers.has(last)) headers.set(last, value);
    else if (last !== "warc-concurrent-to") problems.push(`${name} is given twice`);
  }
  return headers;
}
