import type { Via } from "../frontier/via.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { LinkList } from "./graph/link-list.ts";
import type { EarlierRecord } from "./warc/earlier-crawl.ts";

/** What the parser found in a page. */
export interface PageFacts {
  title: string;
  words: number;
  links: number;
  charset: string;
  language?: string | undefined;
  /** What robots meta and X-Robots-Tag ask for, such as "noindex, nofollow"; "" for nothing. */
  robots?: string | undefined;
}

/** One answered request, as a crawler hands it to a builder. */
export interface Capture {
  url: CrawlUrl;
  /** Wall-clock milliseconds of the request. */
  date: number;
  ip: string;
  /** The request as sent; credentials are removed before it is archived. */
  request: Uint8Array;
  /** The response head exactly as received, from the status line through the blank line. */
  head: Uint8Array;
  /** The body without its transfer coding; the content coding is kept as received. */
  body: Uint8Array;
  /** Length of the body; absent means that of `body`, which is empty when no store wants it. */
  bytes?: number | undefined;
  status: number;
  /** From Content-Type, lower case, without parameters; "" if there was none. */
  mime: string;
  /** True when a chunked body was joined: its Transfer-Encoding line no longer describes it. */
  dechunked: boolean;
  truncated?: "length" | "time" | "disconnect" | undefined;
  /** Why the server's certificate could not be verified, where that was tolerated. */
  unverified?: string | undefined;
  /** The record that a 304 answer means; the body is empty then. */
  unchanged?: EarlierRecord | undefined;
  /** Present when the body was parsed as a page. */
  page?: PageFacts | undefined;
  /** First discoverer; absent for seeds. */
  parent?: CrawlUrl | undefined;
  depth: number;
  via?: Via | undefined;
  /** Its cash when it was taken, where URLs are ordered by that: a seed begins with 2^36. */
  cash?: number | undefined;
  /** What a user's handler wants kept with the page: one line of JSON. */
  data?: string | undefined;
  outlinks: LinkList;
}

/** Stands for the file of a capture that no store keeps; its offset is then only a number of its own. */
export const UNKEPT = "none";

/** Where a response record lies: its gzip member in a file of the archive folder. */
export interface Location {
  /** Base name, as it will be once the file is closed. */
  file: string;
  offset: number;
  length: number;
}

/** What the archive knows about a capture after writing it. */
export interface Archived {
  location: Location;
  /** "sha1:" and base 32: the form that archive tools compare. */
  payloadDigest: string;
  /** "sha256:" and hexadecimal: the form that no one can collide. */
  payloadSha256: string;
  /** UUID of the response or revisit record. */
  recordId: string;
  /** True when the payload is in the archive already and the record only names it. */
  isRevisit: boolean;
}
