// Texts of a page that JavaScript can take as they stand there: what src/parse/page-text.ts and parsed-page.ts would leave
// unchanged. On any doubt JavaScript reads them.
import { FIRST_TEXT, PAGE, PIECES } from "./engine-layout";

const MAX_WORD: i32 = 100;

/** Whether a text is not longer than that, and printable ASCII without references whose blanks are single and inside. */
export function isPlain(from: i32, to: i32, most: i32): bool {
  if (from < 0 || to - from > most) return false;
  let before: u32 = 0x20;
  let p = from;
  while (p < to) {
    const byte: u32 = load<u8>(<usize>p, PAGE);
    if (byte < 0x20 || byte > 0x7e || byte == 0x26) return false;
    if (byte == 0x20 && before == 0x20) return false;
    before = byte;
    p++;
  }
  return from == to || before != 0x20;
}

/**
 * Writes the first words to FIRST_TEXT, with a blank between them; answers how long that is, -1 when one is cut off, long,
 * or not plain ASCII.
 */
export function putFirstWords(pieces: i32): i32 {
  let at: i32 = FIRST_TEXT;
  let wordAt = at;
  let isOpen = false;
  let piece = 0;
  while (piece < pieces) {
    const from = load<i32>(<usize>(PIECES + 8 * piece));
    const to = load<i32>(<usize>(PIECES + 8 * piece), 4);
    isOpen = to >= 0;
    if (isOpen) {
      if (at - wordAt + to - from > MAX_WORD) return -1;
      let p = from;
      while (p < to) {
        const byte: u32 = load<u8>(<usize>p, PAGE);
        if (byte <= 0x20 || byte >= 0x7f || byte == 0x26) return -1;
        store<u8>(<usize>at, byte);
        at++;
        p++;
      }
    } else {
      store<u8>(<usize>at, 0x20);
      at++;
      wordAt = at;
    }
    piece++;
  }
  if (isOpen) return -1;
  return max(0, at - FIRST_TEXT - 1);
}
