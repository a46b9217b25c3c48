import { statSync, truncateSync } from "node:fs";
import { lastFingerprint } from "../../hash/fingerprint.ts";
import { PRINT_WORDS } from "../../page-engine/packed-links.ts";
import { doNow, type FileWork } from "../../runtime/file-work.ts";
import { AppendFile } from "../files/append-file.ts";
import { JsonlFile } from "../files/jsonl.ts";
import { safePage } from "../files/safe-text.ts";
import { partOf } from "../folder/crawl-folder.ts";
import { graphFacts, graphId, graphPaths, type IdRules } from "../folder/graph-facts.ts";
import { LINK_END, LINK_START, type LinkList, type LinkPrints } from "../link-list.ts";
import { type FileWriter, fileWriter, type ListEntry, type WriterOptions } from "../writer.ts";
import { EDGE_BYTES, EDGE_WORDS } from "./edge-file.ts";
import { RecentIds } from "./recent-ids.ts";

const FLUSH_EDGES = 16 * 1024;
const ID_BYTES = Buffer.alloc(8) as Buffer & { hexSlice(start: number, end: number): string };
const ID_VIEW = new DataView(ID_BYTES.buffer, ID_BYTES.byteOffset);

/** An id as text: 16 hexadecimal digits. */
export function idText(high: number, low: number): string {
  ID_VIEW.setUint32(0, high);
  ID_VIEW.setUint32(4, low);
  return ID_BYTES.hexSlice(0, 8);
}

/** The link graph of a crawl, as one builder streams it. */
export function openGraph({
  folder,
  thread,
  doWork,
}: Pick<WriterOptions, "folder" | "thread" | "doWork">): FileWriter<ListEntry, LinkLog> {
  const { facts, out, nodes } = graphPaths(folder);
  const log = new LinkLog(graphFacts(facts), partOf(out, thread), partOf(nodes, thread));
  return fileWriter(log, doWork, (entry: ListEntry) => {
    if (entry.kind === "capture" && entry.outlinks.length > 0) log.page(entry.url, entry.outlinks);
    return log.isDue;
  });
}

/**
 * The part of the link graph that one builder streams: edges as pairs of ids, and the URL of each id. A URL may be
 * written again after a while; `finishGraph` sorts and removes duplicates.
 */
export class LinkLog {
  /** What makes the ids. */
  readonly rules: IdRules;
  readonly #edges: AppendFile;
  readonly #names: JsonlFile;
  #waiting = new Uint32Array(FLUSH_EDGES * EDGE_WORDS);
  #used = 0;
  /** Ids whose names are in the list. */
  #named = new RecentIds();

  constructor(rules: IdRules, edgesPath: string, namesPath: string) {
    this.rules = rules;
    // Half an edge that a crash left would shift all that follow.
    const size = statSync(edgesPath, { throwIfNoEntry: false })?.size ?? 0;
    if (size % EDGE_BYTES !== 0) truncateSync(edgesPath, size - (size % EDGE_BYTES));
    this.#edges = new AppendFile(edgesPath, "append");
    this.#names = new JsonlFile(namesPath);
  }

  /** Whether so much waits that it should be flushed. */
  get isDue(): boolean {
    return this.#names.isDue || this.#used >= FLUSH_EDGES * EDGE_WORDS;
  }

  /** Remembers named ids in this memory, which another writer of the same files shares; before the first page. */
  shareNamed(words: Uint32Array): void {
    this.#named = new RecentIds(words);
  }

  /** Takes edges as they are in the file, and lines of names. */
  hold(edges: Uint8Array, names: Uint8Array): void {
    this.#names.holdLines(names);
    this.#reserve(edges.length / EDGE_BYTES);
    new Uint8Array(this.#waiting.buffer).set(edges, this.#used * 4);
    this.#used += (edges.length / EDGE_BYTES) * EDGE_WORDS;
  }

  /** Adds a page with its links; writes nothing. */
  page(url: string, links: LinkList): void {
    const { length, prints } = links;
    const { rules } = this;
    this.#reserve(length);
    const safe = safePage(url);
    graphId(safe, rules);
    const { high, low } = lastFingerprint;
    if (this.#named.add(high, low)) this.#name(high, low, safe);
    const isMade =
      prints !== undefined &&
      rules.version === 2 &&
      prints.seedLow >>> 0 === rules.seedLow >>> 0 &&
      prints.seedHigh >>> 0 === rules.seedHigh >>> 0;
    if (isMade) this.#addPrints(high, low, links, prints);
    else this.#addLines(high, low, links);
  }

  #reserve(edges: number): void {
    const needed = this.#used + edges * EDGE_WORDS;
    if (needed <= this.#waiting.length) return;
    const larger = new Uint32Array(Math.max(needed, 2 * this.#waiting.length));
    larger.set(this.#waiting.subarray(0, this.#used));
    this.#waiting = larger;
  }

  /** Adds the edges of a page to links whose ids are known. */
  #addPrints(
    high: number,
    low: number,
    { lines, length }: LinkList,
    { words, from }: LinkPrints,
  ): void {
    const named = this.#named;
    const waiting = this.#waiting;
    let used = this.#used;
    let nameAt = LINK_START.length;
    for (let at = from; at < from + length * PRINT_WORDS; at += PRINT_WORDS) {
      const targetLow = words[at]!;
      const targetHigh = words[at + 1]!;
      const nameEnd = words[at + 2]!;
      waiting[used] = high;
      waiting[used + 1] = low;
      waiting[used + 2] = targetHigh;
      waiting[used + 3] = targetLow;
      used += EDGE_WORDS;
      if (named.add(targetHigh, targetLow))
        this.#name(targetHigh, targetLow, lines.toString("latin1", nameAt, nameEnd));
      nameAt = nameEnd + LINK_END.length + LINK_START.length;
    }
    this.#used = used;
  }

  #name(high: number, low: number, url: string): void {
    this.#names.hold(`${idText(high, low)} ${url}`);
  }

  /** The same for links of which only the lines are there. */
  #addLines(high: number, low: number, { lines, length }: LinkList): void {
    for (let i = 0, from = LINK_START.length; i < length; i++) {
      const end = lines.indexOf(LINK_END, from);
      const name = lines.toString("latin1", from, end);
      graphId(name, this.rules);
      const { high: targetHigh, low: targetLow } = lastFingerprint;
      if (this.#named.add(targetHigh, targetLow)) this.#name(targetHigh, targetLow, name);
      this.#waiting.set([high, low, targetHigh, targetLow], this.#used);
      this.#used += EDGE_WORDS;
      from = end + LINK_END.length + LINK_START.length;
    }
  }

  /** Hands everything to the operating system. */
  *flushing(): FileWork {
    yield* this.#names.flushing();
    if (this.#used === 0) return;
    yield* this.#edges.writing(new Uint8Array(this.#waiting.buffer, 0, this.#used * 4));
    this.#used = 0;
  }

  /** Makes everything so far survive a power loss. */
  *syncing(): FileWork {
    yield* this.flushing();
    yield* this.#names.syncing();
    yield* this.#edges.syncing();
  }

  /** Writes what is left, syncs and closes. */
  *closing(): FileWork {
    yield* this.syncing();
    yield* this.#names.closing();
    yield* this.#edges.closing();
  }

  /** Writes what is left, syncs and closes before it returns. */
  close(): void {
    doNow(this.closing());
  }
}
