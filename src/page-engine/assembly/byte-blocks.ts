// Looks at many bytes at once: answers for 16 of them are a block, those for 32 or 64 are bits, the lowest for the first byte.
// What is behind a page is zeros (MARGIN), so that nobody has to ask where it ends before looking.

// @ts-ignore: decorator
@inline
export function is(block: v128, byte: i32): v128 {
  return i8x16.eq(block, i8x16.splat(<i8>byte));
}

/** White space. Each of the five bytes is looked up by its lower half, in which they differ. */
// @ts-ignore: decorator
@inline
export function isSpace(block: v128): v128 {
  const spaces = i8x16(0x20, -1, -1, -1, -1, -1, -1, -1, -1, 0x09, 0x0a, -1, 0x0c, 0x0d, -1, -2);
  return i8x16.eq(i8x16.swizzle(spaces, v128.and(block, i8x16.splat(0x0f))), block);
}

/** What ends the name of a tag: white space, a slash or ">", in the same way. */
// @ts-ignore: decorator
@inline
export function isBreak(block: v128): v128 {
  const breaks = i8x16(
    0x20, -1, -1, -1, -1, -1, -1, -1, -1, 0x09, 0x0a, -1, 0x0c, 0x0d, 0x3e, 0x2f,
  );
  return i8x16.eq(i8x16.swizzle(breaks, v128.and(block, i8x16.splat(0x0f))), block);
}

/** Two blocks as bits. */
// @ts-ignore: decorator
@inline
export function bits32(a: v128, b: v128): u64 {
  return <u64>(<u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16)));
}

/** Four blocks as bits. */
// @ts-ignore: decorator
@inline
export function bits64(a: v128, b: v128, c: v128, d: v128): u64 {
  return bits32(a, b) | (bits32(c, d) << 32);
}

/** The bits below the lowest one that is set; all of them when there is none. */
// @ts-ignore: decorator
@inline
export function below(stops: u64): u64 {
  return (stops - 1) & ~stops;
}

/** Bits from each opening quote up to the byte before its closing one, if every second quote closes. */
// @ts-ignore: decorator
@inline
export function between(quotes: u64): u64 {
  let inside = quotes ^ (quotes << 1);
  inside ^= inside << 2;
  inside ^= inside << 4;
  inside ^= inside << 8;
  inside ^= inside << 16;
  return inside ^ (inside << 32);
}
