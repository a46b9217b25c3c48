import {
  LENGTHS_AT,
  MARKS_AT,
  makePlainSipHash,
  PRINTS_AT,
  SIP_CONSTANTS,
  type SipHash,
  TEXT_AT,
} from "./sip-hash.ts";
import {
  add32,
  add64,
  and32,
  and64,
  type Code,
  compile,
  get,
  I32,
  I64,
  i32,
  i64,
  isBelow32,
  isEqual32,
  isNotZero64,
  load64,
  loadByte,
  loadWord,
  or32,
  or64,
  rotateLeft64,
  set,
  shiftLeft32,
  shiftLeft64,
  store64,
  storeByte,
  subtract32,
  subtract64,
  whileTrue,
  widen,
  xor64,
} from "./wasm-assembler.ts";

/*
 * SipHash-1-3 (Aumasson, Bernstein 2012) as a WebAssembly module: JavaScript has no fast 64-bit arithmetic. The module
 * has two functions and one memory, as `SipHash` declares them. Looking for "%" is a fifth of the cost; one search over
 * many texts together, before, is cheaper.
 */

/** The fastest implementation on this platform. */
export function makeSipHash(): SipHash {
  try {
    return makeWasmSipHash();
  } catch {
    return makePlainSipHash();
  }
}

/** As a module with a memory of its own. */
export function makeWasmSipHash(): SipHash {
  const hash = {
    parameters: [I32, I32, I32],
    locals: [[6, I32], [7, I64]] as const, // biome-ignore format: a table
    result: I32,
  };
  const functions = [
    { name: "hashAll", ...hash, body: bodyOf(NOTE_PERCENT) },
    { name: "hashUnescaped", ...hash, body: bodyOf([]) },
  ];
  return compile(functions, 1)() as SipHash;
}

// Parameters and locals by number.
const COUNT = 0;
const SEED_LOW = 1;
const SEED_HIGH = 2;
const TEXT = 3;
const LENGTH = 4;
const AT = 5;
const END = 6;
const MARK = 7;
const MARKS = 8;
const V0 = 9;
const V1 = 10;
const V2 = 11;
const V3 = 12;
const WORD = 13;
const MARKED = 14;
const PERCENTS = 15;

/** a += b; b = (b <<< bits) ^ a. */
const halfRound = (a: number, b: number, bits: number): Code => [
  ...set(a, add64(get(a), get(b))),
  ...set(b, xor64(rotateLeft64(get(b), bits), get(a))),
];

const ROUND: Code = [
  ...halfRound(V0, V1, 13),
  ...set(V0, rotateLeft64(get(V0), 32)),
  ...halfRound(V2, V3, 16),
  ...halfRound(V0, V3, 21),
  ...halfRound(V2, V1, 17),
  ...set(V2, rotateLeft64(get(V2), 32)),
];

/** One word of the text: into v3, one round, into v0. */
const TAKE_WORD: Code = [
  ...set(V3, xor64(get(V3), get(WORD))),
  ...ROUND,
  ...set(V0, xor64(get(V0), get(WORD))),
];

/** Notes a "%" in the word: it becomes a zero byte, and subtracting 1 from each byte sets a new top bit only at or above a zero. */
const NOTE_PERCENT: Code = [
  ...set(MARKED, xor64(get(WORD), i64(0x2525252525252525n))),
  ...set(
    PERCENTS,
    or64(
      get(PERCENTS),
      and64(
        subtract64(get(MARKED), i64(0x0101010101010101n)),
        and64(xor64(get(MARKED), i64(-1n)), i64(0x8080808080808080n)),
      ),
    ),
  ),
];

const wide = (low: number, high: number): Code =>
  or64(widen(get(low)), shiftLeft64(widen(get(high)), i64(32n)));
const KEY_0 = wide(SEED_LOW, SEED_HIGH);
const KEY_1 = wide(SEED_HIGH, SEED_LOW);

/** A mask for the bytes behind the last whole word: 2^(8 * (length mod 8)) - 1. */
const LEFT_OVER: Code = subtract64(
  shiftLeft64(i64(1n), widen(shiftLeft32(and32(get(LENGTH), i32(7)), i32(3)))),
  i64(1n),
);

/** Hashes the LENGTH bytes from AT on, behind which AT is moved up to the last whole word; `note` sees every word. */
const hashText = (note: Code): Code => [
  ...set(V0, xor64(KEY_0, i64(SIP_CONSTANTS[0]))),
  ...set(V1, xor64(KEY_1, i64(SIP_CONSTANTS[1]))),
  ...set(V2, xor64(KEY_0, i64(SIP_CONSTANTS[2]))),
  ...set(V3, xor64(KEY_1, i64(SIP_CONSTANTS[3]))),
  ...set(PERCENTS, i64(0n)),
  ...set(END, add32(get(AT), and32(get(LENGTH), i32(-8)))),
  ...whileTrue(isBelow32(get(AT), get(END)), [
    ...set(WORD, load64(get(AT))),
    ...note,
    ...TAKE_WORD,
    ...set(AT, add32(get(AT), i32(8))),
  ]),
  // The last word: the bytes left over and the length in the top byte, so that "a" and "a\0" differ.
  ...set(WORD, and64(load64(get(AT)), LEFT_OVER)),
  ...note,
  ...set(WORD, or64(get(WORD), shiftLeft64(widen(get(LENGTH)), i64(56n)))),
  ...TAKE_WORD,
  ...set(V2, xor64(get(V2), i64(0xffn))),
  ...ROUND,
  ...ROUND,
  ...ROUND,
];

/** The number of the text, times so many bytes. */
const timesText = (bytes: number): Code => shiftLeft32(get(TEXT), i32(Math.log2(bytes)));
const QUESTION_MARK = "?".charCodeAt(0);

const bodyOf = (note: Code): Code => [
  ...set(AT, i32(TEXT_AT)),
  ...whileTrue(isBelow32(get(TEXT), get(COUNT)), [
    ...set(LENGTH, loadWord(timesText(4), LENGTHS_AT)),
    ...hashText(note),
    ...store64(
      add32(timesText(8), i32(PRINTS_AT)),
      xor64(xor64(get(V0), get(V1)), xor64(get(V2), get(V3))),
    ),
    ...set(AT, add32(get(AT), and32(get(LENGTH), i32(7)))),
    ...set(
      MARK,
      or32(
        isNotZero64(get(PERCENTS)),
        isEqual32(loadByte(subtract32(get(AT), i32(1)), 0), i32(QUESTION_MARK)),
      ),
    ),
    ...storeByte(add32(get(TEXT), i32(MARKS_AT)), get(MARK)),
    ...set(MARKS, add32(get(MARKS), get(MARK))),
    ...set(TEXT, add32(get(TEXT), i32(1))),
  ]),
  ...get(MARKS),
];
