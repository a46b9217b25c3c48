import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf, originOf } from "../../url/url-parts.ts";
import type { Host } from "../host.ts";
import { LINK_BYTES, linkEnd } from "../link/link-codec.ts";
import type { WaitingRun } from "../link/waiting-run.ts";

/** Links of a run: enough that reading a run again costs little per link, few enough that it never takes long. */
const MAX_LINKS = 16;

/**
 * Cuts what recovery found waiting into runs of one host and at most 16 links each. Links of a page are mostly of one
 * host: its name is made only when the bytes before the path change.
 */
export class RecoveredHosts {
  readonly #hostOf: (name: string) => Host;
  readonly #restore: (host: Host, run: WaitingRun) => void;
  /** Begins every URL of the host: scheme, name, port and the slash behind them. */
  readonly #origin = new Origin();
  #host: Host | undefined;
  #words: DataView = new DataView(new ArrayBuffer(0));

  /** `restore` must leave the host with something to fetch, so that it stays the one of its name. */
  constructor(hostOf: (name: string) => Host, restore: (host: Host, run: WaitingRun) => void) {
    this.#hostOf = hostOf;
    this.#restore = restore;
  }

  /** Hands out the parts of a run in order, each to its host. */
  take(run: WaitingRun): void {
    const { bytes, to } = run;
    const words = this.#wordsOf(bytes);
    const part = { ...run, links: 0 };
    for (let at = run.from, fingerprint = run.fingerprint; at < to; fingerprint += 8) {
      const from = at + LINK_BYTES;
      const end = linkEnd(bytes, at);
      const isSame = this.#origin.begins(words, from, end);
      if (!isSame || part.links === MAX_LINKS) {
        this.#end(part, at);
        if (!isSame) this.#startHost(bytes.toString("latin1", from, end) as CrawlUrl);
        part.from = at;
        part.fingerprint = fingerprint;
      }
      part.links++;
      at = end;
    }
    this.#end(part, to);
  }

  #end(part: WaitingRun, to: number): void {
    if (part.links === 0) return;
    part.to = to;
    this.#restore(this.#host!, part);
    part.links = 0;
  }

  #startHost(url: CrawlUrl): void {
    this.#host = this.#hostOf(hostnameOf(url));
    this.#host.noteOrigin(url);
    // With the slash, so that a longer name does not pass for this one.
    this.#origin.set(`${originOf(url)}/`);
  }

  /** Usually the same view as before: many runs lie in the same memory. */
  #wordsOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
    const { buffer: last, byteOffset: offset, byteLength: length } = this.#words;
    if (buffer !== last || byteOffset !== offset || byteLength !== length)
      this.#words = new DataView(buffer, byteOffset, byteLength);
    return this.#words;
  }
}

/** The beginning of a URL, compared four bytes at a time: a native call would cost more. */
class Origin {
  readonly #words: number[] = [];
  /** The last four bytes, which may have been compared in part. */
  #last = 0;
  #length = Number.POSITIVE_INFINITY;

  set(text: string): void {
    const bytes = Buffer.from(text, "latin1");
    this.#length = bytes.length;
    this.#last = bytes.readInt32LE(bytes.length - 4);
    this.#words.length = 0;
    for (let at = 0; at + 4 < bytes.length; at += 4) this.#words.push(bytes.readInt32LE(at));
  }

  /** Do the bytes from `from` to `to` begin with it? Nothing begins with what was never set. */
  begins(bytes: DataView, from: number, to: number): boolean {
    if (to - from < this.#length) return false;
    const words = this.#words;
    for (let i = 0; i < words.length; i++)
      if (bytes.getInt32(from + 4 * i, true) !== words[i]) return false;
    return bytes.getInt32(from + this.#length - 4, true) === this.#last;
  }
}
