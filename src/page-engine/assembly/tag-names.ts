// The ids of tags by their names. A name of up to eight bytes is one number, and a table of those answers with one comparison.
import {
  ENTRIES,
  ENTRY,
  LAST_ENTRY,
  LENGTHS,
  LONG_NAMES,
  LOWER,
  NAMES,
  NAMES_AT,
  PAGE,
} from "./engine-layout";
import { byteAt } from "./scan-markup";

/** How many names are longer than a key. */
let longNames: i32 = 0;

/** Enters the names of tags that JavaScript has written into the memory, with the ids from 1 on. */
export function enterNames(count: i32): void {
  longNames = 0;
  let id = 1;
  while (id <= count) {
    const length: i32 = load<u8>(<usize>id, LENGTHS);
    if (length > 8) {
      store<u8>(<usize>longNames, <u8>id, LONG_NAMES);
      longNames++;
    } else {
      const key = keyOf(<usize>NAMES + load<u16>(<usize>(2 * id), NAMES_AT), length);
      let at = entryOf(key);
      while (load<i32>(at, ENTRIES + 8) != 0) at = (at + ENTRY) & LAST_ENTRY;
      store<u64>(at, key, ENTRIES);
      store<i32>(at, id, ENTRIES + 8);
    }
    id++;
  }
}

/** A name of up to eight bytes as a number. Its first byte is not 0, so those of different lengths are different. */
// @ts-ignore: decorator
@inline
function keyOf(at: usize, length: i32): u64 {
  return small(load<u64>(at)) << (<u64>((8 - length) << 3));
}

/** Sets bit 0x20 where 0x40 is: that makes capitals small, and makes no byte a letter or digit that is none. */
// @ts-ignore: decorator
@inline
export function small(letters: u64): u64 {
  return letters | ((letters & 0x4040404040404040) >> 1);
}

/** The entry at which the search for a key begins. */
// @ts-ignore: decorator
@inline
function entryOf(key: u64): usize {
  return <usize>((key * 0x9e3779b97f4a7c15) >> 50) & LAST_ENTRY;
}

/** The id of the name at an offset; 0 when it is not ours. */
// @ts-ignore: decorator
@inline
export function tagId(start: i32, length: i32): i32 {
  if (length > 8) return longTagId(start, length);
  const key = keyOf(<usize>(PAGE + start), length);
  const id = firstTagId(key);
  return id != 0 ? id : laterTagId(key);
}

/** The id of the name that is this number, if it is where the search for it begins; else 0. */
// @ts-ignore: decorator
@inline
export function firstTagId(key: u64): i32 {
  const at = entryOf(key);
  return load<u64>(at, ENTRIES) == key ? load<i32>(at, ENTRIES + 8) : 0;
}

/** The same when another key is there, or none. */
function laterTagId(key: u64): i32 {
  let at = entryOf(key);
  while (load<i32>(at, ENTRIES + 8) != 0 && load<u64>(at, ENTRIES) != key)
    at = (at + ENTRY) & LAST_ENTRY;
  return load<i32>(at, ENTRIES + 8);
}

/** Few names are longer than a key, and their tags are rare. */
function longTagId(start: i32, length: i32): i32 {
  let i = 0;
  while (i < longNames) {
    const id: i32 = load<u8>(<usize>i, LONG_NAMES);
    if (load<u8>(<usize>id, LENGTHS) == length && isSpelled(start, id, length)) return id;
    i++;
  }
  return 0;
}

function isSpelled(start: i32, id: i32, length: i32): bool {
  const name = <i32>load<u16>(<usize>(2 * id), NAMES_AT);
  let i = 0;
  while (i < length && load<u8>(<usize>(name + i), NAMES) == load<u8>(byteAt(start + i), LOWER))
    i++;
  return i == length;
}
