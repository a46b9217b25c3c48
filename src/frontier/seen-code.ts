import {
  add32,
  add64,
  and32,
  areEqual64,
  block,
  both64,
  type Code,
  compile,
  differs32,
  get,
  hasAnyBit,
  I32,
  I64,
  i32,
  i64,
  isBelow32,
  isEqual32,
  isZero,
  leaveIf,
  load16,
  load32,
  load64,
  loadBlock,
  loadWord,
  loop,
  multiply64,
  narrow,
  noBlock,
  or32,
  or64,
  orBlock,
  quit,
  select,
  set,
  shiftLeft32,
  shiftLeft64,
  shiftRight32,
  shiftRight64,
  store16,
  store64,
  storeBlock,
  subtract32,
  V128,
  WASM_PAGE_BYTES,
  when,
  whileTrue,
  widen,
  xor32,
} from "./wasm-module.ts";

/*
 * What `WasmSeenTable` does for every fingerprint, as a WebAssembly module. A page of its memory is made of buckets of
 * eight fingerprints, one line of the cache each, filled from the left; a low half of 0 marks an empty slot. A
 * fingerprint is in the first bucket, from its home on, that had room when it came: so a bucket with an empty slot ends
 * a search, and nearly every search reads one line.
 */

/** What the module exports; halves of fingerprints are taken with a sign or without. */
export interface SeenCode {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** 0 when it was there, 1 when it is new, 2 when it is new and its page is to be split. */
  add(low: number, high: number): 0 | 1 | 2;
  has(low: number, high: number): 0 | 1;
  /** Reads the homes of the first `count` fingerprints at PRINTS_AT; what it answers means nothing. */
  touch(count: number): number;
  /** The page on which a fingerprint with this high half is. */
  pageOf(high: number): number;
  /** Deals a page out to itself and to an empty one, which gets the fingerprints whose place has this bit. */
  split(page: number, right: number, bit: number): 0;
}

/** A place, with 31 bits, is shifted by the word that stands here: that makes a place in the directory. */
export const SHIFT_AT = 0;
/** The bucket that is being dealt out. */
const DEALT_AT = 64;
/** Fingerprints to touch. */
export const PRINTS_AT = 128;
export const MOST_PRINTS = 128;
/** Full buckets of each page, in 16 bits. */
export const COUNTS_AT = WASM_PAGE_BYTES;
export const MOST_PAGES = 1 << 16;
/** Pages by place, in 16 bits. */
export const DIRECTORY_AT = COUNTS_AT + 2 * MOST_PAGES;
/** Halvings of the hash's range. */
export const MOST_DEPTH = 17;
export const PAGES_AT = DIRECTORY_AT + 2 * 2 ** MOST_DEPTH;

const BUCKET_BITS = 6;
export const BUCKET_BYTES = 1 << BUCKET_BITS;
/** The last slot of a bucket. */
const LAST = BUCKET_BYTES - 8;

// Of 2^32. The place of x is x (LINEAR + x (SQUARE + x CUBE)): within 0.02 % of 2^x - 1, from 0 to just below 1.
const LINEAR = 2_985_431_867n;
const SQUARE = 977_534_561n;
const CUBE = 2n ** 32n - LINEAR - SQUARE;
const times = (a: Code, b: Code): Code => shiftRight64(multiply64(a, b), i64(32n));

/** The place of a fingerprint among all, with 31 bits; `x` is a local of 64 bits that it may use. */
const placeOf = (high: Code, x: number): Code => {
  const steep = add64(i64(SQUARE), times(get(x), i64(CUBE)));
  const factor = add64(i64(LINEAR), times(get(x), steep));
  return [...set(x, widen(high)), ...narrow(shiftRight64(multiply64(get(x), factor), i64(33n)))];
};
const pageOf = (high: Code, x: number): Code => {
  const entry = shiftRight32(placeOf(high, x), load32(i32(SHIFT_AT)));
  return load16(shiftLeft32(entry, i32(1)), DIRECTORY_AT);
};

