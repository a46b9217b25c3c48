import {
  add32,
  and32,
  areEqual64,
  block,
  both64,
  type Code,
  compile,
  get,
  hasAnyBit,
  I32,
  I64,
  i32,
  i64,
  isBelow32,
  isEqual32,
  isZero,
  leave,
  leaveIf,
  load64,
  loadBlock,
  loadWord,
  loop,
  or32,
  or64,
  orBlock,
  quit,
  set,
  shiftLeft32,
  shiftLeft64,
  store32,
  store64,
  storeByte,
  V128,
  WASM_PAGE_BYTES,
  when,
  whileTrue,
  widen,
  xor32,
} from "../../hash/wasm-assembler.ts";
import {
  ADDED_AT,
  bucketsOf,
  DEALT_AT,
  FINGERPRINTS_AT,
  fullBuckets,
  HOMES_AT,
  LAST,
  NEW_AT,
  PAGES_AT,
  pageOf,
  setFullBuckets,
  wordIn,
} from "./wasm-layout.ts";
import { splitFunction } from "./wasm-split.ts";

/*
 * What `WasmSeenTable` does for every fingerprint, as a WebAssembly module. A fingerprint is in the first bucket, from its
 * home on, that had room when it came: so a bucket with an empty slot ends a search, and nearly every search reads one
 * line.
 */

/** What the module exports; halves of fingerprints are taken with a sign or without. */
export interface SeenCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** 0 when it was there, 1 when it is new, 2 when it is new and its page is to be split. */
  add(low: number, high: number): 0 | 1 | 2;
  has(low: number, high: number): 0 | 1;
  /**
   * Adds the fingerprints at FINGERPRINTS_AT with numbers from `from` to before `to`: at NEW_AT a 1 for each that is new, else a
   * 0, at ADDED_AT how many are. Returns 0, or ~n when the page of number n, the last one added, is to be split first.
   */
  addAll(from: number, to: number): number;
  /** The same, and adds none. */
  searchAll(from: number, to: number): 0;
  /** The page on which a fingerprint with this high half is. */
  pageOf(high: number): number;
  /** Deals a page out to itself and to an empty one, which gets the fingerprints whose place has this bit. */
  split(page: number, right: number, bit: number): 0;
}

/** Moves `slot` on by 2^bits bytes if the slot at this offset from there is taken. */
const passTaken = (slot: number, offset: number, bits: number): Code => {
  const isTaken = isZero(isZero(wordIn(slot, offset)));
  return set(slot, add32(get(slot), shiftLeft32(isTaken, i32(bits))));
};
/** Puts a fingerprint into the bucket at `slot`, which has room: to its first empty slot in three steps without a branch. */
const put = (slot: number, key: number): Code => [
  ...passTaken(slot, 24, 5),
  ...passTaken(slot, 8, 4),
  ...passTaken(slot, 0, 3),
  ...store64(get(slot), get(key), PAGES_AT),
];
const isLastSlot = (slot: number): Code => isEqual32(and32(get(slot), i32(LAST)), i32(LAST));

