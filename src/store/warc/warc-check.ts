import { digestMatches } from "./digest.ts";
import { headEnd } from "./http-head.ts";
import type { WarcHeader } from "./warc-header.ts";

const MANDATORY = ["warc-record-id", "warc-date", "warc-type", "content-length"];
const NEEDS_URI = new Set(["response", "resource", "request", "revisit", "conversion"]);
// Precision down to the year and up to nanoseconds, always UTC (WARC 1.1, 5.4).
const DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?)?)?$/;
const DATE_1_0 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const ID = /^<[a-zA-Z][a-zA-Z0-9+.-]*:[^<>\s]+>$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** What is wrong with a record whose framing was in order: fields and digests. */
export function checkRecord(header: WarcHeader, block: Buffer): string[] {
  return [...checkFields(header), ...checkDigests(header, block)];
}

function checkFields({ headers, version }: WarcHeader): string[] {
  const problems: string[] = [];
  const type = headers.get("warc-type") ?? "";
  for (const name of MANDATORY) if (!headers.get(name)) problems.push(`${name} is missing`);
  if (version !== "1.0" && version !== "1.1" && version !== "")
    problems.push(`version ${version} is not known here`);
  const date = headers.get("warc-date");
  if (date && !(version === "1.0" ? DATE_1_0 : DATE).test(date))
    problems.push(`bad warc-date ${JSON.stringify(date)}`);
  for (const name of [
    "warc-record-id",
    "warc-concurrent-to",
    "warc-warcinfo-id",
    "warc-refers-to",
  ]) {
    const id = headers.get(name);
    if (id && !ID.test(id)) problems.push(`bad ${name} ${JSON.stringify(id.slice(0, 80))}`);
  }
  if (NEEDS_URI.has(type) && !headers.get("warc-target-uri"))
    problems.push("warc-target-uri is missing");
  for (const [name, value] of headers)
    if (CONTROL.test(value)) problems.push(`${name} holds a control character`);
  return problems;
}

function checkDigests({ headers }: WarcHeader, block: Buffer): string[] {
  const problems: string[] = [];
  const blockDigest = headers.get("warc-block-digest");
  if (blockDigest && digestMatches(blockDigest, block) === false)
    problems.push(`the block is not the one of ${blockDigest}`);
  const payloadDigest = headers.get("warc-payload-digest");
  if (payloadDigest === undefined) return problems;
  const payloads = payloadsOf(headers, block);
  if (payloads.length > 0 && payloads.every((p) => digestMatches(payloadDigest, p) === false))
    problems.push(`the payload is not the one of ${payloadDigest}`);
  return problems;
}

/**
 * What the payload digest may be about: the entity of an HTTP message (writers differ on whether a
 * chunked one is joined first), the block of a resource; a revisit's payload is elsewhere.
 */
function payloadsOf(headers: ReadonlyMap<string, string>, block: Buffer): Buffer[] {
  const type = headers.get("warc-type");
  if (headers.has("warc-segment-number") || type === "revisit") return [];
  if (type === "resource" || type === "conversion") return [block];
  if (!/^application\/http\b/i.test(headers.get("content-type") ?? "")) return [];
  const end = headEnd(block);
  if (end < 0) return [block.subarray(block.length)];
  const raw = block.subarray(end);
  if (!/\ntransfer-encoding[ \t]*:[^\n]*chunked/i.test(block.toString("latin1", 0, end)))
    return [raw];
  return [raw, dechunk(raw)];
}

function dechunk(raw: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < raw.length; ) {
    const lineEnd = raw.indexOf("\n", at, "latin1");
    const size = Number.parseInt(raw.toString("latin1", at, Math.max(at, lineEnd)), 16);
    if (lineEnd < 0 || !(size > 0)) break;
    pieces.push(raw.subarray(lineEnd + 1, lineEnd + 1 + size));
    at = lineEnd + 1 + size + 2;
  }
  return Buffer.concat(pieces);
}
