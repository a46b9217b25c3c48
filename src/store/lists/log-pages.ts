import { readSync } from "node:fs";
import { compiledCode, WASM_PAGE_BYTES } from "../../runtime/compiled-code.ts";
import { withFile } from "../files/system-calls.ts";
import { LOG_END, OFFSET } from "./line-end.ts";
import { PAGE_PIECES } from "./page-in-log.ts";

/** What `assembly/log-pages-code.ts` exports. */
interface PageCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly PIECE_BYTES: { readonly value: number };
  readonly ROWS_AT: { readonly value: number };
  readonly ROW_BYTES: { readonly value: number };
  readonly MAX_ROWS: { readonly value: number };
  readonly TEXT_AT: { readonly value: number };
  scan(from: number, to: number, most: number): number;
  copyPairs(first: number, rows: number, out: number): number;
}

/** Gets the lines of a log, in their order. */
export interface LogReader {
  /** Whether the page whose record is at this place counts. */
  isNew(file: string, offset: number): boolean;
  /** So many lines of pages that count: URL and parent with a tab between them. Valid during the call. */
  onPages(lines: Uint8Array, count: number): void;
  /** Another line; answers the file that it names, which the next lines are likely to name. */
  onLine(text: string): string | undefined;
}

const CHUNK_BYTES = 256 * 1024;
/** The code reads and writes so much at once, and so may go beyond the last place. */
const BLOCK_BYTES = 16;
const LENGTH_BYTES = 4;
/** So many lines are looked at when another file was named: that may happen line by line. */
const FEW_ROWS = 16;
// Words of a row.
const LINE_FROM = 0;
const LINE_TO = 1;
/** The one of numbers of 64 bits. */
const RECORD = 3;

/**
 * Goes over logs in WebAssembly, which finds the lines of plain pages as `PageInLog` and `LOG_END` do and makes lines of a
 * list of them. Only other lines become strings.
 */
export class LogPages {
  readonly #code: PageCode;
  readonly #textAt: number;
  readonly #filePiece: number;
  /** How much of a log is in memory, and as much room for what is made of it. */
  #room = 0;
  #memory = Buffer.alloc(0);
  #words = new Uint32Array(0);
  #numbers = new Float64Array(0);
  #file: string | undefined;
  #most = FEW_ROWS;

  constructor(file: URL, chunkBytes = CHUNK_BYTES) {
    this.#code = compiledCode<PageCode>(file)();
    this.#textAt = this.#code.TEXT_AT.value;
    this.#reserve(chunkBytes);
    const pieces = [...PAGE_PIECES, OFFSET];
    for (const [i, piece] of pieces.entries()) this.#setPiece(i, piece);
    this.#filePiece = pieces.length;
  }

  /** Reads a log; leaves out a last line that is torn. */
  read(path: string, reader: LogReader): void {
    withFile(path, "r", (file) => {
      let used = 0;
      for (;;) {
        const got = readSync(file, this.#memory, this.#textAt + used, this.#room - used, null);
        if (got === 0) return;
        const to = this.#textAt + used + got;
        let from = this.#textAt;
        for (let next = this.#take(from, to, reader); next > from; ) {
          from = next;
          next = this.#take(from, to, reader);
        }
        used = to - from;
        // A line that is longer than everything needs more room.
        if (used === this.#room) this.#reserve(2 * this.#room);
        else this.#memory.copyWithin(this.#textAt, from, to);
      }
    });
  }

  /** Reads some of the lines between these places; answers where the rest begins. */
  #take(from: number, to: number, reader: LogReader): number {
    const rows = this.#code.scan(from, to, this.#most);
    this.#most = Math.min(2 * this.#most, this.#code.MAX_ROWS.value);
    const step = this.#code.ROW_BYTES.value / 4;
    let first = 0;
    for (let row = 0; row < rows; row++) {
      const record = this.#numbers[(row * step) / 2 + RECORD]!;
      if (record >= 0 && reader.isNew(this.#file!, record)) continue;
      this.#copy(first, row, reader);
      first = row + 1;
      if (record >= 0) continue;
      const lineTo = this.#words[row * step + LINE_TO]!;
      const text = this.#memory.toString("latin1", this.#words[row * step + LINE_FROM]!, lineTo);
      const named = reader.onLine(text);
      if (named === undefined || named === this.#file) continue;
      this.#expect(named);
      return lineTo + 1;
    }
    this.#copy(first, rows, reader);
    return rows === 0 ? from : this.#words[(rows - 1) * step + LINE_TO]! + 1;
  }

  #copy(first: number, end: number, reader: LogReader): void {
    if (end === first) return;
    const out = this.#textAt + this.#room + BLOCK_BYTES;
    const bytes = this.#code.copyPairs(first, end - first, out);
    reader.onPages(this.#memory.subarray(out, out + bytes), end - first);
  }

  /** This is the file that lines are expected to name. */
  #expect(file: string): void {
    const { beforeFile, behindFile } = LOG_END;
    this.#file = file;
    this.#most = FEW_ROWS;
    this.#setPiece(this.#filePiece, Buffer.from(`${beforeFile}${file}${behindFile}`, "latin1"));
  }

  /** Texts that have no room are in no line that is found. */
  #setPiece(piece: number, text: Uint8Array): void {
    const { PIECE_BYTES } = this.#code;
    const at = piece * PIECE_BYTES.value;
    const hasRoom = text.length <= PIECE_BYTES.value - LENGTH_BYTES - BLOCK_BYTES;
    this.#memory.writeUInt32LE(hasRoom ? text.length : 0, at);
    if (hasRoom) this.#memory.set(text, at + LENGTH_BYTES);
  }

  #reserve(room: number): void {
    const { memory, ROWS_AT } = this.#code;
    const more = this.#textAt + 2 * (room + BLOCK_BYTES) - memory.buffer.byteLength;
    if (more > 0) memory.grow(Math.ceil(more / WASM_PAGE_BYTES));
    this.#room = room;
    this.#memory = Buffer.from(memory.buffer);
    this.#words = new Uint32Array(memory.buffer, ROWS_AT.value, (this.#textAt - ROWS_AT.value) / 4);
    this.#numbers = new Float64Array(memory.buffer, ROWS_AT.value, this.#words.length / 2);
  }
}

/** Opens such memory; undefined without the code (after `tsc` alone), without WebAssembly, or without memory. */
export function openLogPages(
  file: URL = new URL("./log-pages-code.wasm", import.meta.url),
): LogPages | undefined {
  try {
    return new LogPages(file);
  } catch {
    return undefined;
  }
}
