const MAX_SHOWN = 200;

// Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls, invisible
// marks and lone surrogates: what can move a cursor, hide text or reorder it on a terminal.
const UNPRINTABLE =
  /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}|[\u{e0000}-\u{e0fff}]/gu;

/** Text from outside, made safe for a terminal: control characters appear as \u{…}, long text is cut. */
export function printable(text: string, maxChars: number = MAX_SHOWN): string {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  return cut.replace(UNPRINTABLE, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}
