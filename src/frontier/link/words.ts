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

/** Reads what `writeWide` wrote. */
export function readWide(bytes: Buffer, at: number): number {
  return word(bytes, at) + word(bytes, at + 4) * TWO_32;
}

/** Writes a whole number below 2^53 as 64 bits. */
export function writeWide(bytes: Buffer, at: number, value: number): void {
  writeWord(bytes, at, value);
  writeWord(bytes, at + 4, Math.floor(value / TWO_32));
}
