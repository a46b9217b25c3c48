import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { print } from "../../src/frontier/fingerprint.ts";
import { OUTCOME } from "../../src/frontier/frontier.ts";
import { decodeEvents } from "../../src/frontier/journal/event-cursor.ts";
import { listSegments } from "../../src/frontier/journal/journal-files.ts";
import { readJournal } from "../../src/frontier/journal/journal-reader.ts";
import { urlPrint } from "../../src/frontier/url-print.ts";
import { crawlPaths, readCrawlState } from "../../src/store/crawl-folder.ts";

/** What the journals of a crawl say, and what is wrong with it. */
export interface OnDisk {
  readonly admitted: number;
  readonly done: number;
  /** Fingerprints of what is done. */
  readonly doneNames: ReadonlySet<string>;
  readonly pages: number;
  readonly records: number;
  /** Where the records of what is done are: "file offset". */
  readonly places: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** Reads every journal: each URL admitted once and done once, each record where its done event says. */
export function readOnDisk(out: string): OnDisk {
  const paths = crawlPaths(out);
  const state = readCrawlState(out);
  if (state === undefined) throw new Error("the folder holds no crawl any more");
  const { seedLow, seedHigh } = state;
  const problems: string[] = [];
  const admitted = new Map<string, string>();
  const places = new Set<string>();
  const done = new Set<string>();
  const archives = new OpenArchives(paths.archive);
  let pages = 0;
  let records = 0;
  const shards = new Set(
    readdirSync(paths.journals).map((name) => Number(/^shard-(\d+)\./.exec(name)?.[1])),
  );
  for (const shard of shards) {
    if (Number.isNaN(shard) || listSegments(paths.journals, shard).length === 0) continue;
    for (const batch of readJournal({ folder: paths.journals, shard })) {
      for (const event of decodeEvents(batch)) {
        if (event.kind === "admit") {
          for (const { url } of event.found) {
            urlPrint(url, seedLow, seedHigh);
            const name = `${print.low} ${print.high}`;
            if (admitted.has(name)) problems.push(`${url} is admitted twice`);
            admitted.set(name, url);
          }
        } else if (event.kind === "done") {
          const name = `${event.low} ${event.high}`;
          const url = admitted.get(name) ?? "an unknown URL";
          if (done.has(name)) problems.push(`${url} is done twice`);
          done.add(name);
          if (event.outcome === OUTCOME.page) pages++;
          if (event.where === undefined) continue;
          records++;
          const { file, offset, length } = event.where;
          places.add(`${file} ${offset}`);
          if (!isRecordOf(archives.read(file, offset, length), url)) {
            problems.push(`${url} is not in ${file} at ${offset}`);
          }
        }
      }
    }
  }
  archives.close();
  return {
    admitted: admitted.size,
    done: done.size,
    doneNames: done,
    pages,
    records,
    places,
    problems,
  };
}

/** Files of the archive, also those that their run left open: a long crawl's are too large for memory. */
class OpenArchives {
  readonly #folder: string;
  readonly #files = new Map<string, number | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(file: string, offset: number, length: number): Buffer | undefined {
    if (!this.#files.has(file)) {
      const paths = [file, `${file}.open`].map((name) => join(this.#folder, name));
      const path = paths.find((each) => existsSync(each));
      this.#files.set(file, path === undefined ? undefined : openSync(path, "r"));
    }
    const opened = this.#files.get(file);
    if (opened === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(opened, bytes, 0, length, offset));
  }

  close(): void {
    for (const opened of this.#files.values()) if (opened !== undefined) closeSync(opened);
  }
}

function isRecordOf(bytes: Buffer | undefined, url: string): boolean {
  try {
    const text = gunzipSync(bytes!).toString("latin1");
    return text.startsWith("WARC/1.1\r\n") && text.includes(`WARC-Target-URI: ${url}\r\n`);
  } catch {
    return false;
  }
}
