import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { HostMemory } from "../../frontier/host-memory.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { ROBOTS_MAX_REDIRECTS } from "./robots-cache.ts";
import { ROBOTS_MAX_BYTES } from "./robots-lines.ts";
import { decodeNote, encodeNote, type NotedRobots, noted, type RobotsNote } from "./robots-note.ts";

/** A larger file, compressed, is not kept: whoever has the host next asks for it again. */
const MAX_KEPT_BYTES = 16 * 1024;
/** A keeper that takes longer is away: the site is asked instead. */
const MAX_WAIT_MS = 1000;
/** The first byte of a note says how the rest is written. */
const PLAIN = 0;
const DEFLATED = 1;
const NAME = "robots ";

/** Answers of robots.txt kept with their hosts, for whoever visits these next. */
export class RobotsShelf {
  readonly #memory: HostMemory;
  readonly #agent: string;

  constructor(memory: HostMemory, agent: string) {
    this.#memory = memory;
    this.#agent = agent;
  }

  /** What the last holder of the host has found out, also when it is time to ask again. */
  async find(key: string): Promise<NotedRobots | undefined> {
    let name = key;
    for (let hops = 0; hops <= ROBOTS_MAX_REDIRECTS; hops++) {
      const note = await this.#recall(name);
      // Only answers are kept.
      if (note === undefined || note.kind === "leads") return undefined;
      if (note.kind !== "same") return noted(note, this.#agent);
      name = note.key;
    }
    return undefined;
  }

  note(key: string, note: RobotsNote): void {
    const bytes = encodeNote(moved(note, this.#memory.aheadMs));
    const packed = bytes.length < 100 ? bytes : deflateRawSync(bytes);
    if (packed.length > MAX_KEPT_BYTES) return;
    const kind = packed === bytes ? PLAIN : DEFLATED;
    this.#memory.keep(hostOf(key), `${NAME}${key}`, Buffer.concat([Uint8Array.of(kind), packed]));
  }

  #recall(key: string): Promise<RobotsNote | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
      this.#memory.recall(hostOf(key), `${NAME}${key}`, (bytes) => {
        clearTimeout(timer);
        resolve(bytes === undefined ? undefined : this.#read(bytes));
      });
    });
  }

  #read(bytes: Uint8Array): RobotsNote {
    const packed = bytes.subarray(1);
    const maxOutputLength = 2 * ROBOTS_MAX_BYTES;
    const plain = bytes[0] === DEFLATED ? inflateRawSync(packed, { maxOutputLength }) : packed;
    // A copy of its own: the answer is part of a larger buffer.
    return moved(decodeNote(Uint8Array.from(plain)), -this.#memory.aheadMs);
  }
}

/** The same with its times on another clock. */
function moved(note: RobotsNote, ms: number): RobotsNote {
  if (note.kind !== "unreachable") return { ...note, expiresAtMs: note.expiresAtMs + ms };
  const { failure } = note;
  return { ...note, failure: { ...failure, retryAtMs: failure.retryAtMs + ms } };
}

/** Of an origin, or of the URL of a file. */
function hostOf(key: string): string {
  return hostnameOf((key.indexOf("/", "https://".length) < 0 ? `${key}/` : key) as CrawlUrl);
}
