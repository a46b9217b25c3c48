import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileWork, syncOfFolder } from "../../runtime/file-work.ts";
import { JsonlFile, jsonText, parseJson } from "../files/jsonl.ts";
import { readLines } from "../files/read-file.ts";
import { succeeds } from "../files/system-calls.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";

/*
 * What handlers pushed waits in parts until its pages are known to be committed, because a page and its rows count
 * together. A part belongs to one builder thread of one run, so nothing is ever written behind what a crash left.
 *
 *   TAB {"file":"a.warc.gz","offset":120,"url":"http://…","rows":[["data",2],["prices",1]]}
 *   row of data
 *   row of data
 *   row of prices
 *
 * No JSON text begins with a TAB, so a group that was never finished ends where the next one begins.
 */

const HEAD = "\t";
const PART = /^rows-\d{13}-\d+-[0-9a-f]{8}\.part$/;

/** The rows of one page: where its record lies, and the rows of each name in the order in which they were pushed. */
export interface RowGroup {
  readonly file: string;
  readonly offset: number;
  readonly url: string;
  /** Lines without their ends, one character per byte. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
}

/** What a handler pushed for one page, as bytes: the names with their numbers, then the rows; every line has its end. */
export function packRows(rows: ReadonlyMap<string, readonly string[]>): string {
  const names = [...rows].map(([name, lines]) => `[${jsonText(name)},${lines.length}]`);
  return `[${names.join(",")}]\n${[...rows.values()].flat().join("\n")}\n`;
}

/** A part that one builder thread writes. */
export class RowPart {
  readonly #file: JsonlFile;
  readonly #folders: readonly string[];
  #isNamed = false;

  constructor(folder: string, thread: number) {
    const { data } = crawlPaths(folder);
    succeeds(() => mkdirSync(data), "EEXIST");
    const name = `rows-${String(Date.now()).padStart(13, "0")}-${thread}-${randomBytes(4).toString("hex")}.part`;
    this.#file = new JsonlFile(join(data, name));
    this.#folders = [data, dirname(data)];
  }

  get isDue(): boolean {
    return this.#file.isDue;
  }

  /** Takes what `packRows` made for the page at a place; writes nothing. */
  hold(file: string, offset: number, url: string, packed: Uint8Array): void {
    const names = packed.indexOf(0x0a);
    const text = Buffer.from(packed.buffer, packed.byteOffset, names).toString("utf8");
    const place = `"file":${jsonText(file)},"offset":${offset},"url":${jsonText(url)}`;
    this.#file.hold(`${HEAD}{${place},"rows":${text}}`);
    this.#file.holdParts(packed.subarray(names + 1, packed.length - 1), "");
  }

  flushing(): FileWork {
    return this.#file.flushing();
  }

  /** Rows survive a power loss, and so does the name of their file. */
  *syncing(): FileWork {
    yield* this.#file.syncing();
    if (this.#isNamed) return;
    for (const folder of this.#folders) yield* syncOfFolder(folder);
    this.#isNamed = true;
  }

  *closing(): FileWork {
    yield* this.syncing();
    yield* this.#file.closing();
  }
}

/** The parts of a crawl, the oldest first. */
export function rowParts(dir: string): string[] {
  const { data } = crawlPaths(dir);
  if (!existsSync(data)) return [];
  const names = readdirSync(data).filter((name) => PART.test(name));
  return names.sort().map((name) => join(data, name));
}

interface Head extends Omit<RowGroup, "rows"> {
  readonly rows: readonly (readonly [name: string, count: number])[];
}

/** The groups of a part that are whole. What a crash left of others is passed over. */
export function* readRowPart(path: string): Generator<RowGroup, void> {
  let head: Head | undefined;
  let lines: string[] = [];
  let missing = 0;
  for (const line of readLines(path)) {
    if (line.startsWith(HEAD)) {
      head = headOf(line);
      lines = [];
      missing = head?.rows.reduce((sum, [, count]) => sum + count, 0) ?? 0;
    } else if (head !== undefined) {
      lines.push(line);
      missing--;
    }
    if (head === undefined || missing > 0) continue;
    yield groupOf(head, lines);
    head = undefined;
  }
}

function headOf(line: string): Head | undefined {
  return parseJson(Buffer.from(line, "latin1").toString("utf8")) as Head | undefined;
}

function groupOf({ file, offset, url, rows }: Head, lines: readonly string[]): RowGroup {
  const byName = new Map<string, readonly string[]>();
  let at = 0;
  for (const [name, count] of rows) {
    byName.set(name, lines.slice(at, at + count));
    at += count;
  }
  return { file, offset, url, rows: byName };
}
