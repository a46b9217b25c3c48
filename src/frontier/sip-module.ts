import { makePlainSipHash, SIP_CONSTANTS, type SipHash, TEXT_AT } from "./sip-hash.ts";
import {
  add32,
  and32,
  binary,
  type Code,
  get,
  I32,
  I64,
  i32,
  i64,
  instantiate,
  isBelow32,
  set,
  shiftLeft32,
  whileTrue,
} from "./wasm-module.ts";

/*
 * SipHash-1-3 (Aumasson, Bernstein 2012) as a WebAssembly module: JavaScript has no fast arithmetic on 64 bits. The
 * module has one function and one memory, as `SipHash` wants them.
 * Looking for "%" costs nothing here: it needs no more than the places that the rounds leave free.
 */

/** The fastest there is here. */
export function makeSipHash(): SipHash {
  try {
    return makeWasmSipHash();
  } catch {
    return makePlainSipHash();
  }
}

/** As a module with a memory of its own. */
export function makeWasmSipHash(): SipHash {
  return instantiate({
    name: "hash",
    parameters: [I32, I32, I32],
    locals: [[2, I32], [7, I64]], // biome-ignore format: a table
    result: I32,
    body: BODY,
    memoryPages: 1,
  }) as SipHash;
}

// Parameters and locals by number.
const LENGTH = 0;
const SEED_LOW = 1;
const SEED_HIGH = 2;
const AT = 3;
const END = 4;
const V0 = 5;
const V1 = 6;
const V2 = 7;
const V3 = 8;
const WORD = 9;
const MARKED = 10;
const PERCENTS = 11;

const load64 = (at: Code): Code => [...at, 0x29, 0, 0];
const store64 = (at: Code, value: Code): Code => [...at, ...value, 0x37, 0, 0];
const add = binary(0x7c);
const subtract = binary(0x7d);
const and = binary(0x83);
const or = binary(0x84);
const xor = binary(0x85);
const shiftLeft = binary(0x86);
const rotateLeft = (a: Code, bits: number): Code => [...a, ...i64(BigInt(bits)), 0x89];
const isNotZero = (a: Code): Code => [...a, ...i64(0n), 0x52];
const widen = (a: Code): Code => [...a, 0xad];
/** a += b; b = (b <<< bits) ^ a. */
const halfRound = (a: number, b: number, bits: number): Code => [
  ...set(a, add(get(a), get(b))),
  ...set(b, xor(rotateLeft(get(b), bits), get(a))),
];

const ROUND: Code = [
  ...halfRound(V0, V1, 13),
  ...set(V0, rotateLeft(get(V0), 32)),
  ...halfRound(V2, V3, 16),
  ...halfRound(V0, V3, 21),
  ...halfRound(V2, V1, 17),
  ...set(V2, rotateLeft(get(V2), 32)),
];

/** One word of the text: into v3, one round, into v0. */
const TAKE_WORD: Code = [
  ...set(V3, xor(get(V3), get(WORD))),
  ...ROUND,
  ...set(V0, xor(get(V0), get(WORD))),
];

/** Notes a "%" in the word: it turns into a zero, and only below a zero, or in one, taking 1 from each byte sets its top bit anew. */
const NOTE_PERCENT: Code = [
  ...set(MARKED, xor(get(WORD), i64(0x2525252525252525n))),
  ...set(
    PERCENTS,
    or(
      get(PERCENTS),
      and(
        subtract(get(MARKED), i64(0x0101010101010101n)),
        and(xor(get(MARKED), i64(-1n)), i64(0x8080808080808080n)),
      ),
    ),
  ),
];

const wide = (low: number, high: number): Code =>
  or(widen(get(low)), shiftLeft(widen(get(high)), i64(32n)));
const KEY_0 = wide(SEED_LOW, SEED_HIGH);
const KEY_1 = wide(SEED_HIGH, SEED_LOW);

/** A mask for the bytes behind the last whole word: 2^(8 * (length mod 8)) - 1. */
const LEFT_OVER: Code = subtract(
  shiftLeft(i64(1n), widen(shiftLeft32(and32(get(LENGTH), i32(7)), i32(3)))),
  i64(1n),
);

const BODY: Code = [
  ...set(V0, xor(KEY_0, i64(SIP_CONSTANTS[0]))),
  ...set(V1, xor(KEY_1, i64(SIP_CONSTANTS[1]))),
  ...set(V2, xor(KEY_0, i64(SIP_CONSTANTS[2]))),
  ...set(V3, xor(KEY_1, i64(SIP_CONSTANTS[3]))),
  ...set(AT, i32(TEXT_AT)),
  ...set(END, add32(get(AT), and32(get(LENGTH), i32(-8)))),
  ...whileTrue(isBelow32(get(AT), get(END)), [
    ...set(WORD, load64(get(AT))),
    ...NOTE_PERCENT,
    ...TAKE_WORD,
    ...set(AT, add32(get(AT), i32(8))),
  ]),
  // The last word: the bytes left over and the length in the top byte, so that "a" and "a\0" differ.
  ...set(WORD, and(load64(get(AT)), LEFT_OVER)),
  ...NOTE_PERCENT,
  ...set(WORD, or(get(WORD), shiftLeft(widen(get(LENGTH)), i64(56n)))),
  ...TAKE_WORD,
  ...set(V2, xor(get(V2), i64(0xffn))),
  ...ROUND,
  ...ROUND,
  ...ROUND,
  ...store64(i32(0), xor(xor(get(V0), get(V1)), xor(get(V2), get(V3)))),
  ...isNotZero(get(PERCENTS)),
];
