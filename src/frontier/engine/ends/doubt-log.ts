import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Fingerprint, lateKey } from "./late-ends.ts";

/** Above this a file is left as soon as nothing of the other one is in doubt. */
const MAX_BYTES = 64 * 1024;

/** A block of ends, as the engine knows it. */
export interface SentBlock {
  readonly holder: string;
  readonly partition: number;
  readonly number: number;
  readonly token: string;
}

/** A URL whose end is in the journal, while it is not known here whether the engine has accepted it. */
export interface Doubt extends Fingerprint {
  /** The block that it was sent with; undefined when it never left. */
  readonly sent: SentBlock | undefined;
}

/**
 * The ends of visits that the engine has not confirmed: what a worker that dies leaves in doubt. Each is noted before it is
 * journaled, and again before it is sent. Two files take turns, so that they stay small. They are not synced: they are for
 * the death of a process, and after a power loss of this machine an end that is in doubt counts.
 */
export class DoubtLog {
  readonly #files: readonly number[];
  readonly #paths: readonly string[];
  readonly #bytes = [0, 0];
  /** How many of each file are in doubt. */
  readonly #counts = [0, 0];
  /** In which file a URL was noted last. */
  readonly #noted = new Map<string, number>();
  #current = 0;

  constructor(folder: string, thread: number) {
    this.#paths = pathsOf(folder, thread);
    this.#files = this.#paths.map((path) => openSync(path, "w"));
  }

  /** They are about to be journaled. */
  ended(urls: readonly Fingerprint[]): void {
    this.#note("e", urls);
  }

  /** They are about to be sent. */
  sending({ holder, partition, number, token }: SentBlock, urls: readonly Fingerprint[]): void {
    this.#note(`s ${holder} ${partition} ${number} ${token}`, urls);
  }

  /** The engine has accepted them, or the journal says that it has not. */
  decided(urls: readonly Fingerprint[]): void {
    for (const { low, high } of urls) {
      const key = lateKey(low, high);
      const file = this.#noted.get(key);
      if (file === undefined) continue;
      this.#noted.delete(key);
      this.#counts[file]!--;
    }
  }

  /** What is in doubt stays; otherwise nothing does. */
  close(): void {
    for (const file of this.#files) closeSync(file);
    if (this.#noted.size === 0) for (const path of this.#paths) rmSync(path, { force: true });
  }

  #note(what: string, urls: readonly Fingerprint[]): void {
    if (urls.length === 0) return;
    const other = 1 - this.#current;
    if (this.#bytes[this.#current]! > MAX_BYTES && this.#counts[other] === 0) {
      ftruncateSync(this.#files[other]!);
      this.#bytes[other] = 0;
      this.#current = other;
    }
    const file = this.#current;
    for (const { low, high } of urls) {
      const key = lateKey(low, high);
      const before = this.#noted.get(key);
      if (before !== undefined) this.#counts[before]!--;
      this.#noted.set(key, file);
      this.#counts[file]!++;
    }
    const line = `${what} ${urls.map(({ low, high }) => `${hex(high)}${hex(low)}`).join(" ")}\n`;
    writeSync(this.#files[file]!, line, this.#bytes[file]!);
    this.#bytes[file]! += line.length;
  }
}

/** What a worker's thread left in doubt, the last word about each URL. */
export function readDoubts(folder: string, thread: number): Doubt[] {
  const doubts = new Map<string, Doubt>();
  for (const path of pathsOf(folder, thread)) {
    if (!existsSync(path)) continue;
    // A last line without an end was being written: what it says had not happened.
    for (const line of readFileSync(path, "latin1").split("\n").slice(0, -1)) {
      const words = line.split(" ");
      const sent = words[0] === "s" ? sentOf(words) : undefined;
      for (const id of words.slice(sent === undefined ? 1 : 5)) {
        const [high, low] = [Number.parseInt(id.slice(0, 8), 16), Number.parseInt(id.slice(8), 16)];
        const key = lateKey(low, high);
        // The files are not in order: a URL that was sent was noted before that.
        if (sent === undefined && doubts.get(key)?.sent !== undefined) continue;
        doubts.set(key, { low, high, sent });
      }
    }
  }
  return [...doubts.values()];
}

/** Nothing is in doubt any more. */
export function removeDoubts(folder: string, thread: number): void {
  for (const path of pathsOf(folder, thread)) rmSync(path, { force: true });
}

function sentOf([, holder, partition, number, token]: readonly string[]): SentBlock {
  return { holder: holder!, partition: Number(partition), number: Number(number), token: token! };
}

function pathsOf(folder: string, thread: number): string[] {
  return [0, 1].map((file) => join(folder, `doubts-${thread}.${file}`));
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
