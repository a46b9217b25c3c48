// The two HTTP blocks of a capture, changed as little as possible.

const TRANSFER_ENCODING = /\n(transfer-encoding[ \t]*:)/gi;
const CODING = /\ncontent-encoding[ \t]*:[ \t]*([^\r\n]*)/i;
/** Headers that are left out of archived requests. */
const SECRET_NAMES = ["proxy-authorization", "authorization", "cookie2?"] as const;

/** What is left out of archived requests. */
export interface Secrets {
  readonly any: RegExp;
  readonly lines: RegExp;
}

/** The usual secrets, and the headers of these names. */
export function secretsOf(names: readonly string[] = []): Secrets {
  const more = names.map((name) => name.replace(/[^A-Za-z0-9_]/g, "\\$&"));
  const all = [...SECRET_NAMES, ...more].join("|");
  return {
    any: new RegExp(`\\n(?:${all})[ \\t]*:`, "i"),
    // A folded line belongs to the header before it.
    lines: new RegExp(`\\n(?:${all})[ \\t]*:[^\\n]*(?:\\n[ \\t][^\\n]*)*`, "gi"),
  };
}

/** What the crawl sends by itself: where a user's hook adds headers, nobody else knows which of them are secret. */
const OWN_NAMES = [
  ...["host", "user-agent", "accept", "accept-encoding", "connection"],
  ...["if-none-match", "if-modified-since"],
] as const;

/** Every header but those of these names and those that the crawl sends by itself. */
export function allBut(names: readonly string[]): Secrets {
  const more = names.map((name) => name.replace(/[^A-Za-z0-9_]/g, "\\$&"));
  const other = `\\n(?!(?:${[...OWN_NAMES, ...more].join("|")})[ \\t]*:)[^\\s:][^:\\n]*:`;
  return {
    any: new RegExp(other, "i"),
    lines: new RegExp(`${other}[^\\n]*(?:\\n[ \\t][^\\n]*)*`, "gi"),
  };
}

const USUAL = secretsOf();
const SECRET_TARGET = /^(\S+[ \t]+[a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i;
// What "image/", "audio/", "video/" and these hold is compressed by its own format.
const COMPRESSED_TYPE =
  /^(?:(?:image|audio|video)\/|font\/woff|application\/(?:zip|gzip|x-gzip|pdf|zstd|x-7z-compressed|x-rar-compressed|vnd\.rar|x-bzip2?|x-xz|font-woff2?|epub\+zip|java-archive|vnd\.openxmlformats))/;
const PLAIN_IMAGE = /^image\/(?:svg|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|tiff)/;

const LINE_FEED = 10;
const AT_SIGN = 64;
const HOST = Buffer.from("Host: ");

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** The response head for the record: only the line that de-chunking made untrue is renamed. */
export function responseHead(head: Uint8Array, dechunked: boolean): Uint8Array {
  if (!dechunked) return head;
  const text = latin1(head);
  const renamed = text.replace(TRANSFER_ENCODING, "\nX-Orig-$1");
  return renamed === text ? head : Buffer.from(renamed, "latin1");
}

/** The rest of a request in which these secrets are not, behind its host: nearly always that of the next request, too. */
let latest = { rest: Buffer.alloc(0), secrets: USUAL };

/** The request without Authorization, Proxy-Authorization, Cookie, further secrets, and user names in its target. */
export function requestBlock(request: Uint8Array, secrets: Secrets = USUAL): Uint8Array {
  const firstLine = request.indexOf(LINE_FEED);
  const at = request.indexOf(AT_SIGN);
  const isPlain = firstLine >= 0 && (at < 0 || at > firstLine);
  const rest = restOf(request, firstLine);
  if (isPlain && secrets === latest.secrets && latest.rest.compare(request, rest) === 0)
    return request;
  const text = latin1(request);
  // Only the head is searched: the body of a request stays as it is.
  const blank = /\r?\n\r?\n/.exec(text);
  const end = blank === null ? text.length : blank.index + blank[0].length;
  const head = text.slice(0, end);
  if (!secrets.any.test(head) && !SECRET_TARGET.test(head)) {
    latest = { rest: Buffer.from(request.subarray(rest)), secrets };
    return request;
  }
  // Removing "\n…\r" as a unit keeps the line ends of the neighbours.
  const kept = head.replace(secrets.lines, "").replace(SECRET_TARGET, "$1");
  return Buffer.from(kept + text.slice(end), "latin1");
}

/** Where what all requests of a crawl have in common begins: with the end of the host's line, which is the second. */
function restOf(request: Uint8Array, firstLine: number): number {
  for (let i = 0; i < HOST.length; i++)
    if (request[firstLine + 1 + i] !== HOST[i]) return firstLine;
  const end = request.indexOf(LINE_FEED, firstLine + HOST.length);
  return end < 0 ? firstLine : end;
}

/** Whether compressing the payload again would be wasted. */
export function isCompressed(head: Uint8Array, mime: string): boolean {
  const coding = CODING.exec(latin1(head))?.[1]?.trim().toLowerCase();
  if (coding !== undefined && coding !== "" && coding !== "identity") return true;
  return COMPRESSED_TYPE.test(mime) && !PLAIN_IMAGE.test(mime);
}
