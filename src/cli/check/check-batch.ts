import { once } from "node:events";
import { EXIT } from "../../errors.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import type { Io, Output } from "../io.ts";

/** Answers one line of a batch; what it throws becomes the error of that line. */
export type Answerer = (question: Question) => object | Promise<object>;

/** Why a line of a batch has no answer; the user reads its message. */
export class BadLine extends Error {}

const LF = 0x0a;
/** A page of 50 MiB, base64 in JSON, still fits. */
const MAX_LINE_BYTES = 96 * 1024 * 1024;

const SEND_CHARACTERS = 64 * 1024;

/** One JSON object of a batch, read field by field. */
export class Question {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(line: string) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new BadLine(line.trim() === "" ? "the line is empty" : "the line is not JSON");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new BadLine("the line is not a JSON object");
    this.#fields = value as Record<string, unknown>;
  }

  /** A text that may be missing; null counts as missing. */
  text(name: string): string | undefined {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    throw new BadLine(`"${name}" is not a string`);
  }

  /** A text that must be there. */
  needed(name: string): string {
    return needed(name, this.text(name));
  }

  /** Bytes written in base64. */
  bytes(name: string): Buffer | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text)) throw new BadLine(`"${name}" is not base64`);
    return Buffer.from(text, "base64");
  }

  /** Bytes that must be there. */
  neededBytes(name: string): Buffer {
    return needed(name, this.bytes(name));
  }

  /** The `url` of a line, which must be one that can be fetched. */
  pageUrl(): CrawlUrl {
    const url = canonicalize(this.needed("url"));
    if (url === undefined) throw new BadLine('"url" is not an http or https URL');
    return url;
  }

  /** Bytes written as text under one name or in base64 under the other. */
  bytesOrText(textName: string, bytesName: string): { bytes: Buffer; wasText: boolean } {
    const bytes = this.bytes(bytesName);
    if (bytes !== undefined) return { bytes, wasText: false };
    const text = this.text(textName);
    if (text === undefined) throw new BadLine(`"${textName}" or "${bytesName}" is missing`);
    return { bytes: Buffer.from(text, "utf8"), wasText: true };
  }
}

function needed<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new BadLine(`"${name}" is missing`);
  return value;
}

/**
 * Answers JSON lines from standard input with JSON lines on standard output, one for one and in order. A line that
 * cannot be answered gets `{"error": ...}`. Memory does not grow with the number of lines, because reading waits for writing.
 */
export async function runBatch(io: Io, answer: Answerer): Promise<number> {
  const lines = new Lines();
  for await (const chunk of io.stdin) {
    let answers = "";
    for (const line of lines.push(Buffer.from(chunk as Uint8Array))) {
      answers += await answerLine(line, answer);
      if (answers.length < SEND_CHARACTERS) continue;
      if (!(await send(io.stdout, answers))) return EXIT.finished;
      answers = "";
    }
    // Answers do not wait for the next chunk: a program may read one before it asks again.
    if (answers !== "" && !(await send(io.stdout, answers))) return EXIT.finished;
  }
  if (lines.hasRest) await send(io.stdout, await answerLine(lines.take(), answer));
  return EXIT.finished;
}

async function answerLine(line: string | undefined, answer: Answerer): Promise<string> {
  try {
    if (line === undefined) throw new BadLine(`the line is longer than ${MAX_LINE_BYTES} bytes`);
    return `${JSON.stringify(await answer(new Question(line)))}\n`;
  } catch (error) {
    const known = error instanceof BadLine;
    const message = error instanceof Error ? error.message : String(error);
    return `${JSON.stringify({ error: known ? message : `unexpected fault: ${message}` })}\n`;
  }
}

/** Writes, and waits while the reader is behind; false when the reader has gone. */
async function send(output: Output, text: string): Promise<boolean> {
  if (!output.writable) return false;
  if (output.write(text)) return true;
  const stop = new AbortController();
  try {
    await Promise.race([
      once(output, "drain", { signal: stop.signal }),
      once(output, "close", { signal: stop.signal }),
    ]);
  } catch {
    return false; // the reader has gone, which main.ts handles
  } finally {
    stop.abort();
  }
  return output.writable;
}

/** Cuts bytes into lines; one that is too long becomes undefined and is not kept. */
class Lines {
  #parts: Buffer[] = [];
  #bytes = 0;

  *push(chunk: Buffer): Generator<string | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, end));
      yield this.take();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Whether the last line has no line end. */
  get hasRest(): boolean {
    return this.#bytes > 0;
  }

  /** What was kept, as one line. */
  take(): string | undefined {
    const line = this.#bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= MAX_LINE_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }
}
