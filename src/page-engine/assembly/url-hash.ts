// SipHash-1-3 (Aumasson, Bernstein 2012), as src/hash/sip-hash.ts defines it.

let key0: u64 = 0;
let key1: u64 = 0;

/** The key is the seed, and the seed with its halves swapped. */
export function setSeed(low: i32, high: i32): void {
  key0 = <u64>(<u32>low) | (<u64>(<u32>high) << 32);
  key1 = <u64>(<u32>high) | (<u64>(<u32>low) << 32);
}

/**
 * The hash of the bytes at an address; up to eight bytes behind them are read and masked. The state is in local variables,
 * which the compiler keeps in registers, so a round is written out where it is needed.
 */
export function urlHash(at: usize, length: i32): u64 {
  let v0 = key0 ^ 0x736f6d6570736575;
  let v1 = key1 ^ 0x646f72616e646f6d;
  let v2 = key0 ^ 0x6c7967656e657261;
  let v3 = key1 ^ 0x7465646279746573;
  const whole = at + (length & ~7);
  const left = <u64>1 << <u64>(8 * (length & 7));
  const last = (load<u64>(whole) & (left - 1)) | (<u64>length << 56);
  let p = at;
  while (p <= whole) {
    const word = p < whole ? load<u64>(p) : last;
    v3 ^= word;
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 ^= word;
    p += 8;
  }
  v2 ^= 0xff;
  let rounds = 3;
  while (rounds > 0) {
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    rounds--;
  }
  return v0 ^ v1 ^ v2 ^ v3;
}
