import { isSafeUri, safeUri } from "./safe-text.ts";

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

  /** From lines as the crawler sends them. */
  static fromLines(lines: string): LinkList {
    if (lines === "") return LinkList.NONE;
    if (!isSafeUri(lines, true)) return LinkList.of(lines.split("\n"));
    let count = 1;
    for (let at = lines.indexOf("\n"); at >= 0; at = lines.indexOf("\n", at + 1)) count++;
    return new LinkList(lines, count);
  }

  *[Symbol.iterator](): Generator<string, void> {
    if (this.length > 0) yield* this.text.split("\n");
  }
}
