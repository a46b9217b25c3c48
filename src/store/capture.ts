import type { PageLocation } from "../frontier/finish.ts";
import { isList, type Via } from "../frontier/via.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { LinkList } from "./link-list.ts";

/** What the parser found in a page. */
export interface PageFacts {
  title: string;
  words: number;
  links: number;
  /** Before repeats were left out; absent in older archives. */
  linksAll?: number | undefined;
  charset: string;
  language?: string | undefined;
  /** What robots meta and X-Robots-Tag ask for, such as "noindex, nofollow"; "" for nothing. */
  robots?: string | undefined;
}

/** A record of an earlier crawl, as a revisit record names it. */
export interface EarlierRecord {
  /** UUID of the response record. */
  readonly recordId: string;
  readonly uri: string;
  /** Its WARC-Date. */
  readonly date: string;
  /** Its WARC-Payload-Digest. */
  readonly payloadDigest: string;
  /** "sha256:" and hexadecimal; "" when nobody has computed it. */
  readonly payloadSha256: string;
}

/** What the archive knows about a capture after writing it. */
export interface Archived {
  /** Its gzip member in a file of the archive folder, by the name that the file has once it is closed. */
  location: PageLocation;
  /** "sha1:" and base 32: the form that archive tools compare. */
  payloadDigest: string;
  /** "sha256:" and hexadecimal: the form that no one can collide. */
  payloadSha256: string;
  /** UUID of the response or revisit record. */
  recordId: string;
  /** True when the payload is in the archive already and the record only names it. */
  isRevisit: boolean;
}

/** What the lists need of a capture; it can be read back from an archive. */
export interface CaptureFacts {
  readonly kind: "capture";
  url: CrawlUrl;
  /** Wall-clock milliseconds of the request. */
  date: number;
  status: number;
  /** From Content-Type, lower case, without parameters; "" if there was none. */
  mime: string;
  /** Length of the body as received, without its transfer coding. */
  bytes: number;
  /** Without its content coding; absent where nobody has removed that: other types than HTML, older archives. */
  decodedBytes?: number | undefined;
  /** Present when the body was parsed as a page. */
  page?: PageFacts | undefined;
  /** The page it was found on first; absent for seeds. */
  parent?: CrawlUrl | undefined;
  depth: number;
  via?: Via | undefined;
  /** Its cash when it was taken, where URLs are ordered by that: a seed begins with 2^36. */
  cash?: number | undefined;
  /** What a user's handler wants kept with the page: one line of JSON. */
  data?: string | undefined;
  /** What is said about the use of its content: one line of JSON, as `Signals` of parse/rights/signals.ts. */
  signals?: string | undefined;
  /** What a user's handler pushed, as `packRows` packs it. */
  rows?: Uint8Array | undefined;
  outlinks: LinkList;
  /** Its line of logs/crawl.jsonl without the end, which names the place of the record; absent where no log is written. */
  line?: Uint8Array | undefined;
  /** The record of an earlier crawl that a 304 answer means; the body is empty then. */
  unchanged?: EarlierRecord | undefined;
  /** Set by the first writer that keeps the capture, for those behind it. */
  archived?: Archived | undefined;
}

/** One answered request, as a crawler hands it to a builder. */
export interface Capture extends CaptureFacts {
  ip: string;
  /** The request as sent; credentials are removed before it is archived. */
  request: Uint8Array;
  /** The response head exactly as received, from the status line through the blank line. */
  head: Uint8Array;
  /** The body without its transfer coding; the content coding is kept as received. Empty when no store wants it. */
  body: Uint8Array;
  /** True when a chunked body was joined: its Transfer-Encoding line no longer describes it. */
  dechunked: boolean;
  truncated?: "length" | "time" | "disconnect" | undefined;
  /** Why the server's certificate could not be verified, where that was tolerated. */
  unverified?: string | undefined;
}

/** Copies what a capture only borrows: it is kept longer than its bytes stay where they are. */
export function takeOver(capture: Capture): void {
  const own = (bytes: Uint8Array) => Buffer.from(bytes);
  capture.request = own(capture.request);
  capture.head = own(capture.head);
  capture.body = own(capture.body);
  capture.outlinks = capture.outlinks.copy();
  if (capture.rows !== undefined) capture.rows = own(capture.rows);
  if (capture.line !== undefined) capture.line = own(capture.line);
}

/** Stands for the file of a capture that no store keeps; its offset is then only a number of its own. */
export const UNKEPT = "none";

const NOWHERE: PageLocation = { file: "", offset: 0, length: 0 };

/** Where a capture lies, as the journal names it: the file is "" when no store has kept it. */
export function locationOf({ archived }: CaptureFacts): PageLocation {
  return archived?.location ?? NOWHERE;
}

/** Whether a capture is in the list of pages: a page, or one that has not changed since an earlier crawl. */
export function isListed(capture: CaptureFacts): boolean {
  return isPage(capture) || capture.unchanged !== undefined;
}

/** Whether a capture is a page: answered with 2xx, and not one of the documents that only list pages. */
export function isPage({ status, via }: CaptureFacts): boolean {
  return status >= 200 && status < 300 && (via === undefined || !isList(via));
}
