import { TextDecoder } from "node:util";
import { charsetByMark, decodeText, FALLBACK_CHARSET } from "../charset/charset.ts";
import { parseContentType } from "../charset/content-type.ts";
import { charsetByLabel } from "../charset/meta-prescan.ts";

const DECLARATION_LOOK_BYTES = 256;
const ENCODING = /^<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']/;

/** The encoding of an XML or text document: byte order mark, header, declaration, else UTF-8 (RFC 7303). */
export function xmlCharsetOf(start: Uint8Array, contentType?: string): string {
  const marked = charsetByMark(start);
  if (marked !== undefined) return marked;
  const label = contentType === undefined ? undefined : parseContentType(contentType)?.charset;
  const announced = label === undefined ? undefined : charsetByLabel(label);
  if (announced !== undefined) return announced;
  // Without a mark, "<" and the byte next to it reveal UTF-16 (XML 1.0, appendix F).
  if (start[0] === 0x3c && start[1] === 0) return "utf-16le";
  if (start[0] === 0 && start[1] === 0x3c) return "utf-16be";
  const look = Buffer.from(start.subarray(0, DECLARATION_LOOK_BYTES)).toString("latin1");
  const declared = charsetByLabel(ENCODING.exec(look.trimStart())?.[1] ?? "");
  // A declaration that can be read byte by byte is not UTF-16, whatever it claims.
  return declared === undefined || declared.startsWith("utf-16") ? "utf-8" : declared;
}

/** Turns pieces of any encoding into pieces of UTF-8; a character cut in two waits for its rest. */
export function utf8Stream(charset: string): (piece: Uint8Array) => Uint8Array {
  if (charset === "utf-8") return (piece) => piece;
  const decoder = charset === FALLBACK_CHARSET ? undefined : decoderOf(charset);
  // One byte is one character in windows-1252, so its pieces need no memory.
  if (decoder === undefined) return (piece) => Buffer.from(decodeText(piece, FALLBACK_CHARSET));
  return (piece) => Buffer.from(decoder.decode(piece, { stream: true }));
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined; // not in this build of the platform, or "replacement"
  }
}
