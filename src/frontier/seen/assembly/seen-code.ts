// What `WasmSeenTable` does for every fingerprint. A fingerprint is in the first bucket, from its home on, that had room
// when it came: so a bucket with an empty slot ends a search, and nearly every search reads one line. Buckets and slots
// are numbers of bytes behind PAGES_AT, with the page in the upper bits.
import {
  ADDED_AT,
  BUCKET_BITS,
  BUCKET_BYTES,
  COUNTS_AT,
  DEALT_AT,
  DIRECTORY_AT,
  FINGERPRINTS_AT,
  HOMES_AT,
  NEW_AT,
  PAGES_AT,
  SHIFT_AT,
  TAKEN_AT,
} from "../seen-layout";

/** The last slot of a bucket. */
const LAST: u32 = BUCKET_BYTES - 8;
const BUCKET_SLOTS: u32 = BUCKET_BYTES / 8;
/** No bucket: the key was found. */
const FOUND: u32 = 1;

// Of 2^32. The place of x is x (LINEAR + x (SQUARE + x CUBE)): within 0.02 % of 2^x - 1, from 0 to just below 1.
const LINEAR: u64 = 2985431867;
const SQUARE: u64 = 977534561;
const CUBE: u64 = 0x100000000 - LINEAR - SQUARE;

let pageBits: u32 = 0;
/** The bits of a bucket's number, in bytes, in its page. */
let bucketMask: u32 = 0;
let maxFull: u32 = 0;

/** For pages of 2 to the power of `bits` bytes, each to be split when more buckets than `most` are full. */
export function setPages(bits: u32, most: u32): void {
  pageBits = bits;
  bucketMask = (<u32>1 << bits) - BUCKET_BYTES;
  maxFull = most;
}

/** The place of a fingerprint among all, with 31 bits. */
// @ts-ignore: decorator
@inline
function placeOf(high: u32): u32 {
  const x = <u64>high;
  const steep = SQUARE + ((x * CUBE) >> 32);
  const factor = LINEAR + ((x * steep) >> 32);
  return <u32>((x * factor) >> 33);
}

/** The page on which a fingerprint with this high half is. */
export function pageOf(high: u32): u32 {
  return pageAt(high);
}

// @ts-ignore: decorator
@inline
function pageAt(high: u32): u32 {
  const entry = placeOf(high) >> load<u32>(SHIFT_AT);
  return load<u16>(<usize>(entry << 1), DIRECTORY_AT);
}

/** The bucket in which a search for a fingerprint with this low half begins. */
// @ts-ignore: decorator
@inline
function homeOn(page: u32, low: u32): u32 {
  return (page << pageBits) | ((low << BUCKET_BITS) & bucketMask);
}

/** The next bucket of the same page; behind the last one comes the first. */
// @ts-ignore: decorator
@inline
function following(bucket: u32): u32 {
  return (bucket & ~(bucketMask | (BUCKET_BYTES - 1))) | ((bucket + BUCKET_BYTES) & bucketMask);
}

// @ts-ignore: decorator
@inline
function has64(bucket: u32, both: v128): bool {
  const left = v128.or(
    i64x2.eq(v128.load(bucket, PAGES_AT), both),
    i64x2.eq(v128.load(bucket, PAGES_AT + 16), both),
  );
  const right = v128.or(
    i64x2.eq(v128.load(bucket, PAGES_AT + 32), both),
    i64x2.eq(v128.load(bucket, PAGES_AT + 48), both),
  );
  return v128.any_true(v128.or(left, right));
}

/** Looks for a key from a bucket on: FOUND, or the bucket with room for it. */
// @ts-ignore: decorator
@inline
function search(home: u32, key: u64): u32 {
  const both = i64x2.splat(key);
  let bucket = home;
  let answer: u32 = 2;
  while (answer == 2) {
    if (has64(bucket, both)) answer = FOUND;
    else if (load<u32>(bucket, PAGES_AT + <usize>LAST) == 0) answer = bucket;
    else bucket = following(bucket);
  }
  return answer;
}

/** Puts a key into a bucket, which has room; true when its page has too many full ones now. */
// @ts-ignore: decorator
@inline
function put(bucket: u32, key: u64): bool {
  // To its first empty slot in three steps without a branch.
  let slot = bucket;
  slot += u32(load<u32>(slot, PAGES_AT + 24) != 0) << 5;
  slot += u32(load<u32>(slot, PAGES_AT + 8) != 0) << 4;
  slot += u32(load<u32>(slot, PAGES_AT) != 0) << 3;
  store<u64>(slot, key, PAGES_AT);
  if ((slot & LAST) != LAST) return false;
  const count = <usize>((slot >> pageBits) << 1);
  const full = <u32>load<u16>(count, COUNTS_AT) + 1;
  store<u16>(count, <u16>full, COUNTS_AT);
  return full > maxFull;
}

// @ts-ignore: decorator
@inline
function keyOf(low: u32, high: u32): u64 {
  return <u64>low | (<u64>high << 32);
}

/** 0 when it was there, 1 when it is new, 2 when it is new and its page is to be split. */
export function add(low: u32, high: u32): i32 {
  const one = low | u32(low == 0);
  const key = keyOf(one, high);
  const bucket = search(homeOn(pageAt(high), one), key);
  if (bucket == FOUND) return 0;
  return put(bucket, key) ? 2 : 1;
}

