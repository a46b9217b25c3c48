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

/** Reads the header at the start of the bytes; a string tells why there is none. */
export function parseWarcHeader(bytes: Buffer, atEnd: boolean): WarcHeader | string {
  const problems: string[] = [];
  const start = bytes.subarray(0, 64).toString("latin1");
  if (!start.startsWith("WARC/".slice(0, Math.max(1, start.length))))
    return `not a WARC record: it starts with ${JSON.stringify(start.slice(0, 24))}`;
  const { end, blockStart } = endOfHeader(bytes);
  if (end < 0)
    return atEnd && bytes.length < MAX_HEADER_BYTES
      ? "torn: the file ends inside a WARC header"
      : "the WARC header does not end";
  const text = bytes.toString("utf8", 0, end);
  const lines = text.split("\n").map((line, i) => {
    if (line.endsWith("\r")) return line.slice(0, -1);
    problems.push(`header line ${i + 1} ends without CR`);
    return line;
  });
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

/** The header's end with its last line end, and the block's start behind the blank line. */
function endOfHeader(bytes: Buffer): { end: number; blockStart: number } {
  const window = bytes.subarray(0, MAX_HEADER_BYTES);
  const strict = window.indexOf("\r\n\r\n", 0, "latin1");
  const loose = window.indexOf("\n\n", 0, "latin1");
  if (loose >= 0 && (strict < 0 || loose < strict)) return { end: loose, blockStart: loose + 2 };
  return strict < 0 ? { end: -1, blockStart: -1 } : { end: strict + 1, blockStart: strict + 4 };
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
