import { closeSync, fstatSync, openSync, readSync, truncateSync } from "node:fs";
import { AppendFile, type WriteBytes } from "./append-file.ts";

const MAX_PENDING_CHARS = 64 * 1024;
const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
// JSON.stringify escapes C0 controls and lone surrogates. These are legal in JSON but end a line or
// steer a terminal in programs that read the file as text.
const STRAY = /[\x7f-\x9f\u2028\u2029]/g;

/** An object as one line of JSON without its line end. */
export function jsonLine(value: object): string {
  const text = JSON.stringify(value);
  return text.replace(STRAY, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Bytes of the file up to and including its last line end; 0 when there is no file. */
export function wholeLinesBytes(path: string): { whole: number; size: number } {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "ENOENT") return { whole: 0, size: 0 };
    throw fault;
  }
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.allocUnsafe(TAIL_BYTES);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - TAIL_BYTES);
      const got = readSync(file, tail, 0, end - start, start);
      const at = tail.subarray(0, got).lastIndexOf(NEWLINE);
      if (at >= 0) return { whole: start + at + 1, size };
      end = start;
    }
    return { whole: 0, size };
  } finally {
    closeSync(file);
  }
}

/**
 * Appends lines to a file that nobody else writes. Lines wait in memory and reach the file whole,
 * many with one write; a half line that a crash left at the end is cut off when the file is opened.
 */
export class JsonlWriter {
  readonly #file: AppendFile;
  #pending: string[] = [];
  #pendingChars = 0;

  constructor(path: string, write?: WriteBytes) {
    const { whole, size } = wholeLinesBytes(path);
    if (whole < size) truncateSync(path, whole);
    this.#file = new AppendFile(path, "append", write);
  }

  /** Whether the next write will first empty the buffer, and so may meet a full disk. */
  get due(): boolean {
    return this.#pendingChars >= MAX_PENDING_CHARS;
  }

  /** Takes one object; after a DiskFullError it was not taken and may be written again. */
  write(value: object): void {
    this.writeLine(jsonLine(value));
  }

  /** Takes one line without its line end; line ends inside would make two, so they become spaces. */
  writeLine(line: string): void {
    if (this.due) this.flush();
    this.hold(line);
  }

  /** Takes one line and writes nothing, whatever waits already. */
  hold(line: string): void {
    const whole = /[\r\n]/.test(line) ? line.replace(/[\r\n]+/g, " ") : line;
    this.#pending.push(whole);
    this.#pendingChars += whole.length + 1;
  }

  /** Hands all lines to the operating system; on DiskFullError they all stay here for the next try. */
  flush(): void {
    if (this.#pending.length === 0) return;
    this.#file.write(Buffer.from(`${this.#pending.join("\n")}\n`));
    this.#pending = [];
    this.#pendingChars = 0;
  }

  /** Returns when all lines survive a power loss. */
  sync(): void {
    this.flush();
    this.#file.sync();
  }

  /** Writes what is left, syncs and closes. */
  close(): void {
    this.sync();
    this.#file.close();
  }
}
