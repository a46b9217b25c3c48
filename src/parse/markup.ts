import { BREAK, LOWER } from "./tags.ts";

// Every function takes an offset and returns the offset after what it consumed; each byte is looked at a bounded number
// of times.

const SCRIPT = Buffer.from("script");
const CDATA_OPEN = Buffer.from("[CDATA[");

function nextByte(buf: Buffer, byte: number, from: number): number {
  // Most hits are near: a short loop avoids the fixed cost of the native search.
  const near = Math.min(buf.length, from + 48);
  for (let p = from; p < near; p++) if (buf[p] === byte) return p;
  return near >= buf.length ? -1 : buf.indexOf(byte, near);
}

/** Offset after the comment whose "<!--" is at `start`; the page's end when it never closes. */
export function afterComment(buf: Buffer, start: number): number {
  let p = start + 4;
  if (buf[p] === 0x3e) return p + 1; // <!-->
  if (buf[p] === 0x2d && buf[p + 1] === 0x3e) return p + 2; // <!--->
  for (;;) {
    p = nextByte(buf, 0x2d, p);
    if (p < 0) return buf.length;
    if (buf[p + 1] !== 0x2d) {
      p++;
      continue;
    }
    while (buf[p] === 0x2d) p++;
    if (buf[p] === 0x3e) return p + 1; // -->
    if (buf[p] === 0x21 && buf[p + 1] === 0x3e) return p + 2; // --!>
  }
}

/** Offset after the next ">": the end of doctypes, of "<?" and of other bogus comments. */
export function afterBogusComment(buf: Buffer, from: number): number {
  const close = nextByte(buf, 0x3e, from);
  return close < 0 ? buf.length : close + 1;
}

/** True when "<!" at `start` opens a CDATA section, which only counts in foreign content. */
export function opensCdata(buf: Buffer, start: number): boolean {
  return buf.subarray(start + 2, start + 9).equals(CDATA_OPEN);
}

/** Offset after the CDATA section that begins at `start`. */
export function afterCdata(buf: Buffer, start: number): number {
  const close = buf.indexOf("]]>", start + 9, "latin1");
  return close < 0 ? buf.length : close + 3;
}

/** True when the letters at `from` spell `name` in any case and the tag name ends there. */
function spells(buf: Buffer, from: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (LOWER[buf[from + i] ?? 0] !== name[i]) return false;
  const next = buf[from + name.length];
  if (next === undefined) return false;
  const kind = BREAK[next]!;
  return kind !== 0 && kind !== 4;
}

/** Offset of the "</name" that ends raw text beginning at `from`; the page's end when there is none. */
export function rawTextEnd(buf: Buffer, from: number, name: Uint8Array): number {
  for (let p = from; ; p++) {
    p = nextByte(buf, 0x3c, p);
    if (p < 0) return buf.length;
    if (buf[p + 1] === 0x2f && spells(buf, p + 2, name)) return p;
  }
}

/**
 * Offset of the "</script" that ends a script beginning at `from`. Inside "<!--" a nested
 * "<script" hides one "</script" (the double escaped states of the standard).
 */
export function scriptEnd(buf: Buffer, from: number): number {
  let escaped = false;
  let nested = false;
  let dashes = 0; // dashes in a row before p, while escaped
  for (let p = from; p < buf.length; p++) {
    if (!escaped) {
      p = nextByte(buf, 0x3c, p);
      if (p < 0) return buf.length;
      if (buf[p + 1] === 0x2f && spells(buf, p + 2, SCRIPT)) return p;
      if (buf[p + 1] === 0x21 && buf[p + 2] === 0x2d && buf[p + 3] === 0x2d) {
        escaped = true;
        nested = false;
        dashes = 2;
        p += 3;
      }
      continue;
    }
    const byte = buf[p]!;
    if (byte === 0x2d) {
      dashes++;
      continue;
    }
    if (byte === 0x3e && dashes >= 2) escaped = false;
    else if (byte === 0x3c) {
      const closing = buf[p + 1] === 0x2f;
      if (closing && spells(buf, p + 2, SCRIPT)) {
        if (!nested) return p;
        nested = false;
      } else if (!nested && spells(buf, p + 1, SCRIPT)) nested = true;
    }
    dashes = 0;
  }
  return buf.length;
}
