import { PRINT_WORDS } from "../page-engine/packed-links.ts";
import { safeUri } from "./files/safe-text.ts";

/** Before and behind a link in the metadata record. */
export const LINK_START = "outlink: ";
export const LINK_END = "\r\n";

/** What was computed of the links of a page before: their fingerprints, with the seeds of these. */
export interface LinkPrints {
  readonly seedLow: number;
  readonly seedHigh: number;
  /** From `from` on `PRINT_WORDS` of each link, in their order, as `PackedLinks` puts them. */
  readonly words: Uint32Array;
  readonly from: number;
}

/**
 * The links of a page as bytes of its metadata record: a line "outlink: URL" each. The crawler sends them in this form
 * and the archive stores it: with 150 links a page, as many strings would cost a builder more than everything else.
 */
export class LinkList {
  static readonly NONE = new LinkList(Buffer.alloc(0), 0);
  readonly lines: Buffer;
  readonly length: number;
  /** Where somebody has computed them. */
  readonly prints: LinkPrints | undefined;

  private constructor(lines: Buffer, length: number, prints?: LinkPrints) {
    this.lines = lines;
    this.length = length;
    this.prints = prints;
  }

  /** From URLs, whatever they are. */
  static of(urls: readonly string[]): LinkList {
    return LinkList.fromLines(Buffer.from(linkLines(urls.map(safeUri))), urls.length);
  }

  /** From so many lines, as the crawler sends them: of canonical URLs, which fit a header line by their type. */
  static fromLines(lines: Buffer, length: number, prints?: LinkPrints): LinkList {
    return length === 0 ? LinkList.NONE : new LinkList(lines, length, prints);
  }

  /** The same links in memory of their own. */
  copy(): LinkList {
    const { lines, length, prints } = this;
    const own = prints && { ...prints, words: ownWords(prints, length), from: 0 };
    return LinkList.fromLines(Buffer.from(lines), length, own);
  }
}

/** The lines of URLs that fit a header line. */
export function linkLines(urls: readonly string[]): string {
  if (urls.length === 0) return "";
  return LINK_START + urls.join(LINK_END + LINK_START) + LINK_END;
}

function ownWords({ words, from }: LinkPrints, links: number): Uint32Array {
  return Uint32Array.from(words.subarray(from, from + links * PRINT_WORDS));
}
