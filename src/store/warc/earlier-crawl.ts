import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { surtKey } from "../../url/surt.ts";
import type { EarlierRecord } from "../capture.ts";
import { FileWindow } from "../files/file-window.ts";
import { parseJson } from "../files/jsonl.ts";
import { SortedLines } from "../files/sorted-lines.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { headEnd } from "./archived-head.ts";
import { generationsOf } from "./earlier-folders.ts";
import { readMember } from "./gzip-reader.ts";
import { parseWarcHeader } from "./warc-header.ts";

/** A whole page of an earlier crawl. */
export interface EarlierPage extends Omit<EarlierRecord, "payloadSha256"> {
  /** Status line through blank line, one character per byte. */
  readonly head: string;
  readonly body: Buffer;
}

/** What an index calls records that stand for an equal or unchanged one; with status 200 it is equal. */
const REVISIT = "warc/revisit";
const RECORD_ID = /^<urn:uuid:([0-9a-f-]{36})>$/i;

interface IndexFields {
  readonly url?: string;
  readonly status?: string;
  readonly mime?: string;
  readonly filename?: string;
  readonly offset?: string;
}

/**
 * Looks pages up in the folder of an earlier crawl. What that crawl did not get again, because it had not changed, is
 * looked up in the one before it, and so on. An index is sorted, so a search in the file finds a line with a few reads, and
 * nothing is kept in memory, however large those crawls were.
 */
export class EarlierCrawl {
  readonly #generations: readonly Generation[];

  constructor(dir: string, maxBytes: number) {
    const folders = generationsOf(dir).filter((each) => existsSync(crawlPaths(each).index));
    this.#generations = folders.map((each) => new Generation(each, maxBytes));
  }

  /** The page as it was fetched last; undefined when nobody has a whole copy. */
  find(url: CrawlUrl): EarlierPage | undefined {
    for (const generation of this.#generations) {
      const found = generation.find(url);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  close(): void {
    for (const generation of this.#generations) generation.close();
  }
}

/** One crawl folder. */
class Generation {
  readonly #archive: string;
  readonly #index: SortedLines;
  readonly #maxBytes: number;

  constructor(dir: string, maxBytes: number) {
    const { archive, index } = crawlPaths(dir);
    this.#archive = archive;
    this.#index = new SortedLines(index);
    this.#maxBytes = maxBytes;
  }

  find(url: CrawlUrl): EarlierPage | undefined {
    let found: IndexFields | undefined;
    for (const line of this.#index.all(`${surtKey(url)} `)) {
      const fields = fieldsOf(line);
      if (fields?.url === url && fields.status === "200") found = fields;
    }
    if (found === undefined) return undefined;
    return found.mime === REVISIT ? this.#sameAs(url, found) : this.#read(url, found, pageOf);
  }

  /** A page whose body another record of that crawl has: its own head with that body. */
  #sameAs(url: CrawlUrl, revisit: IndexFields): EarlierPage | undefined {
    const own = this.#read(url, revisit, revisitOf);
    if (own === undefined) return undefined;
    for (const line of this.#index.all(`${surtKey(own.uri)} ${own.time} `)) {
      const fields = fieldsOf(line);
      if (fields?.url !== own.uri || fields.mime === REVISIT) continue;
      const whole = this.#read(own.uri, fields, pageOf);
      if (whole?.recordId === own.recordId) return { ...whole, head: own.head };
    }
    return undefined;
  }

  close(): void {
    this.#index.close();
  }

  #read<Found>(
    url: string,
    { filename = "", offset = "" }: IndexFields,
    takeApart: (bytes: Buffer, url: string) => Found | undefined,
  ): Found | undefined {
    let file: FileWindow | undefined;
    try {
      file = new FileWindow(join(this.#archive, basename(filename)));
      const member = readMember(file, Number(offset), this.#maxBytes);
      return "problem" in member ? undefined : takeApart(member.bytes, url);
    } catch {
      return undefined; // a file that is gone: the page is fetched as if it were new
    } finally {
      file?.close();
    }
  }
}

function fieldsOf(line: string): IndexFields | undefined {
  return parseJson(line.slice(line.indexOf(" {") + 1)) as IndexFields | undefined;
}

/** The head of a page that was kept as equal to another one, and which record that is. */
function revisitOf(bytes: Buffer, url: string) {
  const record = parseWarcHeader(bytes, true);
  if (typeof record === "string") return undefined;
  const { headers, blockStart, contentLength } = record;
  const block = bytes.subarray(blockStart, blockStart + contentLength);
  const end = headEnd(block);
  const recordId = RECORD_ID.exec(headers.get("warc-refers-to") ?? "")?.[1];
  if (recordId === undefined || end < 0 || headers.get("warc-target-uri") !== url) return undefined;
  return {
    recordId,
    uri: headers.get("warc-refers-to-target-uri") ?? "",
    time: (headers.get("warc-refers-to-date") ?? "").replace(/\D/g, "").slice(0, 14),
    head: block.toString("latin1", 0, end),
  };
}

/** Takes a response record apart; undefined for one that was cut short, because the whole page is not known then. */
function pageOf(bytes: Buffer, url: string): EarlierPage | undefined {
  const record = parseWarcHeader(bytes, true);
  if (typeof record === "string") return undefined;
  const { headers, blockStart, contentLength } = record;
  const recordId = RECORD_ID.exec(headers.get("warc-record-id") ?? "")?.[1];
  const isWhole = headers.get("warc-type") === "response" && !headers.has("warc-truncated");
  const block = bytes.subarray(blockStart, blockStart + contentLength);
  const end = headEnd(block);
  if (recordId === undefined || !isWhole || end < 0 || headers.get("warc-target-uri") !== url)
    return undefined;
  return {
    recordId,
    uri: url,
    date: headers.get("warc-date") ?? "",
    payloadDigest: headers.get("warc-payload-digest") ?? "",
    head: block.toString("latin1", 0, end),
    body: Buffer.from(block.subarray(end)),
  };
}
