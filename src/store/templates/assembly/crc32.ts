// CRC-32 as gzip has it, eight bytes at a time. For long records the platform's is faster.

import { CRC_TABLES } from "./store-layout";

/** Records from this size on are summed by JavaScript. */
const LONG: i32 = 2048;

declare function crcOf(at: usize, bytes: i32): u32;

export function makeCrcTables(): void {
  let i: u32 = 0;
  while (i < 256) {
    let sum = i;
    let bit = 0;
    while (bit < 8) {
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
      bit++;
    }
    store<u32>(CRC_TABLES + (i << 2), sum);
    i++;
  }
  i = 0;
  while (i < 256) {
    let sum = load<u32>(CRC_TABLES + (i << 2));
    let table: u32 = 1;
    while (table < 8) {
      sum = (sum >>> 8) ^ load<u32>(CRC_TABLES + ((sum & 255) << 2));
      store<u32>(CRC_TABLES + (table << 10) + (i << 2), sum);
      table++;
    }
    i++;
  }
}

// @ts-ignore: decorator
@inline
function entry(table: i32, byte: u32): u32 {
  return load<u32>(CRC_TABLES + (table << 10) + ((byte & 255) << 2));
}

export function crc32(from: usize, bytes: i32): u32 {
  if (bytes >= LONG) return crcOf(from, bytes);
  let sum: u32 = 0xffffffff;
  let at = from;
  const end = from + bytes;
  const whole = from + (bytes & ~7);
  while (at < whole) {
    const low = load<u32>(at) ^ sum;
    const high = load<u32>(at + 4);
    sum =
      entry(7, low) ^ entry(6, low >>> 8) ^ entry(5, low >>> 16) ^ entry(4, low >>> 24) ^
      entry(3, high) ^ entry(2, high >>> 8) ^ entry(1, high >>> 16) ^ entry(0, high >>> 24);
    at += 8;
  }
  while (at < end) {
    sum = (sum >>> 8) ^ entry(0, sum ^ load<u8>(at));
    at++;
  }
  return ~sum;
}
