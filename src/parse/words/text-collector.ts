import type { PageText } from "../page-text.ts";
import type { TextSink } from "./word-counter.ts";

const TAG = 0x3c;

/** Collects the visible text of a page: the same text whose words `WordCounter` counts. */
export class TextCollector implements TextSink {
  readonly #buf: Buffer;
  readonly #text: PageText;
  #collected = "";

  constructor(buf: Buffer, text: PageText) {
    this.#buf = buf;
    this.#text = text;
  }

  /** Everything so far. Block-level tags have become line ends, inline ones nothing. */
  get text(): string {
    return this.#collected;
  }

  until(start: number): number {
    const tag = this.#buf.indexOf(TAG, start);
    const end = tag < 0 ? this.#buf.length : tag;
    this.range(start, end);
    return end;
  }

  range(start: number, end: number): void {
    if (end > start) this.#collected += this.#text.text(start, end);
  }

  literal(start: number): void {
    this.range(start, start + 1);
  }

  endWord(): void {
    if (!this.#collected.endsWith("\n")) this.#collected += "\n";
  }
}
