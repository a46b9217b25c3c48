import { safeUri } from "./safe-text.ts";

/**
 * The links of a page as one text, a URL per line. They come so from the crawler and go so into the archive: with 150
 * links a page, as many strings would cost a builder more than writing them.
 */
export class LinkList {
  static readonly NONE = new LinkList("", 0);
  /** URLs that fit a header line, separated by line feeds. */
  readonly text: string;
  readonly length: number;

  private constructor(text: string, length: number) {
    this.text = text;
    this.length = length;
  }

  /** From URLs, whatever they are. */
  static of(urls: readonly string[]): LinkList {
    return urls.length === 0
      ? LinkList.NONE
      : new LinkList(urls.map(safeUri).join("\n"), urls.length);
  }

  /** From so many canonical URLs, one per line, as the crawler sends them: these fit a header line by their type. */
  static fromLines(lines: string, length: number): LinkList {
    return length === 0 ? LinkList.NONE : new LinkList(lines, length);
  }

  *[Symbol.iterator](): Generator<string, void> {
    if (this.length > 0) yield* this.text.split("\n");
  }
}
