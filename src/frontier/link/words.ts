/*
 * Little-endian numbers in a buffer, without the range checks of `readUInt32LE` and its like, which cost more than the
 * bytes. The caller knows that they are there.
 */

const TWO_32 = 2 ** 32;

/** Reads 16 bits. */
export function short(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

/** Writes the low 16 bits of a number. */
export function writeShort(bytes: Buffer, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

/** Reads 32 bits. */
export function word(bytes: Buffer, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

/** Writes the low 32 bits of a number. */
export function writeWord(bytes: Buffer, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** Writes two such numbers, one behind the other: both halves of a fingerprint, or of 64 bits. */
export function writePair(bytes: Buffer, at: number, low: number, high: number): void {
  bytes[at] = low;
  bytes[at + 1] = low >>> 8;
  bytes[at + 2] = low >>> 16;
  bytes[at + 3] = low >>> 24;
  bytes[at + 4] = high;
  bytes[at + 5] = high >>> 8;
  bytes[at + 6] = high >>> 16;
  bytes[at + 7] = high >>> 24;
}

/** Reads what `writeWide` wrote. */
export function readWide(bytes: Buffer, at: number): number {
  return word(bytes, at) + word(bytes, at + 4) * TWO_32;
}

/** Writes a whole number below 2^53 as 64 bits. */
export function writeWide(bytes: Buffer, at: number, value: number): void {
  writePair(bytes, at, value, Math.floor(value / TWO_32));
}
