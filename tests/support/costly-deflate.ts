/** Bits in the order of RFC 1951: the lowest first. */
class BitWriter {
  readonly #bits: number[] = [];

  put(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.#bits.push((value >> i) & 1);
    return this;
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(Math.ceil(this.#bits.length / 8));
    for (const [i, bit] of this.#bits.entries()) bytes[i >> 3]! |= bit << (i & 7);
    return bytes;
  }
}

const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];

/** A dynamic block that holds nothing but its end: 90 bits, and tables of codes to be built for it. */
function putEmptyBlock(into: BitWriter, isLast: boolean): void {
  into.put(isLast ? 1 : 0, 1).put(2, 2);
  // 257 literal codes, one distance code, 18 lengths of code length codes: symbols 1 and 18 have one bit each.
  into.put(0, 5).put(0, 5).put(14, 4);
  for (const symbol of CODE_LENGTH_ORDER) into.put(symbol === 18 || symbol === 1 ? 1 : 0, 3);
  // 138 and 118 zeros, then a length of one for the end of the block and for the distance code.
  into
    .put(1, 1)
    .put(138 - 11, 7)
    .put(1, 1)
    .put(118 - 11, 7)
    .put(0, 1)
    .put(0, 1);
  into.put(0, 1);
}

/** A deflate stream of about so many bytes that decodes to nothing: inflating costs 100 ns or more per byte. */
export function emptyBlocks(bytes: number): Buffer {
  const eight = new BitWriter();
  for (let i = 0; i < 8; i++) putEmptyBlock(eight, false);
  const unit = eight.bytes();
  const last = new BitWriter();
  putEmptyBlock(last, true);
  const blocks = Buffer.alloc(Math.floor(bytes / unit.length) * unit.length);
  blocks.fill(unit);
  return Buffer.concat([blocks, last.bytes()]);
}

/** The same as a gzip file, with a comment of so many bytes that cannot be compressed. */
export function gzipOfEmptyBlocks(bytes: number, comment: Buffer): Buffer {
  const hasComment = 0x10;
  const head = Buffer.from([0x1f, 0x8b, 8, hasComment, 0, 0, 0, 0, 0, 3]);
  const visible = Buffer.from(comment.map((byte) => byte || 1));
  return Buffer.concat([head, visible, Buffer.from([0]), emptyBlocks(bytes), Buffer.alloc(8)]);
}
