import { LENGTHS_AT, MARKS_AT, PRINTS_AT, TEXT_AT } from "./sip-hash-layout.ts";

/** SipHash-1-3 of texts in a memory of its own; `sip-hash-wasm.ts` has the fast one. */
export interface SipHash {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /**
   * Hashes `count` texts that follow each other from TEXT_AT on, with 8 more bytes of memory behind them; their lengths
   * are at LENGTHS_AT. The hashes go to PRINTS_AT as words of 32 bits, low before high, and MARKS_AT gets a 1 for each
   * text that contains "%" or ends with "?", else a 0. Returns the number of 1s. The key is the seed, and the seed with
   * its halves swapped.
   */
  hashAll(count: number, seedLow: number, seedHigh: number): number;
  /** The same when no text contains "%", which is cheaper. */
  hashUnescaped(count: number, seedLow: number, seedHigh: number): number;
  /**
   * Puts one "#" in the place of every run of ASCII digits in a text of so many bytes at TEXT_AT, with 16 more bytes of memory
   * behind it; returns its length then.
   */
  foldNumbers(length: number): number;
}

/** Memory grows by pages of this size. */
export const SIP_PAGE_BYTES = 1 << 16;

/** The hash's own constants: "somepseudorandomlygeneratedbytes". */
const SIP_CONSTANTS = [
  0x736f6d6570736575n,
  0x646f72616e646f6dn,
  0x6c7967656e657261n,
  0x7465646279746573n,
] as const;

const PERCENT = "%".charCodeAt(0);
const QUESTION_MARK = "?".charCodeAt(0);
const NUMBER_SIGN = "#".charCodeAt(0);

/** The same in big integers, more than 100 times slower: for platforms without WebAssembly or memory for it. */
export function makePlainSipHash(): SipHash {
  let buffer = new ArrayBuffer(SIP_PAGE_BYTES);
  const hashAll: SipHash["hashAll"] = (count, seedLow, seedHigh) => {
    const view = new DataView(buffer);
    const bytes = new Uint8Array(buffer);
    const low = BigInt(seedLow >>> 0);
    const high = BigInt(seedHigh >>> 0);
    const keys = [low | (high << 32n), high | (low << 32n)] as const;
    let marked = 0;
    for (let i = 0, from = TEXT_AT; i < count; i++) {
      const to = from + view.getUint32(LENGTHS_AT + 4 * i, true);
      view.setBigUint64(PRINTS_AT + 8 * i, sipHash13(view, from, to, keys), true);
      const isMarked =
        bytes.subarray(from, to).includes(PERCENT) || bytes[to - 1] === QUESTION_MARK;
      bytes[MARKS_AT + i] = isMarked ? 1 : 0;
      marked += bytes[MARKS_AT + i]!;
      from = to;
    }
    return marked;
  };
  return {
    memory: {
      get buffer() {
        return buffer;
      },
      grow(pages) {
        const before = buffer;
        buffer = new ArrayBuffer(before.byteLength + pages * SIP_PAGE_BYTES);
        new Uint8Array(buffer).set(new Uint8Array(before));
        return before.byteLength / SIP_PAGE_BYTES;
      },
    },
    hashAll,
    hashUnescaped: hashAll,
    foldNumbers(length) {
      const bytes = new Uint8Array(buffer, TEXT_AT, length);
      let to = 0;
      let isInNumber = false;
      for (const byte of bytes) {
        const isDigit = byte >= 0x30 && byte <= 0x39;
        if (!isDigit || !isInNumber) bytes[to++] = isDigit ? NUMBER_SIGN : byte;
        isInNumber = isDigit;
      }
      return to;
    },
  };
}

function sipHash13(
  view: DataView,
  from: number,
  to: number,
  keys: readonly [bigint, bigint],
): bigint {
  const v = SIP_CONSTANTS.map((constant, i) => constant ^ keys[i % 2]!);
  const length = to - from;
  const whole = from + (length & ~7);
  const take = (word: bigint) => {
    v[3]! ^= word;
    round(v);
    v[0]! ^= word;
  };
  for (let at = from; at < whole; at += 8) take(view.getBigUint64(at, true));
  const left = (1n << BigInt(8 * (length & 7))) - 1n;
  take((view.getBigUint64(whole, true) & left) | (BigInt(length & 0xff) << 56n));
  v[2]! ^= 0xffn;
  for (let i = 0; i < 3; i++) round(v);
  return v[0]! ^ v[1]! ^ v[2]! ^ v[3]!;
}

function round(v: bigint[]): void {
  half(v, 0, 1, 13n);
  v[0] = rotated(v[0]!, 32n);
  half(v, 2, 3, 16n);
  half(v, 0, 3, 21n);
  half(v, 2, 1, 17n);
  v[2] = rotated(v[2]!, 32n);
}

function half(v: bigint[], a: number, b: number, bits: bigint): void {
  v[a] = BigInt.asUintN(64, v[a]! + v[b]!);
  v[b] = rotated(v[b]!, bits) ^ v[a]!;
}

function rotated(value: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (value << bits) | (value >> (64n - bits)));
}
