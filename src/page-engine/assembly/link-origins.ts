// The origins of links: plain names of hosts, and those that JavaScript has found canonical before, whatever they are.
import { HOST_BYTE, KNOWN_ORIGIN, KNOWN_ORIGINS, KNOWN_PAIRS } from "./engine-layout";

/** Where the host of "http://host/" or "https://host/" ends, if its name is plain; else 0. */
export function hostEnd(start: usize, end: usize): i32 {
  if (end - start < 9 || load<u32>(start) != 0x70747468) return 0; // "http"
  let p = start + 4;
  if (load<u8>(p) == 0x73) p++;
  if (load<u16>(p) != 0x2f3a || load<u8>(p, 2) != 0x2f) return 0; // "://"
  p += 3;
  // Labels of small letters, digits and hyphens; the last one begins with a letter.
  let label = p;
  while (p < end && load<u8>(p) != 0x2f) {
    const byte = load<u8>(p);
    if (byte == 0x2e) {
      if (p == label) return 0;
      label = p + 1;
    } else {
      if (load<u8>(<usize>(HOST_BYTE + byte)) == 0) return 0;
      if (p == label && (byte == 0x2d || (end - p >= 4 && load<u32>(p) == 0x2d2d6e78))) return 0; // "xn--"
    }
    p++;
  }
  if (p >= end || p == label) return 0;
  const first = load<u8>(label);
  return first >= 0x61 && first <= 0x7a ? <i32>(p - start) : 0;
}

/** Where the origin of a link or URL ends: at its third slash, or 0 when there is none. */
export function originEnd(start: usize, length: i32): i32 {
  let size = 8;
  while (size < length && load<u8>(start + size) != 0x2f) size++;
  return size < length ? size : 0;
}

/** The first of the two neighbouring places where an origin may be. */
function placesOf(start: usize, size: i32): usize {
  let hash: u32 = 0x811c9dc5;
  let i = 7;
  while (i < size) {
    hash = (hash ^ load<u8>(start + i)) * 0x01000193;
    i++;
  }
  const pair = <i32>(((hash ^ (hash >> 15)) * 0x9e3779b1) >> 16) & (KNOWN_PAIRS - 1);
  return <usize>(KNOWN_ORIGINS + 2 * KNOWN_ORIGIN * pair);
}

// @ts-ignore: decorator
@inline
function isAt(place: usize, start: usize, size: i32): bool {
  return load<i32>(place) == size && isSame(place + 4, start, size);
}

/** How long the origin of a link is, if JavaScript has found it canonical before; else 0. */
export function knownOrigin(start: usize, end: usize): i32 {
  const size = originEnd(start, <i32>(end - start));
  if (size == 0 || size > KNOWN_ORIGIN - 4) return 0;
  const first = placesOf(start, size);
  return isAt(first, start, size) || isAt(first + KNOWN_ORIGIN, start, size) ? size : 0;
}

/**
 * A link that begins as its URL does, up to the path, has an origin that the parser leaves as it is. Of three that share
 * two places the one that was learnt first is forgotten: with one place, two that are linked in turn would be asked about
 * for ever.
 */
export function learnOrigin(value: usize, valueLength: i32, url: usize, length: i32): void {
  const size = originEnd(url, length);
  if (size == 0 || size > KNOWN_ORIGIN - 4 || valueLength <= size) return;
  if (load<u8>(value + size) != 0x2f || !isSame(value, url, size)) return;
  const first = placesOf(url, size);
  if (isAt(first, url, size) || isAt(first + KNOWN_ORIGIN, url, size)) return;
  memory.copy(first + KNOWN_ORIGIN, first, <usize>KNOWN_ORIGIN);
  store<i32>(first, size);
  memory.copy(first + 4, url, <usize>size);
}

/** Whether the same bytes are at two addresses; at least eight. The last ones differ most often, so they come first. */
export function isSame(a: usize, b: usize, size: i32): bool {
  let at = size - 8;
  while (at > 0) {
    if (load<u64>(a + at) != load<u64>(b + at)) return false;
    at -= 8;
  }
  return load<u64>(a) == load<u64>(b);
}