/** Compiles it for pages of this many bytes, a power of two, each to be split when more buckets are full than `maxFull`. */
export function compileSeenCode(pageBytes: number, maxFull: number): () => SeenCode {
  const { homeOn, following, pageAt } = bucketsOf(pageBytes);
  const one = {
    parameters: [I32, I32],
    locals: [[1, I32], [2, I64], [1, V128]] as const, // biome-ignore format: a table
    result: I32,
  };
  const many = {
    parameters: [I32, I32],
    locals: [[5, I32], [2, I64], [1, V128]] as const, // biome-ignore format: a table
    result: I32,
  };
  const page = { parameters: [I32], locals: [[1, I64]] as const, result: I32 };
  const functions = [
    { name: "add", ...one, body: addBody() },
    { name: "has", ...one, body: [...searchBody(quit(i32(1))), ...i32(0)] },
    { name: "addAll", ...many, body: searchAllBody(true) },
    { name: "searchAll", ...many, body: searchAllBody(false) },
    { name: "pageOf", ...page, body: pageOf(get(0), 1) },
    splitFunction(pageBytes),
  ];
  return compile(functions, PAGES_AT / WASM_PAGE_BYTES) as () => SeenCode;

  /** Looks for `key` from the bucket at `slot` on: `whenFound`, or `slot` gets to a bucket with room for it. */
  function search(slot: number, key: number, both: number, whenFound: Code): Code {
    const isThere = (offset: number) =>
      areEqual64(loadBlock(get(slot), PAGES_AT + offset), get(both));
    const left = orBlock(isThere(0), isThere(16));
    const right = orBlock(isThere(32), isThere(48));
    return [
      ...set(both, both64(get(key))),
      ...block(
        loop([
          ...when(hasAnyBit(orBlock(left, right)), whenFound),
          ...leaveIf(isZero(wordIn(slot, LAST)), 1),
          ...set(slot, following(slot)),
          ...leave(0),
        ]),
      ),
    ];
  }

  /** Puts `key` into the bucket at `slot`; `whenTooMany` when its page has too many full ones now. */
  function putAndCount(slot: number, key: number, whenTooMany: Code): Code {
    const count = fullBuckets(pageAt(slot));
    return [
      ...put(slot, key),
      ...when(isLastSlot(slot), [
        ...setFullBuckets(pageAt(slot), add32(count, i32(1))),
        ...when(isBelow32(i32(maxFull), count), whenTooMany),
      ]),
    ];
  }

  function searchBody(whenFound: Code): Code {
    const [LOW, HIGH, SLOT, KEY, X, BOTH] = [0, 1, 2, 3, 4, 5];
    return [
      ...set(LOW, or32(get(LOW), isZero(get(LOW)))),
      ...set(KEY, or64(widen(get(LOW)), shiftLeft64(widen(get(HIGH)), i64(32n)))),
      ...set(SLOT, homeOn(pageOf(get(HIGH), X), get(LOW))),
      ...search(SLOT, KEY, BOTH, whenFound),
    ];
  }

  function addBody(): Code {
    const [SLOT, KEY] = [2, 3];
    return [...searchBody(quit(i32(0))), ...putAndCount(SLOT, KEY, quit(i32(2))), ...i32(1)];
  }

  /**
   * First where each search begins, then a read there, then the searches. The reads do not depend on each other, so their
   * cache misses overlap, and the searches find what they need in the cache.
   */
  function searchAllBody(adds: boolean): Code {
    const [FROM, TO, AT, SLOT, LOW, NEW, ADDED, KEY, X, BOTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const each = (body: Code): Code => [
      ...set(AT, get(FROM)),
      ...whileTrue(isBelow32(get(AT), get(TO)), [...body, ...set(AT, add32(get(AT), i32(1)))]),
    ];
    const fingerprintAt = shiftLeft32(get(AT), i32(3));
    const low = loadWord(fingerprintAt, FINGERPRINTS_AT);
    const high = loadWord(fingerprintAt, FINGERPRINTS_AT + 4);
    const homeAt = shiftLeft32(get(AT), i32(2));
    const home = loadWord(homeAt, HOMES_AT);
    const note = [
      ...storeByte(get(AT), get(NEW), NEW_AT),
      ...set(ADDED, add32(get(ADDED), get(NEW))),
    ];
    const end = store32(i32(ADDED_AT), get(ADDED));
    const stop = [...note, ...end, ...quit(xor32(get(AT), i32(-1)))];
    return [
      ...each([
        ...set(LOW, or32(low, isZero(low))),
        ...store32(fingerprintAt, get(LOW), FINGERPRINTS_AT),
        ...store32(homeAt, homeOn(pageOf(high, X), get(LOW)), HOMES_AT),
      ]),
      ...each(set(NEW, xor32(get(NEW), loadWord(home, PAGES_AT)))),
      // Stored, so that the compiler does not drop the reads.
      ...store32(i32(DEALT_AT), get(NEW)),
      ...each([
        ...set(KEY, load64(fingerprintAt, FINGERPRINTS_AT)),
        ...set(SLOT, home),
        ...set(NEW, i32(0)),
        ...block([
          ...search(SLOT, KEY, BOTH, leave(3)),
          ...set(NEW, i32(1)),
          ...(adds ? putAndCount(SLOT, KEY, stop) : []),
        ]),
        ...note,
      ]),
      ...end,
      ...i32(0),
    ];
  }
}