export function has(low: u32, high: u32): i32 {
  const one = low | u32(low == 0);
  return i32(search(homeOn(pageAt(high), one), keyOf(one, high)) == FOUND);
}

/**
 * Adds the fingerprints at FINGERPRINTS_AT with numbers from `from` to before `to`: at NEW_AT a 1 for each that is new,
 * else a 0, at ADDED_AT how many are. Returns 0, or ~n when the page of number n, the last one added, is to be split.
 */
export function addAll(from: u32, to: u32): i32 {
  return each(from, to, true);
}

/** The same, and adds none. */
export function searchAll(from: u32, to: u32): i32 {
  return each(from, to, false);
}

/**
 * First where each search begins, then a read there, then the searches. The reads do not depend on each other, so their
 * cache misses overlap, and the searches find what they need in the cache.
 */
// @ts-ignore: decorator
@inline
function each(from: u32, to: u32, adds: bool): i32 {
  let at = from;
  while (at < to) {
    const pair = <usize>(at << 3);
    const low = load<u32>(pair, FINGERPRINTS_AT);
    const one = low | u32(low == 0);
    store<u32>(pair, one, FINGERPRINTS_AT);
    const high = load<u32>(pair, FINGERPRINTS_AT + 4);
    store<u32>(<usize>(at << 2), homeOn(pageAt(high), one), HOMES_AT);
    at++;
  }
  let read: u32 = 0;
  at = from;
  while (at < to) {
    read ^= load<u32>(load<u32>(<usize>(at << 2), HOMES_AT), PAGES_AT);
    at++;
  }
  // Stored, so that the compiler does not drop the reads.
  store<u32>(DEALT_AT, read);
  let added: u32 = 0;
  let stopped = 0;
  at = from;
  while (at < to && stopped == 0) {
    const key = load<u64>(<usize>(at << 3), FINGERPRINTS_AT);
    const bucket = search(load<u32>(<usize>(at << 2), HOMES_AT), key);
    const isNew = u32(bucket != FOUND);
    store<u8>(<usize>at, <u8>isNew, NEW_AT);
    added += isNew;
    if (adds && isNew == 1 && put(bucket, key)) stopped = ~at;
    at++;
  }
  store<u32>(ADDED_AT, added);
  return stopped;
}

/**
 * Deals a page out to itself and to an empty one, `right`, which gets the fingerprints whose place has this bit.
 *
 * Bucket by bucket from the first one that nothing has overflowed into: what is put back then finds its home emptied
 * already, and lands at the latest where it was. How many slots of each bucket are taken stands aside meanwhile: to look
 * for the first empty one, the processor would wait for what was put there a moment ago.
 */
export function split(left: u32, right: u32, bit: u32): i32 {
  const countBits = pageBits - BUCKET_BITS;
  memory.fill(TAKEN_AT, 0, 2 << countBits);
  let dealing = left << pageBits;
  while (load<u32>(dealing, PAGES_AT + <usize>LAST) != 0) dealing = following(dealing);
  let full: u32 = 0;
  let fullRight: u32 = 0;
  let rest = <u32>1 << countBits;
  while (rest > 0) {
    dealing = following(dealing);
    takeOut(dealing);
    let at: usize = DEALT_AT;
    let key = load<u64>(at);
    while (<u32>key != 0) {
      const isMoved = (placeOf(<u32>(key >> 32)) >> bit) & 1;
      let bucket = homeOn(isMoved == 1 ? right : left, <u32>key);
      let place = placeIn(bucket, isMoved << countBits);
      let taken = <u32>load<u8>(place, TAKEN_AT);
      while (taken == BUCKET_SLOTS) {
        bucket = following(bucket);
        place = placeIn(bucket, isMoved << countBits);
        taken = load<u8>(place, TAKEN_AT);
      }
      store<u64>(bucket + (taken << 3), key, PAGES_AT);
      store<u8>(place, <u8>(taken + 1), TAKEN_AT);
      const isFull = u32(taken == BUCKET_SLOTS - 1);
      full += isFull;
      fullRight += isFull & isMoved;
      at += 8;
      key = at == DEALT_AT + BUCKET_BYTES ? 0 : load<u64>(at);
    }
    rest--;
  }
  store<u16>(<usize>(left << 1), <u16>(full - fullRight), COUNTS_AT);
  store<u16>(<usize>(right << 1), <u16>fullRight, COUNTS_AT);
  return 0;
}

/** Where the taken slots of a bucket are counted, behind TAKEN_AT. */
// @ts-ignore: decorator
@inline
function placeIn(bucket: u32, side: u32): usize {
  return ((bucket & bucketMask) >> BUCKET_BITS) | side;
}

/** Moves a bucket to DEALT_AT; it is empty then. */
// @ts-ignore: decorator
@inline
function takeOut(bucket: u32): void {
  v128.store(DEALT_AT, v128.load(bucket, PAGES_AT));
  v128.store(DEALT_AT, v128.load(bucket, PAGES_AT + 16), 16);
  v128.store(DEALT_AT, v128.load(bucket, PAGES_AT + 32), 32);
  v128.store(DEALT_AT, v128.load(bucket, PAGES_AT + 48), 48);
  const none = i64x2.splat(0);
  v128.store(bucket, none, PAGES_AT);
  v128.store(bucket, none, PAGES_AT + 16);
  v128.store(bucket, none, PAGES_AT + 32);
  v128.store(bucket, none, PAGES_AT + 48);
}
