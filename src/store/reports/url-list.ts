import { hasParent } from "../../frontier/link/link-codec.ts";
import type { WaitingLink } from "../../frontier/link/waiting-run.ts";
import type { AppendFile } from "../files/append-file.ts";
import { safeUri } from "../files/safe-text.ts";

const WRITE_BYTES = 256 * 1024;
/** Longer lines are written by themselves. */
const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 10;
const TAB = 9;
const TOP_BITS = 0x80808080 | 0;

/** Writes the lines of a result list; seeds are counted and left out. */
export class UrlList {
  readonly #file: AppendFile;
  readonly #bytes = Buffer.alloc(WRITE_BYTES + MAX_LINE_BYTES);
  readonly #words = viewOf(this.#bytes);
  #used = 0;
  /** The memory that was copied from last, and a view of it. */
  #source: Uint8Array = this.#bytes;
  #sourceWords = this.#words;
  lines = 0;
  seeds = 0;

  constructor(file: AppendFile) {
    this.#file = file;
  }

  /** Everything that was added, seeds included. */
  get all(): number {
    return this.lines + this.seeds;
  }

  /** A line that is no URL. */
  title(text: string): void {
    this.#put(text);
  }

  /** A line of safe text, which is ASCII. */
  add(line: string, isSeed: boolean): void {
    if (isSeed) this.seeds++;
    else {
      this.lines++;
      this.#put(line);
    }
  }

  /** So many lines of two plain URLs with a tab between them. */
  addPairs(bytes: Uint8Array, count: number): void {
    this.lines += count;
    this.flush();
    this.#file.write(bytes);
  }

  /** A line of two plain URLs, by their places in bytes, with a tab between them. */
  addPair(bytes: Buffer, from: number, to: number, secondFrom: number, secondTo: number): void {
    this.lines++;
    if (to - from + secondTo - secondFrom >= MAX_LINE_BYTES - 1) {
      const second = bytes.toString("latin1", secondFrom, secondTo);
      this.#put(`${bytes.toString("latin1", from, to)}\t${second}`);
      return;
    }
    let at = this.#used + bytes.copy(this.#bytes, this.#used, from, to);
    this.#bytes[at++] = TAB;
    at += bytes.copy(this.#bytes, at, secondFrom, secondTo);
    this.#endLine(at);
  }

  /**
   * A URL as bytes of a journal, without making a string of it: ten million lines must not take ten seconds. Four bytes
   * at a time are copied and checked: as in `safeUri`, printable ASCII without "@" is safe.
   */
  addWaiting(link: WaitingLink): void {
    const { bytes, from, to } = link;
    if (!hasParent(bytes, link.head)) {
      this.seeds++;
      return;
    }
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceWords = viewOf(bytes);
    }
    let at = this.#used;
    let i = from;
    // The top bit of a byte is set in one of these if it is above 0x7e, below 0x21, or "@".
    let odd = to - from >= MAX_LINE_BYTES ? TOP_BITS : 0;
    for (; i + 4 <= to && odd === 0; i += 4, at += 4) {
      const word = this.#sourceWords.getInt32(i, true);
      this.#words.setInt32(at, word, true);
      const at64 = word ^ 0x40404040;
      odd =
        (word | (word + 0x01010101) | (word - 0x21212121) | ((at64 - 0x01010101) & ~at64)) &
        TOP_BITS;
    }
    for (; i < to && odd === 0; i++, at++) {
      const byte = bytes[i]!;
      this.#bytes[at] = byte;
      if (byte < 0x21 || byte > 0x7e || byte === 0x40) odd = TOP_BITS;
    }
    if (odd !== 0) {
      this.add(safeUri(bytes.toString("latin1", from, to)), false);
      return;
    }
    this.lines++;
    this.#endLine(at);
  }

  /** Hands everything to the operating system. */
  flush(): void {
    if (this.#used > 0) this.#file.write(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
  }

  #put(line: string): void {
    if (line.length >= MAX_LINE_BYTES) {
      this.flush();
      this.#file.write(Buffer.from(`${line}\n`, "latin1"));
    } else this.#endLine(this.#used + this.#bytes.write(line, this.#used, "latin1"));
  }

  #endLine(at: number): void {
    this.#bytes[at] = NEWLINE;
    this.#used = at + 1;
    if (this.#used >= WRITE_BYTES) this.flush();
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
