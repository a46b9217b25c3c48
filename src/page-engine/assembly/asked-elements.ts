// Which elements JavaScript need not be asked about, because what they say surely is not wanted.
import { PAGE } from "./engine-layout";

/** Length of "refresh", which counts as a value of http-equiv only. */
const REFRESH_LENGTH: i32 = 7;

/**
 * False for a meta element that surely says nothing that is wanted: with a name, or a value of http-equiv in its place, of
 * plain characters and another length, or without one.
 */
export function mayCount(record: usize, lengths: i32): bool {
  const from = load<i32>(record, 12);
  if (from >= 0) return mayBeName(from, load<i32>(record, 16), lengths | (1 << REFRESH_LENGTH));
  const named = load<i32>(record, 20);
  return named < 0 ? (lengths & 1) == 1 : mayBeName(named, load<i32>(record, 24), lengths);
}

function mayBeName(from: i32, to: i32, lengths: i32): bool {
  let p = from;
  while (p < to) {
    const byte = load<u8>(<usize>(PAGE + p));
    // What is trimmed, a reference, or what has other small letters.
    if (byte <= 0x26 || byte >= 0x7f) return true;
    p++;
  }
  const length = to - from;
  return length > 30 || ((lengths >> length) & 1) == 1;
}

/**
 * Whether a link element may lead to a page or a feed, or name a licence: not without rel, and not with one of the values
 * that nearly all of them have, in any letter case. Any other value is for JavaScript to judge.
 */
export function mayLead(record: usize): bool {
  const from = load<i32>(record, 12);
  if (from < 0) return false;
  const at = <usize>(PAGE + from);
  const length = load<i32>(record, 16) - from;
  const first = load<u64>(at) | SMALL;
  if (length == 0) return false;
  if (length == 4) return (<u32>first) != 0x6e6f6369; // "icon"
  if (length == 7) return (first & 0xff_ffff_ffff_ffff) != 0x64616f6c657270; // "preload"
  // "preconne" "ct", "styleshe" "et"
  if (length == 10) {
    const last = load<u16>(at, 8) | <u16>SMALL;
    return !(
      (first == 0x656e6e6f63657270 && last == 0x7463) ||
      (first == 0x656873656c797473 && last == 0x7465)
    );
  }
  if (length != 13) return true;
  // "shortcut" " " "icon"
  return (
    first != 0x74756374726f6873 ||
    load<u8>(at, 8) != 0x20 ||
    (load<u32>(at, 9) | <u32>SMALL) != 0x6e6f6369
  );
}

/** Makes letters small; no other byte becomes a letter by it. */
const SMALL: u64 = 0x2020202020202020;

/** Whether a rel attribute may hold the word "license": it has "lic" somewhere, in any letter case. */
export function mayBeLicense(from: i32, to: i32): bool {
  let at = from;
  const last = to - 7;
  while (at <= last) {
    const three = load<u32>(<usize>(PAGE + at)) | 0x202020;
    if ((three & 0xffffff) == 0x63696c) return true;
    at++;
  }
  return false;
}
