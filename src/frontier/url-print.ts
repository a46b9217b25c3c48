import type { CrawlUrl } from "../url/crawl-url.ts";
import { print } from "./fingerprint.ts";
import type { LatinBuffer } from "./latin-buffer.ts";
import { SIP_PAGE_BYTES, TEXT_AT } from "./sip-hash.ts";
import { makeSipHash } from "./sip-module.ts";

const sip = makeSipHash();
/** Behind the text eight bytes more are read, and masked. */
const MARGIN_BYTES = TEXT_AT + 8;

// One native copy into bytes is cheaper than asking the string for every character. Views end when memory grows.
let bytes = bytesOf(sip.memory.buffer);
let result = new Uint32Array(sip.memory.buffer, 0, 2);

/**
 * Computes the 64-bit fingerprint of a URL into `print`: SipHash-1-3 of its bytes, the seed being the key. The seed is
 * random per crawl, so nobody can prepare URLs that collide. For 74 characters it is cheaper than `fingerprint`, which
 * goes through them one by one and so can be run by the explorer. A canonical URL is ASCII: one byte is one character. Answers true when the URL has a "%" in it.
 */
export function urlPrint(url: CrawlUrl, seedLow: number, seedHigh: number): boolean {
  if (url.length + MARGIN_BYTES > bytes.length) reserve(url.length + MARGIN_BYTES);
  const percents = sip.hash(bytes.latin1Write(url, TEXT_AT, url.length), seedLow, seedHigh);
  print.low = result[0]!;
  print.high = result[1]!;
  return percents === 1;
}

function reserve(minBytes: number): void {
  sip.memory.grow(Math.ceil((minBytes - bytes.length) / SIP_PAGE_BYTES));
  bytes = bytesOf(sip.memory.buffer);
  result = new Uint32Array(sip.memory.buffer, 0, 2);
}

function bytesOf(memory: ArrayBuffer): LatinBuffer {
  return Buffer.from(memory) as LatinBuffer;
}
