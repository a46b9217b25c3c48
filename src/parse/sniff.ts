/** How many bytes decide. */
const LOOK_BYTES = 1024;

/** What files of other kinds begin with; "." stands for any byte. */
const SIGNATURES = [
  "PK\x03\x04", // zip, office documents, jar
  "PK\x05\x06",
  "\x1f\x8b\x08", // gzip
  "BZh",
  "\xfd7zXZ\x00",
  "7z\xbc\xaf\x27\x1c",
  "Rar!\x1a\x07",
  "\x28\xb5\x2f\xfd", // zstd
  "%PDF-",
  "%!PS-Adobe-",
  "\x89PNG",
  "GIF8",
  "\xff\xd8\xff", // JPEG
  "RIFF",
  "....ftyp", // MP4 and its family
  "\x1aE\xdf\xa3", // Matroska, WebM
  "OggS",
  "ID3",
  "fLaC",
  "\x00\x00\x01\xba", // MPEG
  "\x00\x00\x01\xb3",
  "FLV\x01",
  "\x00asm",
  "\x7fELF",
  "MZ\x90\x00",
  "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", // older office documents
  "wOFF",
  "wOF2",
];

/** A byte that no text holds (MIME Sniffing, 3): control characters except white space and escape. */
function isBinary(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1f && byte !== 0x1b);
}

const LESS_THAN = "<".charCodeAt(0);
const FTYP = "f".charCodeAt(0);
const UTF16_MARK = /^(?:\xfe\xff|\xff\xfe)/;
const MARKUP = /^(?:\xef\xbb\xbf)?\s*<(?:[!?a-z]|\/[a-z])/i;

/**
 * Whether a body may be parsed as HTML. A body declared as HTML is accepted unless it begins like a picture, film or
 * archive, or is binary without any markup; one without a declared type must begin with markup.
 */
export function looksLikeHtml(bytes: Uint8Array, declared: boolean): boolean {
  // Nearly every page: no signature begins with "<", except those whose first four bytes may be anything.
  if (declared && bytes[0] === LESS_THAN && bytes[4] !== FTYP) return true;
  const look = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LOOK_BYTES));
  const start = look.toString("latin1");
  if (SIGNATURES.some((signature) => begins(start, signature))) return false;
  if (UTF16_MARK.test(start)) return true;
  if (!declared) return MARKUP.test(start) && !look.some(isBinary);
  return start.includes("<") || !look.some(isBinary);
}

function begins(start: string, signature: string): boolean {
  if (!signature.startsWith(".")) return start.startsWith(signature);
  return start.slice(4, signature.length) === signature.slice(4);
}
