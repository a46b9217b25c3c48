import type { ResponseHead } from "../response-head.ts";

/** How the end of a body is found. */
export type Framing =
  | { kind: "length"; bytes: number; persistent: boolean }
  | { kind: "chunked"; persistent: boolean }
  | { kind: "until_close"; persistent: false }
  | { kind: "bad"; reason: string };

/** Every comma-separated member of every line of that header, trimmed, empty ones included. */
function members(head: ResponseHead, nameLower: string): string[] {
  const found: string[] = [];
  for (const value of head.all(nameLower)) {
    for (const member of value.split(",")) found.push(member.trim());
  }
  return found;
}

const bad = (reason: string): Framing => ({ kind: "bad", reason });

/**
 * Content-Length as the Fetch standard extracts it: equal duplicates are one, different ones are fatal, and a
 * value that is no number counts as absent (the body then ends with the connection, which is never reused).
 * Negative numbers are refused, as RFC 9112 (6.3) asks.
 */
function contentLength(head: ResponseHead): number | Framing | undefined {
  const at = head.find("content-length");
  if (at < 0) return undefined;
  let value = head.valueAt(at);
  if (value.includes(",") || head.find("content-length", head.after(at)) >= 0) {
    const values = members(head, "content-length");
    if (values.some((other) => other !== values[0])) return bad("several different Content-Length");
    value = values[0]!;
  }
  if (/^[0-9]+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  return /^-[0-9]/.test(value) ? bad("negative Content-Length") : undefined;
}

/** "chunked" or nothing: other transfer codings were never asked for (we send no TE). */
function transferCoding(head: ResponseHead): "chunked" | "none" | Framing {
  const codings = members(head, "transfer-encoding")
    .map((coding) => coding.toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return "none";
  if (codings.some((coding) => coding !== "chunked")) return bad("unknown Transfer-Encoding");
  return "chunked";
}

function isPersistent(head: ResponseHead): boolean {
  const at = head.find("connection");
  if (at < 0) return head.modern;
  // The value of most servers that send any, and then the only line.
  const isAlone = head.find("connection", head.after(at)) < 0;
  if (isAlone && head.valueAt(at) === "keep-alive") return true;
  const options = members(head, "connection").map((option) => option.toLowerCase());
  return !options.includes("close") && (head.modern || options.includes("keep-alive"));
}

/** Decides how the body of a response to GET ends, and whether the connection may serve another request. */
export function framingOf(head: ResponseHead): Framing {
  const length = contentLength(head);
  if (typeof length === "object") return length;
  const persistent = isPersistent(head);
  const coded = head.find("transfer-encoding") >= 0;
  if (head.status === 204 && (coded || (length ?? 0) > 0)) return bad("204 with a body");
  if (head.status === 204 || head.status === 304) return { kind: "length", bytes: 0, persistent };
  if (coded) {
    const coding = transferCoding(head);
    if (typeof coding === "object") return coding;
    if (coding === "chunked") {
      // Two answers to "where does it end" are how responses are smuggled; no guess is safe.
      if (length !== undefined) return bad("Content-Length together with Transfer-Encoding");
      // HTTP/1.0 knows no chunks: Chromium reads such bodies as they are, until the end.
      if (!head.modern) return { kind: "until_close", persistent: false };
      // Chunked is never applied twice; read as once, but such a connection is not trusted further.
      const once = members(head, "transfer-encoding").length === 1;
      return { kind: "chunked", persistent: persistent && once };
    }
  }
  if (length === undefined) return { kind: "until_close", persistent: false };
  return { kind: "length", bytes: length, persistent };
}
