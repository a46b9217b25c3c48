import { existsSync } from "node:fs";
import { join } from "node:path";
import { surtKey } from "../../url/surt.ts";
import { FileWindow } from "../files/file-window.ts";
import { SortedLines } from "../files/sorted-lines.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { cdxjFields } from "../lists/cdxj.ts";
import { headOf } from "../warc/archived-head.ts";
import { generationsOf } from "../warc/earlier-folders.ts";
import { plainBody } from "../warc/plain-body.ts";
import { readRecordAt, type WarcRecord } from "../warc/warc-reader.ts";
import { NOT_MODIFIED } from "../warc/warc-record.ts";

/** An answer as the archive gives it back. */
export interface ArchivedAnswer {
  /** Its head through the blank line, one character per byte. */
  readonly head: string;
  /** As a browser would see it: without its content coding. */
  readonly body: Uint8Array;
}

/**
 * Reads the bodies of pages out of the archive of a crawl; a revisit leads to the record that holds its payload, which may be
 * in the folder of an earlier crawl.
 */
export class Payloads {
  readonly #dir: string;
  readonly #archive: string;
  readonly #index: SortedLines;
  readonly #open = new Map<string, FileWindow>();
  /** The crawls that this one was a recrawl of, once they are needed. */
  #earlier: readonly Payloads[] | undefined;

  constructor(dir: string) {
    const { archive, index } = crawlPaths(dir);
    this.#dir = dir;
    this.#archive = archive;
    this.#index = new SortedLines(index);
  }

  /** The body of the page at this place as a browser would see it; undefined when it is not to be had. */
  at(file: string, offset: number): Uint8Array | undefined {
    return this.answerAt(file, offset)?.body;
  }

  /** The same with the head that belongs to the body. */
  answerAt(file: string, offset: number): ArchivedAnswer | undefined {
    const record = this.#record(file, offset);
    const whole = record?.type === "revisit" ? this.#whole(record) : record;
    return whole?.type === "response" ? answerOf(whole) : undefined;
  }

  close(): void {
    this.#index.close();
    for (const other of this.#earlier ?? []) other.close();
    for (const file of this.#open.values()) file.close();
  }

  #whole(record: WarcRecord): WarcRecord | undefined {
    const own = this.#referred(record);
    if (own !== undefined || record.headers.get("warc-profile") !== NOT_MODIFIED) return own;
    this.#earlier ??= generationsOf(this.#dir)
      .slice(1)
      .filter((dir) => existsSync(crawlPaths(dir).index))
      .map((dir) => new Payloads(dir));
    for (const other of this.#earlier) {
      const found = other.#referred(record);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #referred({ headers }: WarcRecord): WarcRecord | undefined {
    const uri = headers.get("warc-refers-to-target-uri") ?? "";
    const time = (headers.get("warc-refers-to-date") ?? "").replace(/\D/g, "").slice(0, 14);
    for (const line of this.#index.all(`${surtKey(uri)} ${time} `)) {
      const { url, mime, filename, offset } = cdxjFields(line);
      if (url !== uri || mime === "warc/revisit") continue;
      const record = this.#record(filename!, Number(offset));
      if (record?.headers.get("warc-record-id") === headers.get("warc-refers-to")) return record;
    }
    return undefined;
  }

  #record(file: string, offset: number): WarcRecord | undefined {
    let window = this.#open.get(file);
    if (window === undefined) {
      // Archives have many files, a process few places for open ones.
      for (const [name, other] of this.#open) {
        if (this.#open.size < 8) break;
        other.close();
        this.#open.delete(name);
      }
      window = new FileWindow(join(this.#archive, file));
      this.#open.set(file, window);
    }
    return readRecordAt(window, offset);
  }
}

function answerOf({ block }: WarcRecord): ArchivedAnswer {
  const head = headOf(block);
  return { head, body: plainBody(Buffer.from(head, "latin1"), block.subarray(head.length)) };
}
