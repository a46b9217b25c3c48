/** The largest request head that is read; more is answered with 431. */
export const MAX_HEAD_BYTES = 16_384;

/** A request head, read. */
export interface RequestHead {
  method: string;
  /** Path and query. */
  target: string;
  /** Value of the Host header or host of an absolute target; undefined when there is none. */
  host: string | undefined;
  acceptsGzip: boolean;
  ifNoneMatch: string;
  ifModifiedSince: string;
  /** Whether the connection is closed after the response. */
  close: boolean;
  /** Bytes of body that follow the head. */
  bodyBytes: number;
}

/** Why a request cannot be answered as asked: a status and a sentence. */
export interface BadRequest {
  status: number;
  why: string;
}

/** Whether a head was read, and if not, what to answer. */
export function isBad(read: RequestHead | BadRequest): read is BadRequest {
  return "status" in read;
}

function listHas(value: string, token: string): boolean {
  return value
    .toLowerCase()
    .split(",")
    .some((part) => part.trim() === token);
}

/** Whether an Accept-Encoding value takes gzip: named or `*`, and not with quality 0. */
export function takesGzip(value: string): boolean {
  let any = false;
  for (const part of value.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const refused = parameters.some((piece) => /^q=0(\.0{0,3})?$/.test(piece));
    if (coding === "gzip" || coding === "x-gzip") return !refused;
    if (coding === "*") any = !refused;
  }
  return any;
}

/** Reads a request head; `text` is the head as latin1, without the empty line at its end. */
export function readRequestHead(text: string): RequestHead | BadRequest {
  let lineEnd = text.indexOf("\r\n");
  if (lineEnd < 0) lineEnd = text.length;
  const methodEnd = text.indexOf(" ");
  const targetEnd = text.indexOf(" ", methodEnd + 1);
  if (methodEnd < 1 || targetEnd < 0 || targetEnd > lineEnd) {
    return { status: 400, why: "The request line is not METHOD TARGET HTTP/1.1." };
  }
  const version = text.slice(targetEnd + 1, lineEnd);
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") {
    return { status: 505, why: "This web speaks HTTP/1.1." };
  }
  const head: RequestHead = {
    method: text.slice(0, methodEnd),
    target: text.slice(methodEnd + 1, targetEnd),
    host: undefined,
    acceptsGzip: false,
    ifNoneMatch: "",
    ifModifiedSince: "",
    close: version === "HTTP/1.0",
    bodyBytes: 0,
  };
  const bad = readHeaders(text, lineEnd + 2, head);
  if (bad) return bad;
  if (head.target.charCodeAt(0) !== 0x2f) {
    // The absolute form, as sent to a proxy: its host counts, not the header's (RFC 9112, 3.2.2).
    const match = /^http:\/\/([^/?#]+)(\/.*|\?.*)?$/i.exec(head.target);
    if (!match) return { status: 400, why: "The target is neither a path nor an http URL." };
    head.host = match[1]!;
    const rest = match[2] ?? "/";
    head.target = rest.startsWith("?") ? `/${rest}` : rest;
  }
  if (head.host === undefined) return { status: 400, why: "The Host header is missing." };
  return head;
}

function readHeaders(text: string, from: number, head: RequestHead): BadRequest | undefined {
  let length: string | undefined;
  for (let at = from; at < text.length; ) {
    let end = text.indexOf("\r\n", at);
    if (end < 0) end = text.length;
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon >= end || colon === at) {
      return { status: 400, why: "A header line has no name or no colon." };
    }
    const name = text.slice(at, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    switch (name) {
      case "host":
        if (head.host !== undefined) return { status: 400, why: "Two Host headers." };
        head.host = value;
        break;
      case "accept-encoding":
        head.acceptsGzip = takesGzip(value);
        break;
      case "connection":
        head.close = listHas(value, "close") || (head.close && !listHas(value, "keep-alive"));
        break;
      case "if-none-match":
        head.ifNoneMatch = value;
        break;
      case "if-modified-since":
        head.ifModifiedSince = value;
        break;
      case "content-length":
        if ((length ?? value) !== value || !/^\d{1,15}$/.test(value)) {
          return { status: 400, why: "The Content-Length is not one number." };
        }
        length = value;
        break;
      case "transfer-encoding":
        return { status: 501, why: "Requests with a coded body are not served." };
      default:
        // Anything but the token characters of RFC 9110 in a name is an attempt to smuggle.
        if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
          return { status: 400, why: "A header name holds a forbidden character." };
        }
    }
    at = end + 2;
  }
  head.bodyBytes = length === undefined ? 0 : Number(length);
  return undefined;
}
