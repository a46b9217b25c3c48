import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { surtKey } from "../../url/surt.ts";
import type { EarlierRecord } from "../capture.ts";
import { FileWindow } from "../files/file-window.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { readMember } from "./gzip-reader.ts";
import { parseWarcHeader } from "./warc-header.ts";

/** A whole page of an earlier crawl. */
export interface EarlierPage extends EarlierRecord {
  /** Status line through blank line, one character per byte. */
  readonly head: string;
  readonly body: Buffer;
}

const RECORD_ID = /^<urn:uuid:([0-9a-f-]{36})>$/i;
const MAX_LINE_BYTES = 64 * 1024;

interface IndexFields {
  readonly url?: string;
  readonly status?: string;
  readonly mime?: string;
  readonly filename?: string;
  readonly offset?: string;
}

/**
 * Looks pages up in the folder of an earlier crawl. The index is sorted, so a search in the file finds a line with a
 * few reads and nothing is kept in memory, however large that crawl was.
 */
export class EarlierCrawl {
  readonly #archive: string;
  readonly #index: number;
  readonly #size: number;
  readonly #maxBytes: number;

  constructor(dir: string, maxBytes: number) {
    const paths = crawlPaths(dir);
    this.#archive = paths.archive;
    this.#index = openSync(paths.index, "r");
    this.#size = fstatSync(this.#index).size;
    this.#maxBytes = maxBytes;
  }

  /** The page as that crawl got it last; undefined when it has none that is whole. */
  find(url: CrawlUrl): EarlierPage | undefined {
    let found: IndexFields | undefined;
    for (const line of this.#lines(`${surtKey(url)} `)) {
      const fields = fieldsOf(line);
      if (fields?.url === url && fields.status === "200" && fields.mime !== "warc/revisit")
        found = fields;
    }
    return found === undefined ? undefined : this.#read(url, found);
  }

  close(): void {
    closeSync(this.#index);
  }

  #read(url: CrawlUrl, { filename = "", offset = "" }: IndexFields): EarlierPage | undefined {
    let file: FileWindow | undefined;
    try {
      file = new FileWindow(join(this.#archive, basename(filename)));
      const member = readMember(file, Number(offset), this.#maxBytes);
      return "problem" in member ? undefined : pageOf(member.bytes, url);
    } catch {
      return undefined; // a file that is gone: the page is fetched as if it were new
    } finally {
      file?.close();
    }
  }

  /** The index lines that begin with the key. */
  *#lines(key: string): Generator<string> {
    let at = this.#firstLine(key);
    for (;;) {
      const line = this.#lineAt(at);
      if (line === undefined || !line.startsWith(key)) return;
      yield line;
      at += Buffer.byteLength(line) + 1;
    }
  }

  /** Start of the first line that is not before the key; lines are compared by their bytes. */
  #firstLine(key: string): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const start = this.#lineStart(middle);
      const line = this.#lineAt(start) ?? "";
      if (Buffer.compare(Buffer.from(line), Buffer.from(key)) < 0) {
        low = start + Buffer.byteLength(line) + 1;
      } else high = start;
    }
    return low;
  }

  /** Start of the line that holds the byte. */
  #lineStart(at: number): number {
    for (let from = at; from > 0; ) {
      const count = Math.min(512, from);
      const newline = this.#bytes(from - count, count).lastIndexOf(0x0a);
      from -= count;
      if (newline >= 0) return from + newline + 1;
    }
    return 0;
  }

  #lineAt(start: number): string | undefined {
    if (start >= this.#size) return undefined;
    for (let need = 1024; ; need *= 4) {
      const bytes = this.#bytes(start, need);
      const end = bytes.indexOf(0x0a);
      if (end >= 0) return bytes.toString("utf8", 0, end);
      if (bytes.length < need || need > MAX_LINE_BYTES) return bytes.toString("utf8");
    }
  }

  #bytes(from: number, count: number): Buffer {
    const buffer = Buffer.allocUnsafe(count);
    return buffer.subarray(0, readSync(this.#index, buffer, 0, count, from));
  }
}

function fieldsOf(line: string): IndexFields | undefined {
  try {
    return JSON.parse(line.slice(line.indexOf("{"))) as IndexFields;
  } catch {
    return undefined;
  }
}

/** Takes a response record apart; one that was cut short says nothing about the whole page. */
function pageOf(bytes: Buffer, url: CrawlUrl): EarlierPage | undefined {
  const record = parseWarcHeader(bytes, true);
  if (typeof record === "string") return undefined;
  const { headers, blockStart, contentLength } = record;
  const recordId = RECORD_ID.exec(headers.get("warc-record-id") ?? "")?.[1];
  const isWhole = headers.get("warc-type") === "response" && !headers.has("warc-truncated");
  if (recordId === undefined || !isWhole || headers.get("warc-target-uri") !== url)
    return undefined;
  const block = bytes.subarray(blockStart, blockStart + contentLength);
  const crlf = block.indexOf("\r\n\r\n", 0, "latin1");
  const lf = block.indexOf("\n\n", 0, "latin1");
  const end = crlf >= 0 && (lf < 0 || crlf < lf) ? crlf + 4 : lf + 2;
  if (end < 4 && lf < 0) return undefined;
  return {
    recordId,
    uri: url,
    date: headers.get("warc-date") ?? "",
    payloadDigest: headers.get("warc-payload-digest") ?? "",
    head: block.toString("latin1", 0, end),
    body: Buffer.from(block.subarray(end)),
  };
}
