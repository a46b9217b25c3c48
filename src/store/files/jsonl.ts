import { existsSync, truncateSync } from "node:fs";
import { copyShared } from "../../runtime/copy-shared.ts";
import { doNow, type FileWork } from "../../runtime/file-work.ts";
import { AppendFile, type WriteBytes } from "./append-file.ts";
import { FileWindow } from "./file-window.ts";

const MAX_PENDING_BYTES = 64 * 1024;
const FIRST_BYTES = 4 * 1024;
// What only a very long line needed is given back.
const KEPT_BYTES = 1024 * 1024;
/** UTF-8 takes at most this for a character of a string. */
const BYTES_PER_CHAR = 3;
const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
// JSON.stringify escapes C0 controls and lone surrogates. These are legal in JSON but end a line or
// steer a terminal in programs that read the file as text.
const STRAY = /[\x7f-\x9f\u2028\u2029]/g;

// Printable ASCII without what JSON escapes.
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** An object as one line of JSON without its line end. */
export function jsonLine(value: object): string {
  return escapeStray(JSON.stringify(value));
}

/** Whether a text stands in JSON as it is. */
export function isPlainJson(text: string): boolean {
  return PLAIN.test(text);
}

/** A text as it stands in such a line: composing a line of texts costs less than making an object. */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeStray(JSON.stringify(text));
}

/** JSON in which nothing ends a line or steers a terminal, in programs that read the file as text. */
export function escapeStray(json: string): string {
  return json.replace(STRAY, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts off what a crash left of a last line. */
export function cutTornLine(path: string): void {
  if (!existsSync(path)) return;
  const file = new FileWindow(path);
  let end = file.size;
  for (let start = end; start > 0 && end === start; ) {
    start = Math.max(0, end - TAIL_BYTES);
    end = start + file.slice(start, end).lastIndexOf(NEWLINE) + 1;
  }
  file.close();
  if (end < file.size) truncateSync(path, end);
}

/** What `write` calls after checks that cost a short text as much again. */
type WritableBuffer = Buffer & { utf8Write(text: string, at: number): number };

/**
 * Appends lines to a file with one writer. Lines wait in memory and reach the file whole, many with one write; half a
 * line that a crash left at the end is cut off when the file is opened.
 */
export class JsonlFile {
  readonly #file: AppendFile;
  #bytes = Buffer.alloc(0) as WritableBuffer;
  #used = 0;
  /** What an earlier writer left may not be. */
  #isSynced = false;

  constructor(path: string, write?: WriteBytes) {
    cutTornLine(path);
    this.#file = new AppendFile(path, "append", write);
  }

  /** Whether so much waits that it should be flushed; `write` and `writeLine` do it themselves. */
  get isDue(): boolean {
    return this.#used >= MAX_PENDING_BYTES;
  }

  /** Takes one object; after a DiskFullError it was not taken and may be written again. */
  write(value: object): void {
    this.writeLine(jsonLine(value));
  }

  /** Takes one line without its line end; line ends inside would make two, so they become spaces. */
  writeLine(line: string): void {
    if (this.isDue) this.flush();
    this.hold(line);
  }

  /** Takes one line and writes nothing, whatever waits already. */
  hold(line: string): void {
    const breaks = line.includes("\n") || line.includes("\r");
    const whole = breaks ? line.replace(/[\r\n]+/g, " ") : line;
    this.#reserve(BYTES_PER_CHAR * whole.length + 1);
    this.#used += this.#bytes.utf8Write(whole, this.#used);
    this.#bytes[this.#used++] = NEWLINE;
  }

  /** Takes whole lines with their ends. */
  holdLines(lines: Uint8Array): void {
    if (this.#used + lines.length > this.#bytes.length) this.#reserve(lines.length);
    this.#bytes.set(lines, this.#used);
    this.#used += lines.length;
  }

  /** Takes a line in two parts: the bytes of its start, as `jsonLine` made it, and its end. */
  holdParts(start: Uint8Array, end: string): void {
    this.#reserve(start.length + BYTES_PER_CHAR * end.length + 1);
    copyShared(start, this.#bytes, this.#used);
    this.#used += start.length;
    this.hold(end);
  }

  /** Hands all lines to the operating system; on DiskFullError they all stay here for the next try. */
  flush(): void {
    doNow(this.flushing());
  }

  /** The same as work; nothing may be added until it is done. */
  *flushing(): FileWork {
    if (this.#used === 0) return;
    yield* this.#file.writing(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
    this.#isSynced = false;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.alloc(0) as WritableBuffer;
  }

  #reserve(more: number): void {
    const needed = this.#used + more;
    if (needed <= this.#bytes.length) return;
    const size = Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES);
    const larger = Buffer.allocUnsafeSlow(size) as WritableBuffer;
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
  }

  /** Returns when all lines survive a power loss. */
  sync(): void {
    doNow(this.syncing());
  }

  *syncing(): FileWork {
    yield* this.flushing();
    if (this.#isSynced) return;
    yield* this.#file.syncing();
    this.#isSynced = true;
  }

  /** Writes what is left, syncs and closes. */
  close(): void {
    doNow(this.closing());
  }

  *closing(): FileWork {
    yield* this.syncing();
    this.#file.close();
  }

  /** Closes without writing what is left; does nothing after `close`. */
  abandon(): void {
    this.#file.close();
  }
}
