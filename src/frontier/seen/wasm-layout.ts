import {
  add32,
  add64,
  and32,
  type Code,
  get,
  i32,
  i64,
  load16,
  load32,
  loadWord,
  multiply64,
  narrow,
  or32,
  set,
  shiftLeft32,
  shiftRight32,
  shiftRight64,
  store16,
  WASM_PAGE_BYTES,
  widen,
} from "../../hash/wasm-assembler.ts";

/*
 * Where everything stands in the memory of a `WasmSeenTable`, and the code that finds a place in it. A page of
 * fingerprints is made of buckets of eight, one line of the cache each, filled from the left; a low half of 0 marks an
 * empty slot.
 */

/** A place, with 31 bits, is shifted by the word that stands here: that makes a place in the directory. */
export const SHIFT_AT = 0;
/** How many of the fingerprints that were searched for together are new. */
export const ADDED_AT = 4;
/** The bucket that is being dealt out. */
export const DEALT_AT = 64;
/** Fingerprints that are searched for together. */
export const FINGERPRINTS_AT = 128;
export const MAX_FINGERPRINTS = 128;
/** The bucket in which each search begins, and a 1 for each that is new. */
export const HOMES_AT = FINGERPRINTS_AT + 8 * MAX_FINGERPRINTS;
export const NEW_AT = HOMES_AT + 4 * MAX_FINGERPRINTS;
/** While a page is split: the taken slots of each bucket of the left page, then of the right one, in bytes. */
export const TAKEN_AT = 4096;
/** Full buckets of each page, in 16 bits. */
export const COUNTS_AT = WASM_PAGE_BYTES;
export const MAX_PAGES = 1 << 16;
/** Pages by place, in 16 bits. */
export const DIRECTORY_AT = COUNTS_AT + 2 * MAX_PAGES;
/** Halvings of the hash's range. */
export const MAX_DEPTH = 17;
export const PAGES_AT = DIRECTORY_AT + 2 * 2 ** MAX_DEPTH;

const BUCKET_BITS = 6;
export const BUCKET_BYTES = 1 << BUCKET_BITS;
export const BUCKET_SLOTS = BUCKET_BYTES / 8;
/** The last slot of a bucket. */
export const LAST = BUCKET_BYTES - 8;

// Of 2^32. The place of x is x (LINEAR + x (SQUARE + x CUBE)): within 0.02 % of 2^x - 1, from 0 to just below 1.
const LINEAR = 2_985_431_867n;
const SQUARE = 977_534_561n;
const CUBE = 2n ** 32n - LINEAR - SQUARE;
const times = (a: Code, b: Code): Code => shiftRight64(multiply64(a, b), i64(32n));

/** The place of a fingerprint among all, with 31 bits; `x` is a local of 64 bits that it may use. */
export const placeOf = (high: Code, x: number): Code => {
  const steep = add64(i64(SQUARE), times(get(x), i64(CUBE)));
  const factor = add64(i64(LINEAR), times(get(x), steep));
  return [...set(x, widen(high)), ...narrow(shiftRight64(multiply64(get(x), factor), i64(33n)))];
};
export const pageOf = (high: Code, x: number): Code => {
  const entry = shiftRight32(placeOf(high, x), load32(i32(SHIFT_AT)));
  return load16(shiftLeft32(entry, i32(1)), DIRECTORY_AT);
};

export const fullBuckets = (page: Code): Code => load16(shiftLeft32(page, i32(1)), COUNTS_AT);
export const setFullBuckets = (page: Code, count: Code): Code =>
  store16(shiftLeft32(page, i32(1)), count, COUNTS_AT);

/** The word at an offset in the bucket, or slot, in this local. */
export const wordIn = (bucket: number, offset: number): Code =>
  loadWord(get(bucket), PAGES_AT + offset);

/** Buckets of pages of this many bytes, a power of two, as numbers of bytes behind PAGES_AT: the page is in the upper bits. */
export const bucketsOf = (pageBytes: number) => {
  const pageBits = Math.log2(pageBytes);
  const inPage = (bytes: Code): Code => and32(bytes, i32(pageBytes - BUCKET_BYTES));
  const startOf = (page: Code): Code => shiftLeft32(page, i32(pageBits));
  return {
    /** The number of buckets, as a power of two. */
    countBits: pageBits - BUCKET_BITS,
    startOf,
    pageAt: (bucket: number): Code => shiftRight32(get(bucket), i32(pageBits)),
    /** The bucket in which a search for a fingerprint with this low half begins. */
    homeOn: (page: Code, low: Code): Code =>
      or32(startOf(page), inPage(shiftLeft32(low, i32(BUCKET_BITS)))),
    /** The next one of the same page; behind the last one comes the first. */
    following: (bucket: number): Code =>
      or32(and32(get(bucket), i32(-pageBytes)), inPage(add32(get(bucket), i32(BUCKET_BYTES)))),
    /** The number of a bucket in its page. */
    numberOf: (bucket: number): Code => shiftRight32(inPage(get(bucket)), i32(BUCKET_BITS)),
  };
};
