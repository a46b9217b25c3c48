/** How many bytes decide. */
const LOOK_BYTES = 1024;

const UNKNOWN = "application/octet-stream";

/** What files of other kinds begin with, and their media types; "." stands for any byte. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ["PK\x03\x04", "application/zip"], // also office documents and jar
  ["PK\x05\x06", "application/zip"],
  ["\x1f\x8b\x08", "application/gzip"],
  ["BZh", "application/x-bzip2"],
  ["\xfd7zXZ\x00", "application/x-xz"],
  ["7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"],
  ["Rar!\x1a\x07", "application/vnd.rar"],
  ["\x28\xb5\x2f\xfd", "application/zstd"],
  ["%PDF-", "application/pdf"],
  ["%!PS-Adobe-", "application/postscript"],
  ["\x89PNG", "image/png"],
  ["GIF8", "image/gif"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["RIFF....WEBP", "image/webp"],
  ["RIFF....WAVE", "audio/wav"],
  ["RIFF", UNKNOWN],
  ["....ftypavif", "image/avif"],
  ["....ftyp", "video/mp4"], // and its family
  ["\x1aE\xdf\xa3", "video/webm"], // and Matroska
  ["OggS", "audio/ogg"],
  ["ID3", "audio/mpeg"],
  ["fLaC", "audio/flac"],
  ["\x00\x00\x01\xba", "video/mpeg"],
  ["\x00\x00\x01\xb3", "video/mpeg"],
  ["FLV\x01", "video/x-flv"],
  ["\x00asm", "application/wasm"],
  ["\x7fELF", UNKNOWN],
  ["MZ\x90\x00", UNKNOWN],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"], // older office documents
  ["wOFF", "font/woff"],
  ["wOF2", "font/woff2"],
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
  const look = startOf(bytes);
  const start = look.toString("latin1");
  if (typeBySignature(start) !== undefined) return false;
  if (UTF16_MARK.test(start)) return true;
  if (!declared) return MARKUP.test(start) && !look.some(isBinary);
  return start.includes("<") || !look.some(isBinary);
}

/** The media type of a body that begins like a picture, film, archive or the like, whatever it is declared as. */
export function sniffedType(bytes: Uint8Array): string | undefined {
  return typeBySignature(startOf(bytes).toString("latin1"));
}

function startOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, LOOK_BYTES));
}

function typeBySignature(start: string): string | undefined {
  return SIGNATURES.find(([signature]) => begins(start, signature))?.[1];
}

function begins(start: string, signature: string): boolean {
  for (let at = 0; at < signature.length; at++)
    if (signature[at] !== "." && signature[at] !== start[at]) return false;
  return true;
}
