import { safeUri } from "./files/safe-text.ts";

/** Before and behind a link in the metadata record. */
export const LINK_START = "outlink: ";
export const LINK_END = "\r\n";

/**
 * The links of a page as bytes of its metadata record: a line "outlink: URL" each. The crawler sends them in this form
 * and the archive stores it: with 150 links a page, as many strings would cost a builder more than everything else.
 */
export class LinkList {
  static readonly NONE = new LinkList(Buffer.alloc(0), 0);
  readonly lines: Buffer;
  readonly length: number;

  private constructor(lines: Buffer, length: number) {
    this.lines = lines;
    this.length = length;
  }

  /** From URLs, whatever they are. */
  static of(urls: readonly string[]): LinkList {
    return LinkList.fromLines(Buffer.from(linkLines(urls.map(safeUri))), urls.length);
  }

  /** From so many lines, as the crawler sends them: of canonical URLs, which fit a header line by their type. */
  static fromLines(lines: Buffer, length: number): LinkList {
    return length === 0 ? LinkList.NONE : new LinkList(lines, length);
  }
}

/** The lines of URLs that fit a header line. */
export function linkLines(urls: readonly string[]): string {
  if (urls.length === 0) return "";
  return LINK_START + urls.join(LINK_END + LINK_START) + LINK_END;
}
