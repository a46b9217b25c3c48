// Only the references that need no DTD: five names and numbers. Any other one stays as written, because usually it is an
// unescaped "&" between parameters of a URL.

const NAMES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const REFERENCE = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;

const SPACE = 0x20;
const EQUALS = 0x3d;
const SLASH = 0x2f;

/** Character data with references replaced and without white space around it. */
export function xmlText(written: string): string {
  const text = written.trim();
  return text.includes("&") ? text.replace(REFERENCE, replaced) : text;
}

function replaced(written: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMES[name]!;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : written;
}

/** The attributes of a start tag by lower-cased name, prefix included; the first of equal names counts. */
export function xmlAttributes(tag: Uint8Array): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  while (at < tag.length && tag[at]! > SPACE && tag[at] !== SLASH) at++; // the element's name
  while (at < tag.length) {
    while (at < tag.length && (tag[at]! <= SPACE || tag[at] === SLASH || tag[at] === EQUALS)) at++;
    const start = at;
    while (at < tag.length && tag[at]! > SPACE && tag[at] !== EQUALS && tag[at] !== SLASH) at++;
    const nameEnd = at;
    while (at < tag.length && tag[at]! <= SPACE) at++;
    if (tag[at] !== EQUALS) continue; // a name without a value
    at++;
    while (at < tag.length && tag[at]! <= SPACE) at++;
    const quote = tag[at] === 0x22 || tag[at] === 0x27 ? tag[at]! : 0;
    const valueStart = quote === 0 ? at : at + 1;
    at = valueStart;
    while (at < tag.length && (quote === 0 ? tag[at]! > SPACE : tag[at] !== quote)) at++;
    const name = utf8(tag, start, nameEnd).toLowerCase();
    if (name !== "" && !found.has(name)) found.set(name, xmlText(utf8(tag, valueStart, at)));
    if (quote !== 0) at++;
  }
  return found;
}

function utf8(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}
