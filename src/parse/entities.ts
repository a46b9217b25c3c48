import { ENTITY_NAMES, LEGACY_ENTITY_NAMES } from "./entity-names.ts";

const LONGEST_NAME = 31;
const LONGEST_LEGACY_NAME = 6;

// What numeric references in the C1 range mean: they are read as windows-1252 (HTML, 13.2.5.80).
const C1 = [
  0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152,
  0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122,
  0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
];

let names: Map<string, string> | undefined;
let legacyNames: Set<string> | undefined;

/** The 2125 names, unpacked at first use: most pages use only &amp; and the like. */
function allNames(): Map<string, string> {
  if (names === undefined) {
    names = new Map();
    for (const line of ENTITY_NAMES) {
      for (const entry of line.split(" ")) {
        const comma = entry.indexOf(",");
        const points = entry.slice(comma + 1).split(".");
        const text = String.fromCodePoint(...points.map((point) => Number.parseInt(point, 16)));
        names.set(entry.slice(0, comma), text);
      }
    }
  }
  return names;
}

function isLegacy(name: string): boolean {
  legacyNames ??= new Set(LEGACY_ENTITY_NAMES.split(" "));
  return legacyNames.has(name);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}

function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a);
}

/** Maps a windows-1252 byte, or a number in a numeric reference, to its code point. */
export function fromC1(code: number): number {
  return code >= 0x80 && code <= 0x9f ? C1[code - 0x80]! : code;
}

function numericText(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  return String.fromCodePoint(fromC1(code));
}

/**
 * Replaces character references. In an attribute a name without semicolon that is followed by
 * "=" or a letter or digit stays as it is, so that `?a=1&copy=2` keeps its parameter.
 */
export function decodeEntities(text: string, inAttribute: boolean): string {
  let ampersand = text.indexOf("&");
  if (ampersand < 0) return text;
  let out = "";
  let from = 0;
  while (ampersand >= 0) {
    const at = ampersand + 1;
    let end = at;
    let decoded: string | undefined;
    if (text.charCodeAt(at) === 0x23) {
      const hex = (text.charCodeAt(at + 1) | 0x20) === 0x78;
      const digits = hex ? at + 2 : at + 1;
      end = digits;
      let value = 0;
      for (; end < text.length; end++) {
        const code = text.charCodeAt(end);
        if (isDigit(code)) value = value * (hex ? 16 : 10) + code - 0x30;
        else if (hex && isHexLetter(code)) value = value * 16 + (code | 0x20) - 0x57;
        else break;
        if (value > 0x10ffff) value = 0x110000; // stays out of range, cannot overflow
      }
      if (end > digits) {
        decoded = numericText(value);
        if (text.charCodeAt(end) === 0x3b) end++;
      }
    } else {
      const limit = Math.min(text.length, at + LONGEST_NAME + 1);
      while (end < limit && isAlphanumeric(text.charCodeAt(end))) end++;
      if (end > at) {
        if (text.charCodeAt(end) === 0x3b) decoded = namedText(text.slice(at, end));
        if (decoded !== undefined) end++;
        else {
          end = at + legacyLength(text, at, end);
          const next = text.charCodeAt(end);
          const kept = inAttribute && (next === 0x3d || isAlphanumeric(next));
          if (end > at && !kept) decoded = namedText(text.slice(at, end));
        }
      }
    }
    if (decoded !== undefined) {
      out += text.slice(from, ampersand) + decoded;
      from = end;
    }
    ampersand = text.indexOf("&", Math.max(end, at));
  }
  return out + text.slice(from);
}

function namedText(name: string): string | undefined {
  return name === "amp" ? "&" : allNames().get(name);
}

/** Length of the longest name without semicolon that begins at `at`; 0 when there is none. */
function legacyLength(text: string, at: number, end: number): number {
  for (let length = Math.min(LONGEST_LEGACY_NAME, end - at); length >= 2; length--) {
    if (isLegacy(text.slice(at, at + length))) return length;
  }
  return 0;
}
