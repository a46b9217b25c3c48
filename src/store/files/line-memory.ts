import { compiledCode, WASM_PAGE_BYTES } from "../../runtime/compiled-code.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "./append-file.ts";
import type { LineRun, LineSorter } from "./line-run.ts";

/** What `assembly/order-lines-code.ts` exports. */
interface LineCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly OUT_AT: { readonly value: number };
  readonly TEXT_AT: { readonly value: number };
  countLines(bytes: number): number;
  startsAt(): number;
  order(lines: number): void;
  copyNext(once: number): number;
  longLine(): number;
  lastAt(): number;
  written(): number;
}

const LINE_FEED = 10;
const WORD_BYTES = 4;
/** The code reads so much at once, and so may read beyond the last place. */
const BLOCK_BYTES = 16;

/** Sorts lines in a memory of its own, by the places where they begin. */
export class LineMemory implements LineSorter {
  readonly #code: LineCode;

  constructor(file: URL) {
    this.#code = compiledCode<LineCode>(file)();
  }

  room(bytes: number): Buffer {
    const { memory, TEXT_AT } = this.#code;
    this.#reserve(TEXT_AT.value + bytes + BLOCK_BYTES);
    return Buffer.from(memory.buffer, TEXT_AT.value, bytes);
  }

  sort(bytes: Buffer): LineRun {
    const code = this.#code;
    const { length } = bytes;
    if (bytes.buffer !== code.memory.buffer) this.room(length).set(bytes);
    const lines = code.countLines(length);
    const startsAt = code.startsAt();
    this.#reserve(startsAt + lines * WORD_BYTES + BLOCK_BYTES);
    code.order(lines);
    const memory = Buffer.from(code.memory.buffer);
    const starts = new Uint32Array(code.memory.buffer, startsAt, lines);
    return new MemoryRun(code, memory, starts);
  }

  #reserve(bytes: number): void {
    const { memory } = this.#code;
    const more = bytes - memory.buffer.byteLength;
    if (more > 0) memory.grow(Math.ceil(more / WASM_PAGE_BYTES));
  }
}

class MemoryRun implements LineRun {
  readonly #code: LineCode;
  readonly #memory: Buffer;
  readonly #starts: Uint32Array;

  constructor(code: LineCode, memory: Buffer, starts: Uint32Array) {
    this.#code = code;
    this.#memory = memory;
    this.#starts = starts;
  }

  *[Symbol.iterator](): Generator<string, void> {
    const memory = this.#memory;
    for (const start of this.#starts)
      yield memory.toString("latin1", start, memory.indexOf(LINE_FEED, start));
  }

  writeTo(file: AppendFile, once: boolean, limit: TimeLimit = NO_LIMIT): number {
    const code = this.#code;
    const outAt = code.OUT_AT.value;
    for (;;) {
      const copied = code.copyNext(once ? 1 : 0);
      const length = copied > 0 ? copied : code.longLine();
      if (length === 0) return code.written();
      const from = copied > 0 ? outAt : code.lastAt();
      file.write(this.#memory.subarray(from, from + length));
      limit.check();
    }
  }
}

/** Opens such a memory; undefined without the code (after `tsc` alone), without WebAssembly, or without memory. */
export function openLineMemory(
  file: URL = new URL("./order-lines-code.wasm", import.meta.url),
): LineSorter | undefined {
  try {
    return new LineMemory(file);
  } catch {
    return undefined;
  }
}
