import { headEnd } from "./archived-head.ts";
import { digestMatches } from "./digest.ts";
import type { WarcHeader } from "./warc-header.ts";

const MANDATORY = ["warc-record-id", "warc-date", "warc-type", "content-length"];
const IDS = ["warc-record-id", "warc-concurrent-to", "warc-warcinfo-id", "warc-refers-to"];
const NEEDS_URI = new Set(["response", "resource", "request", "revisit", "conversion"]);
// Precision down to the year and up to nanoseconds, always UTC (WARC 1.1, 5.4).
const DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?)?)?$/;
const DATE_1_0 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const ID = /^<[a-zA-Z][a-zA-Z0-9+.-]*:[^<>\s]+>$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** What is wrong with a record whose framing was in order: fields and digests. */
export function checkRecord(header: WarcHeader, block: Buffer): string[] {
  const found = [...checkFields(header), ...checkDigests(header, block)];
  return found.filter((problem) => typeof problem === "string");
}

/** What is wrong, or false. */
type Problem = string | false;

function checkFields({ headers, version }: WarcHeader): Problem[] {
  const date = headers.get("warc-date") || undefined;
  const dates = version === "1.0" ? DATE_1_0 : DATE;
  const isBad = (id = "") => id !== "" && !ID.test(id);
  const needsUri = NEEDS_URI.has(headers.get("warc-type") ?? "");
  return [
    ...MANDATORY.map((name) => !headers.get(name) && `${name} is missing`),
    !["1.0", "1.1", ""].includes(version) && `version ${version} is not known here`,
    date !== undefined && !dates.test(date) && `bad warc-date ${JSON.stringify(date)}`,
    ...IDS.map((name) => isBad(headers.get(name)) && `bad ${name} ${quoted(headers.get(name)!)}`),
    needsUri && !headers.get("warc-target-uri") && "warc-target-uri is missing",
    ...Array.from(
      headers,
      ([name, value]) => CONTROL.test(value) && `${name} holds a control character`,
    ),
  ];
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}

function checkDigests({ headers }: WarcHeader, block: Buffer): Problem[] {
  const ofBlock = headers.get("warc-block-digest") ?? "";
  const ofPayload = headers.get("warc-payload-digest") ?? "";
  const payloads = ofPayload === "" ? [] : payloadsOf(headers, block);
  const isOther = (payload: Buffer) => digestMatches(ofPayload, payload) === false;
  return [
    digestMatches(ofBlock, block) === false && `the block is not the one of ${ofBlock}`,
    payloads.length > 0 && payloads.every(isOther) && `the payload is not the one of ${ofPayload}`,
  ];
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
