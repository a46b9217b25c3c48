/** The name of an element. */
export interface XmlName {
  /** Without prefix, in lower case. */
  readonly local: string;
  /** As written, empty when there is none. */
  readonly prefix: string;
}

interface Known extends XmlName {
  readonly written: string;
}

const SLOTS = 256;

/** Turns the bytes of names into strings, which are cached, because a document repeats few names. */
export class XmlNames {
  readonly #known: (Known | undefined)[] = new Array(SLOTS).fill(undefined);

  /** The name that begins at `start`. */
  at(bytes: Uint8Array, start: number, limit: number): XmlName {
    let hash = 0;
    let end = start;
    for (; end < limit; end++) {
      const byte = bytes[end]!;
      if (!isNameByte(byte)) break;
      hash = Math.imul(hash, 31) + byte;
    }
    const slot = (hash ^ (hash >>> 8)) & (SLOTS - 1);
    const known = this.#known[slot];
    if (known !== undefined && isWritten(known.written, bytes, start, end)) return known;
    const written = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString(
      "latin1",
    );
    const colon = written.lastIndexOf(":");
    const local = written.slice(colon + 1).toLowerCase();
    const name = { local, prefix: colon < 0 ? "" : written.slice(0, colon), written };
    this.#known[slot] = name;
    return name;
  }
}

/** Whether a byte can begin a name; every byte beyond ASCII counts. */
export function isNameStart(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}

function isNameByte(byte: number): boolean {
  return isNameStart(byte) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e;
}

function isWritten(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}
