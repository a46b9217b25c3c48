import { TextDecoder } from "node:util";
import { fromC1 } from "../entities.ts";
import { parseContentType } from "./content-type.ts";
import { charsetByLabel, prescanCharset } from "./meta-prescan.ts";

/** The encoding of pages that declare none. */
export const FALLBACK_CHARSET = "windows-1252";

const decoders = new Map<string, TextDecoder | undefined>();

/** The encoding a byte order mark announces; it outranks every other declaration. */
export function charsetByMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  return undefined;
}

/** What the last header said: a server sends the same one with nearly every page. */
let latest: { readonly contentType: string | undefined; readonly charset: string | undefined } = {
  contentType: undefined,
  charset: undefined,
};

/** The encoding to read a page with: byte order mark, header, meta element, else windows-1252. */
export function charsetOf(body: Uint8Array, contentType?: string): string {
  // Every mark begins with one of the last bytes.
  const marked = body[0]! >= 0xef ? charsetByMark(body) : undefined;
  if (marked !== undefined) return marked;
  if (contentType !== latest.contentType)
    latest = { contentType, charset: declaredCharset(contentType) };
  return latest.charset ?? prescanCharset(body) ?? FALLBACK_CHARSET;
}

/** The encoding that a header names. */
function declaredCharset(contentType: string | undefined): string | undefined {
  const label = contentType === undefined ? undefined : parseContentType(contentType)?.charset;
  return label === undefined ? undefined : charsetByLabel(label);
}

/** Decodes with the platform where it knows the encoding, else as windows-1252; never throws. */
export function decodeText(body: Uint8Array, charset: string): string {
  if (charset === "replacement") return body.length === 0 ? "" : "\ufffd";
  if (charset === FALLBACK_CHARSET) return decodeWindows1252(body);
  let decoder = decoders.get(charset);
  if (decoder === undefined && !decoders.has(charset)) {
    decoder = makeDecoder(charset);
    decoders.set(charset, decoder);
  }
  return decoder === undefined ? decodeWindows1252(body) : decoder.decode(body);
}

function makeDecoder(charset: string): TextDecoder | undefined {
  if (charsetByLabel(charset) === undefined) return undefined; // nothing outside the table
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined; // in the table, but not in this build of the platform
  }
}

// By hand, because platforms have confused it with ISO-8859-1 for the bytes 80 to 9F.
function decodeWindows1252(body: Uint8Array): string {
  const latin1 = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  return /[\x80-\x9f]/.test(latin1)
    ? latin1.replace(/[\x80-\x9f]/g, (c) => String.fromCharCode(fromC1(c.charCodeAt(0))))
    : latin1;
}
