import type { LatinBuffer } from "../runtime/latin-buffer.ts";
import { lastFingerprint } from "./fingerprint.ts";
import { SIP_PAGE_BYTES } from "./sip-hash.ts";
import { LENGTHS_AT, MARKS_AT, MAX_TEXTS, PRINTS_AT, TEXT_AT } from "./sip-hash-layout.ts";
import { makeSipHash } from "./sip-hash-wasm.ts";

const sip = makeSipHash();
/** What is read behind a text, and masked. */
const MARGIN_BYTES = TEXT_AT + 16;
/** Bytes of a character in UTF-8, at most; a pair of surrogates has four. */
const MAX_CHARACTER_BYTES = 3;

/** URLs per call. */
export const MAX_URLS = MAX_TEXTS;

// One native copy into bytes is cheaper than reading the string character by character.
let bytes = bytesOf(sip.memory.buffer);
let fingerprints = new Uint32Array(sip.memory.buffer, PRINTS_AT, 2 * MAX_TEXTS);
let lengths = new Uint32Array(sip.memory.buffer, LENGTHS_AT, MAX_TEXTS);

/**
 * Computes the 64-bit fingerprint of a URL into `lastFingerprint`: SipHash-1-3 of its bytes, the seed being the key. The seed is
 * random per crawl, so nobody can prepare URLs that collide. For 74 characters it is cheaper than `fingerprint`, which
 * goes through them one by one and so can be run by the explorer. A canonical URL is ASCII: one byte is one character.
 * Returns true when the URL contains "%" or ends with "?"; every other URL is the only spelling of its page.
 */
export function urlFingerprint(url: string, seedLow: number, seedHigh: number): boolean {
  write(url);
  lengths[0] = url.length;
  const marked = sip.hashAll(1, seedLow, seedHigh);
  lastFingerprint.low = fingerprints[0]!;
  lastFingerprint.high = fingerprints[1]!;
  return marked === 1;
}

/**
 * The same for `count` URLs from `from` on, at most MAX_URLS; their fingerprints go to `into`, low before high half.
 * Returns for how many `urlFingerprint` would return true; `marks` then has a 1 for each of them.
 */
export function urlFingerprints(
  urls: readonly string[],
  from: number,
  count: number,
  { seedLow, seedHigh }: { readonly seedLow: number; readonly seedHigh: number },
  into: Uint32Array,
): number {
  // Joined, because a call costs more than copying.
  let text = "";
  for (let i = 0; i < count; i++) {
    const url = urls[from + i]!;
    text += url;
    lengths[i] = url.length;
  }
  write(text);
  const marked = text.includes("%")
    ? sip.hashAll(count, seedLow, seedHigh)
    : sip.hashUnescaped(count, seedLow, seedHigh);
  into.set(fingerprints.subarray(0, 2 * count));
  if (marked > 0) marks.set(bytes.subarray(MARKS_AT, MARKS_AT + count));
  return marked;
}

/** Computes the fingerprint of any text into `lastFingerprint`, with one "#" in the place of every run of digits. */
export function numberlessFingerprint(text: string, seedLow: number, seedHigh: number): void {
  const most = MAX_CHARACTER_BYTES * text.length + MARGIN_BYTES;
  if (most > bytes.length) reserve(most);
  lengths[0] = sip.foldNumbers(bytes.utf8Write(text, TEXT_AT));
  sip.hashUnescaped(1, seedLow, seedHigh);
  lastFingerprint.low = fingerprints[0]!;
  lastFingerprint.high = fingerprints[1]!;
}

/** 1 for each URL of the last `urlFingerprints` call that contains "%" or ends in "?"; valid if it returned more than 0. */
export const marks = new Uint8Array(MAX_TEXTS);

function write(text: string): void {
  if (text.length + MARGIN_BYTES > bytes.length) reserve(text.length + MARGIN_BYTES);
  bytes.latin1Write(text, TEXT_AT, text.length);
}

function reserve(minBytes: number): void {
  sip.memory.grow(Math.ceil((minBytes - bytes.length) / SIP_PAGE_BYTES));
  bytes = bytesOf(sip.memory.buffer);
  fingerprints = new Uint32Array(sip.memory.buffer, PRINTS_AT, 2 * MAX_TEXTS);
  lengths = new Uint32Array(sip.memory.buffer, LENGTHS_AT, MAX_TEXTS);
}

function bytesOf(memory: ArrayBuffer): LatinBuffer {
  return Buffer.from(memory) as LatinBuffer;
}
