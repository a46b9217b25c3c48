// Codes of deflate.ts, found by tools/link-codes.mjs in metadata records: their lengths, one hexadecimal digit per symbol, and
// the header of a block that tells them.

export const LITERAL_LENGTHS: string =
  "dddddddddd6dd7dddddddddddddddddd6ddddbbdddddd57665566666666ba99ad999aa9aaaaa9aaa9a999aa9aa9dddd7" +
  "d565546775b866656a56568887bdddcddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" +
  "ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddad6777768999a99b656667adbcdddd";
export const DISTANCE_LENGTHS: string =
  "b8bca9986754344434444545567acb";
export const BLOCK_HEADER: string =
  "ed7d05a0dd46d65e19d4de32a30abbc5b9d28c581b3bb59d38e4248eedc4890bb7a399a37b679fa45146a3f7deddb67f" +
  "99999999999999999999b94d7541cf76ecd548bae9fe857dfbc77eba73be73ce7760ce8c6efe05";
export const BLOCK_HEADER_BITS: i32 = 691;
