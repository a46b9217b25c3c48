/** SipHash-1-3 of bytes in a memory of its own; `sip-module.ts` has the fast one. */
export interface SipHash {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /**
   * Of the `length` bytes from TEXT_AT on, behind which the memory has 8 more. The result is left at 0 as two words of
   * 32 bits, low before high. Answers 1 when there is a "%" among the bytes, else 0. The key is the seed, and the seed
   * with its halves swapped.
   */
  hash(length: number, seedLow: number, seedHigh: number): 0 | 1;
}

/** Where the text to hash stands in the memory. */
export const TEXT_AT = 8;
/** Memory grows by pages of this size. */
export const SIP_PAGE_BYTES = 1 << 16;

/** The hash's own constants: "somepseudorandomlygeneratedbytes". */
export const SIP_CONSTANTS = [
  0x736f6d6570736575n,
  0x646f72616e646f6dn,
  0x6c7967656e657261n,
  0x7465646279746573n,
] as const;

const PERCENT = "%".charCodeAt(0);

/** The same function in big integers, more than 100 times slower: for where there is no WebAssembly, or no room for it. */
export function makePlainSipHash(): SipHash {
  let buffer = new ArrayBuffer(SIP_PAGE_BYTES);
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
    hash(length, seedLow, seedHigh) {
      const view = new DataView(buffer);
      const low = BigInt(seedLow >>> 0);
      const high = BigInt(seedHigh >>> 0);
      view.setBigUint64(0, sipHash13(view, length, low | (high << 32n), high | (low << 32n)), true);
      return new Uint8Array(buffer, TEXT_AT, length).includes(PERCENT) ? 1 : 0;
    },
  };
}

function sipHash13(view: DataView, length: number, key0: bigint, key1: bigint): bigint {
  const v = SIP_CONSTANTS.map((constant, i) => constant ^ (i % 2 === 0 ? key0 : key1));
  const whole = TEXT_AT + (length & ~7);
  const take = (word: bigint) => {
    v[3]! ^= word;
    round(v);
    v[0]! ^= word;
  };
  for (let at = TEXT_AT; at < whole; at += 8) take(view.getBigUint64(at, true));
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
