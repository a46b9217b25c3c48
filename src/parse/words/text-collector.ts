import type { PageText } from "../page-text.ts";
import type { TextSink } from "./word-counter.ts";

const TAG = 0x3c;

/** Collects the visible text of a page: the same text whose words `WordCounter` counts. */
export class TextCollector implements TextSink {
  readonly #buf: Buffer;
  readonly #text: PageText;
  #collected = "";
  /** Looking at what was collected would put its pieces together again, each time: quadratic in the length of a page. */
  #isLineEnd = false;

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
    if (end <= start) return;
    const more = this.#text.text(start, end);
    this.#collected += more;
    if (more !== "") this.#isLineEnd = more.endsWith("\n");
  }

  literal(start: number): void {
    this.range(start, start + 1);
  }

  endWord(): void {
    if (this.#isLineEnd) return;
    this.#collected += "\n";
    this.#isLineEnd = true;
  }
}