/** Moves `slot` on by 2^bits bytes if the slot at this offset from there is taken. */
const passTaken = (slot: number, offset: number, bits: number): Code => {
  const isTaken = isZero(isZero(loadWord(get(slot), offset)));
  return set(slot, add32(get(slot), shiftLeft32(isTaken, i32(bits))));
};
/** Puts a fingerprint into the bucket at `slot`, which has room: to its first empty slot in three steps without a branch. */
const put = (slot: number, key: number): Code => [
  ...passTaken(slot, 24, 5),
  ...passTaken(slot, 8, 4),
  ...passTaken(slot, 0, 3),
  ...store64(get(slot), get(key)),
];
const isLastSlot = (slot: number): Code => isEqual32(and32(get(slot), i32(LAST)), i32(LAST));
const fullBuckets = (page: number): Code => load16(shiftLeft32(get(page), i32(1)), COUNTS_AT);
const setFullBuckets = (page: number, count: Code): Code =>
  store16(shiftLeft32(get(page), i32(1)), count, COUNTS_AT);
const countFull = (page: number): Code => setFullBuckets(page, add32(fullBuckets(page), i32(1)));

/** Compiles it for pages of this many bytes, a power of two, each to be split when more buckets are full than `mostFull`. */
export function compileSeenCode(pageBytes: number, mostFull: number): () => SeenCode {
  const pageBits = Math.log2(pageBytes);
  const startOf = (page: Code): Code => add32(shiftLeft32(page, i32(pageBits)), i32(PAGES_AT));
  const wrapped = (bucket: Code): Code => and32(bucket, i32(pageBytes - BUCKET_BYTES));
  const homeOf = (low: Code): Code => wrapped(shiftLeft32(low, i32(BUCKET_BITS)));
  const following = (bucket: number): Code => wrapped(add32(get(bucket), i32(BUCKET_BYTES)));

  const functions = [
    {
      name: "add",
      parameters: [I32, I32],
      locals: [[4, I32], [2, I64], [1, V128]] as const, // biome-ignore format: a table
      result: I32,
      body: addBody(),
    },
    {
      name: "has",
      parameters: [I32, I32],
      locals: [[4, I32], [2, I64], [1, V128]] as const, // biome-ignore format: a table
      result: I32,
      body: [...searchBody(1), ...i32(0)],
    },
    {
      name: "touch",
      parameters: [I32],
      locals: [[3, I32], [1, I64]] as const, // biome-ignore format: a table
      result: I32,
      body: touchBody(),
    },
    {
      name: "pageOf",
      parameters: [I32],
      locals: [[1, I64]] as const,
      result: I32,
      body: pageOf(get(0), 1),
    },
    {
      name: "split",
      parameters: [I32, I32, I32],
      locals: [[8, I32], [2, I64]] as const, // biome-ignore format: a table
      result: I32,
      body: splitBody(),
    },
  ];
  return compile(functions, PAGES_AT / WASM_PAGE_BYTES) as () => SeenCode;

  /** Ends the function with `found` when the fingerprint is there; else the local 5 is a bucket with room for it. */
  function searchBody(found: number): Code {
    const [LOW, HIGH, PAGE, START, BUCKET, SLOT, KEY, X, BOTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    const isThere = (offset: number) => areEqual64(loadBlock(get(SLOT), offset), get(BOTH));
    const left = orBlock(isThere(0), isThere(16));
    const right = orBlock(isThere(32), isThere(48));
    return [
      ...set(LOW, or32(get(LOW), isZero(get(LOW)))),
      ...set(KEY, or64(widen(get(LOW)), shiftLeft64(widen(get(HIGH)), i64(32n)))),
      ...set(BOTH, both64(get(KEY))),
      ...set(PAGE, pageOf(get(HIGH), X)),
      ...set(START, startOf(get(PAGE))),
      ...set(BUCKET, homeOf(get(LOW))),
      ...loop([
        ...set(SLOT, add32(get(START), get(BUCKET))),
        ...when(hasAnyBit(orBlock(left, right)), quit(i32(found))),
        ...set(BUCKET, following(BUCKET)),
        ...leaveIf(loadWord(get(SLOT), LAST), 0),
      ]),
    ];
  }

  function addBody(): Code {
    const [PAGE, SLOT, KEY] = [2, 5, 6];
    return [
      ...searchBody(0),
      ...put(SLOT, KEY),
      ...when(isLastSlot(SLOT), [
        ...countFull(PAGE),
        ...when(isBelow32(i32(mostFull), fullBuckets(PAGE)), quit(i32(2))),
      ]),
      ...i32(1),
    ];
  }

  function touchBody(): Code {
    const [COUNT, AT, READ, LOW, X] = [0, 1, 2, 3, 4];
    const start = startOf(pageOf(loadWord(get(AT), PRINTS_AT + 4), X));
    return [
      ...set(COUNT, shiftLeft32(get(COUNT), i32(3))),
      ...whileTrue(isBelow32(get(AT), get(COUNT)), [
        ...set(LOW, loadWord(get(AT), PRINTS_AT)),
        ...set(READ, xor32(get(READ), load32(add32(start, homeOf(get(LOW)))))),
        ...set(AT, add32(get(AT), i32(8))),
      ]),
      ...get(READ),
    ];
  }

  /**
   * Bucket by bucket from the first one that nothing has overflowed into: what is put back then finds its home emptied
   * already, and lands at the latest where it was.
   */
  function splitBody(): Code {
    const [LEFT, RIGHT, BIT, FROM, BUCKETS, DEALING, AT, PAGE, BUCKET, SLOT] = [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ];
    const [KEY, X] = [11, 12];
    const dealing = add32(get(FROM), get(DEALING));
    const isMoved = and32(
      shiftRight32(placeOf(narrow(shiftRight64(get(KEY), i64(32n))), X), get(BIT)),
      i32(1),
    );
    const putBack: Code = [
      ...set(PAGE, select(get(RIGHT), get(LEFT), isMoved)),
      ...set(BUCKET, homeOf(narrow(get(KEY)))),
      ...loop([
        ...set(SLOT, add32(startOf(get(PAGE)), get(BUCKET))),
        ...set(BUCKET, following(BUCKET)),
        ...leaveIf(loadWord(get(SLOT), LAST), 0),
      ]),
      ...put(SLOT, KEY),
      ...when(isLastSlot(SLOT), countFull(PAGE)),
    ];
    const takeOut = (offset: number): Code => [
      ...storeBlock(i32(DEALT_AT), loadBlock(dealing, offset), offset),
      ...storeBlock(dealing, noBlock, offset),
    ];
    return [
      ...setFullBuckets(LEFT, i32(0)),
      ...set(FROM, startOf(get(LEFT))),
      ...whileTrue(loadWord(dealing, LAST), set(DEALING, following(DEALING))),
      ...set(BUCKETS, i32(pageBytes / BUCKET_BYTES)),
      ...loop([
        ...set(DEALING, following(DEALING)),
        ...[0, 16, 32, 48].flatMap(takeOut),
        ...set(AT, i32(DEALT_AT)),
        ...block(
          loop([
            ...set(KEY, load64(get(AT))),
            ...leaveIf(isZero(narrow(get(KEY))), 1),
            ...putBack,
            ...set(AT, add32(get(AT), i32(8))),
            ...leaveIf(differs32(get(AT), i32(DEALT_AT + BUCKET_BYTES)), 0),
          ]),
        ),
        ...set(BUCKETS, subtract32(get(BUCKETS), i32(1))),
        ...leaveIf(get(BUCKETS), 0),
      ]),
      ...i32(0),
    ];
  }
}
