import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { StoreCorruptError } from "../../errors.ts";
import { fingerprint, lastFingerprint, UrlFingerprints } from "../../hash/fingerprint.ts";
import { AppendFile } from "../folder/append-file.ts";
import { replaceFile } from "../folder/replace-file.ts";
import { JsonlWriter, jsonLine } from "../lists/jsonl.ts";
import { safeUri } from "../lists/safe-text.ts";
import { EDGE_BYTES, EDGE_WORDS } from "./edge-file.ts";
import { LINK_END, LINK_START, type LinkList } from "./link-list.ts";
import { RecentIds } from "./recent-ids.ts";

const FLUSH_EDGES = 16 * 1024;
const ID_BYTES = Buffer.alloc(8);
const END_OF_LINK = LINK_END.charCodeAt(0);

/** links/graph.json: what makes the ids of a graph, and how large it is once the crawl has ended. */
export interface GraphFacts {
  readonly version: 1;
  /** An id is the 64-bit fingerprint of a URL with these seeds, random so that nobody can prepare equal ones. */
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly nodes?: number;
  readonly edges?: number;
}

/** The facts of a graph; makes random seeds for one that is new. */
export function graphFacts(path: string): GraphFacts {
  if (existsSync(path)) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as GraphFacts;
    } catch (cause) {
      throw new StoreCorruptError(`${path} is not readable at offset 0`, cause);
    }
  }
  const random = randomBytes(8);
  const facts = {
    version: 1,
    seedLow: random.readInt32LE(0),
    seedHigh: random.readInt32LE(4),
  } as const;
  writeGraphFacts(path, facts);
  return facts;
}

/** Writes links/graph.json. */
export function writeGraphFacts(path: string, facts: GraphFacts): void {
  replaceFile(path, (file) => file.write(Buffer.from(`${jsonLine(facts)}\n`)));
}

/** An id as text: 16 hexadecimal digits. */
export function idText(high: number, low: number): string {
  ID_BYTES.writeUInt32BE(high, 0);
  ID_BYTES.writeUInt32BE(low, 4);
  return ID_BYTES.toString("hex");
}

/**
 * What one builder knows of the link graph, streamed: edges as pairs of ids, and the URL of each id. A URL is named
 * again when it was not met for long; `finishGraph` sorts and writes everything once.
 */
export class LinkLog {
  readonly #facts: GraphFacts;
  readonly #prints: UrlFingerprints;
  readonly #edges: AppendFile;
  readonly #names: JsonlWriter;
  #waiting = new Uint32Array(FLUSH_EDGES * EDGE_WORDS);
  #used = 0;
  /** Ids whose names are in the list. */
  readonly #named = new RecentIds();

  constructor(facts: GraphFacts, edgesPath: string, namesPath: string) {
    this.#facts = facts;
    this.#prints = new UrlFingerprints(facts.seedLow, facts.seedHigh);
    // An edge that a crash cut in two would shift all that follow.
    if (existsSync(edgesPath)) {
      const { size } = statSync(edgesPath);
      if (size % EDGE_BYTES !== 0) truncateSync(edgesPath, size - (size % EDGE_BYTES));
    }
    this.#edges = new AppendFile(edgesPath, "append");
    this.#names = new JsonlWriter(namesPath);
  }

  /** Whether everything must be written before a page with so many links: taking it never meets a full disk. */
  isDue(links: number): boolean {
    return this.#names.due || this.#used + links * EDGE_WORDS > this.#waiting.length;
  }

  /** Adds a page with its links; all of it or, where something had to be written first and could not be, nothing. */
  page(url: string, { lines, length }: LinkList): void {
    if (this.isDue(length)) this.flush();
    if (length * EDGE_WORDS > this.#waiting.length) {
      this.#waiting = new Uint32Array(length * EDGE_WORDS);
    }
    const { seedLow, seedHigh } = this.#facts;
    const safe = safeUri(url);
    fingerprint(safe, seedLow, seedHigh);
    const { high, low } = lastFingerprint;
    if (this.#named.add(high, low)) this.#names.hold(`${idText(high, low)} ${safe}`);
    const waiting = this.#waiting;
    let used = this.#used;
    for (let i = 0, from = LINK_START.length; i < length; i++) {
      const end = this.#prints.until(lines, from, END_OF_LINK);
      if (this.#named.add(lastFingerprint.high, lastFingerprint.low)) {
        const name = lines.toString("latin1", from, end);
        this.#names.hold(`${idText(lastFingerprint.high, lastFingerprint.low)} ${name}`);
      }
      waiting[used] = high;
      waiting[used + 1] = low;
      waiting[used + 2] = lastFingerprint.high;
      waiting[used + 3] = lastFingerprint.low;
      used += EDGE_WORDS;
      from = end + LINK_END.length + LINK_START.length;
    }
    this.#used = used;
  }

  /** Hands everything to the operating system. */
  flush(): void {
    this.#names.flush();
    if (this.#used === 0) return;
    this.#edges.write(new Uint8Array(this.#waiting.buffer, 0, this.#used * 4));
    this.#used = 0;
  }

  /** Returns when everything so far survives a power loss. */
  sync(): void {
    this.flush();
    this.#names.sync();
    this.#edges.sync();
  }

  /** Writes what is left, syncs and closes. */
  close(): void {
    this.sync();
    this.#names.close();
    this.#edges.close();
  }
}
