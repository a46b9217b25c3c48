import zlib from "node:zlib";

const CODING = /\ncontent-encoding[ \t]*:[ \t]*([^\r\n]*)/gi;
const MAX_CODINGS = 2;
const MAX_BYTES = 64 * 1024 * 1024;
const INFLATE = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: MAX_BYTES };
const BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_BYTES };

/** A body as a browser would see it: content codings removed as far as possible, the beginning of a torn body. */
export function plainBody(head: Uint8Array, body: Uint8Array): Uint8Array {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const named = [...text.matchAll(CODING)].flatMap((match) => match[1]!.split(","));
  const codings = named.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  if (codings.length > MAX_CODINGS) return body;
  let bytes = body;
  for (const coding of codings.reverse()) {
    try {
      bytes = decode(coding, bytes);
    } catch {
      return bytes; // not coded as announced, or damaged: what was received is better than nothing
    }
  }
  return bytes;
}

function decode(coding: string, bytes: Uint8Array): Uint8Array {
  if (coding === "gzip" || coding === "x-gzip") return zlib.gunzipSync(bytes, INFLATE);
  if (coding === "br") return zlib.brotliDecompressSync(bytes, BROTLI);
  if (coding !== "deflate") return bytes;
  // Servers send "deflate" with and without the zlib wrapper.
  const wrapped =
    bytes.length > 1 && (bytes[0]! & 15) === 8 && (bytes[0]! * 256 + bytes[1]!) % 31 === 0;
  return wrapped ? zlib.inflateSync(bytes, INFLATE) : zlib.inflateRawSync(bytes, INFLATE);
}
