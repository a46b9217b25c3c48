// Which elements JavaScript need not be asked about, because what they say surely is not wanted.
import { PAGE } from "./engine-layout";

/**
 * False for a meta element that surely says nothing that is wanted: without http-equiv, and without a name or with one of
 * plain characters and another length.
 */
export function mayCount(record: usize, lengths: i32): bool {
  if (load<i32>(record, 12) >= 0) return true;
  const from = load<i32>(record, 20);
  if (from < 0) return (lengths & 1) == 1;
  const to = load<i32>(record, 24);
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
