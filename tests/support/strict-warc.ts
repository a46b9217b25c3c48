import { createHash } from "node:crypto";
import { crc32, inflateRawSync } from "node:zlib";

/*
 * A validator of WARC 1.1 (ISO 28500:2017) that shares no code with the program: what the standard calls "shall", and
 * what only makes sense if it holds (links between records lead somewhere, digests are right).
 */

/** A record as the validator reads it. */
export interface StrictRecord {
  readonly file: string;
  readonly offset: number;
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly block: Buffer;
}

const TYPES = new Set(["warcinfo", "response", "request", "metadata", "revisit", "resource"]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const UUID = /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?Z$/;
const DIGEST = /^sha1:[A-Z2-7]{32}$/;
const NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const PROFILES = new Set([
  "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
  NOT_MODIFIED,
]);
/** Which types a field may stand in; fields that are not named here may stand in none. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "warc-type": [...TYPES],
  "warc-record-id": [...TYPES],
  "warc-date": [...TYPES],
  "content-length": [...TYPES],
  "content-type": [...TYPES],
  "warc-block-digest": [...TYPES],
  "warc-payload-digest": ["response", "revisit", "resource"],
  "warc-ip-address": ["response", "resource", "request", "metadata", "revisit"],
  "warc-concurrent-to": ["response", "resource", "request", "metadata", "revisit"],
  "warc-target-uri": ["response", "resource", "request", "metadata", "revisit"],
  "warc-warcinfo-id": ["response", "resource", "request", "metadata", "revisit"],
  "warc-refers-to": ["metadata", "revisit"],
  "warc-refers-to-target-uri": ["revisit"],
  "warc-refers-to-date": ["revisit"],
  "warc-profile": ["revisit"],
  "warc-truncated": ["response", "resource", "request", "metadata", "revisit"],
  "warc-filename": ["warcinfo"],
};
const MANDATORY: Readonly<Record<string, readonly string[]>> = {
  warcinfo: ["content-type", "warc-filename"],
  response: ["warc-target-uri", "content-type", "warc-warcinfo-id", "warc-payload-digest"],
  request: ["warc-target-uri", "content-type", "warc-warcinfo-id", "warc-concurrent-to"],
  metadata: ["warc-target-uri", "content-type", "warc-warcinfo-id", "warc-concurrent-to"],
  revisit: [
    "warc-target-uri",
    "warc-profile",
    "warc-payload-digest",
    "warc-refers-to",
    "warc-refers-to-target-uri",
    "warc-refers-to-date",
  ],
  resource: ["warc-target-uri", "content-type", "warc-warcinfo-id"],
};
const BLOCK_TYPES: Readonly<Record<string, string>> = {
  warcinfo: "application/warc-fields",
  metadata: "application/warc-fields",
  request: "application/http;msgtype=request",
  response: "application/http;msgtype=response",
  revisit: "application/http;msgtype=response",
};

/** Everything that is wrong with a set of files; records of `earlier` files may be referred to. */
export function strictProblems(
  files: ReadonlyMap<string, Buffer>,
  earlier: ReadonlyMap<string, Buffer> = new Map(),
): string[] {
  const problems: string[] = [];
  const byId = new Map<string, StrictRecord>();
  const read = (from: ReadonlyMap<string, Buffer>, report: (problem: string) => void) =>
    [...from].flatMap(([file, bytes]) => readFile(file, bytes, report));
  for (const record of read(earlier, () => {})) byId.set(one(record, "warc-record-id"), record);
  const records = read(files, (problem) => problems.push(problem));
  for (const record of records) {
    const id = one(record, "warc-record-id");
    if (byId.has(id)) problems.push(`${place(record)}: the id ${id} is used twice`);
    byId.set(id, record);
  }
  for (const record of records) {
    const report = (problem: string) => problems.push(`${place(record)}: ${problem}`);
    checkFields(record, report);
    checkBlock(record, report);
    checkLinks(record, byId, report);
  }
  return problems;
}

/** The records of a file of gzip members, one record in each. */
export function readFile(
  file: string,
  bytes: Buffer,
  report: (problem: string) => void,
): StrictRecord[] {
  const records: StrictRecord[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    try {
      const member = inflateAt(bytes, offset);
      records.push(parse(file, offset, member.content));
      offset += member.length;
    } catch (fault) {
      report(`${file}:${offset}: ${(fault as Error).message}`);
      return records;
    }
  }
  if (records[0] === undefined || one(records[0], "warc-type") !== "warcinfo")
    report(`${file}: the first record is not a warcinfo record`);
  return records;
}

function inflateAt(bytes: Buffer, offset: number): { content: Buffer; length: number } {
  const header = bytes.subarray(offset, offset + 10);
  if (header.toString("hex", 0, 4) !== "1f8b0800") throw new Error("not a plain gzip header");
  const { buffer, engine } = inflateRawSync(bytes.subarray(offset + 10), {
    info: true,
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
  const end = offset + 10 + engine.bytesWritten;
  if (bytes.readUInt32LE(end) !== crc32(buffer)) throw new Error("the checksum is wrong");
  if (bytes.readUInt32LE(end + 4) !== buffer.length) throw new Error("the length is wrong");
  return { content: buffer, length: end + 8 - offset };
}

function parse(file: string, offset: number, content: Buffer): StrictRecord {
  const end = content.indexOf("\r\n\r\n");
  if (end < 0) throw new Error("the header does not end");
  const text = content.toString("utf8", 0, end);
  if (Buffer.byteLength(text) !== end || text.includes("\ufffd")) throw new Error("not UTF-8");
  const [version, ...lines] = text.split("\r\n");
  if (version !== "WARC/1.1") throw new Error(`the version line is ${version}`);
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(line)) throw new Error("a control character in a field");
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (!TOKEN.test(name)) throw new Error(`not a field: ${line}`);
    const values = fields.get(name.toLowerCase()) ?? [];
    fields.set(name.toLowerCase(), [...values, line.slice(colon + 1).trim()]);
  }
  const length = fields.get("content-length")?.[0] ?? "";
  if (!/^\d+$/.test(length)) throw new Error(`Content-Length is ${length}`);
  const block = content.subarray(end + 4, end + 4 + Number(length));
  if (content.toString("latin1", end + 4 + Number(length)) !== "\r\n\r\n")
    throw new Error("the block is not followed by two line ends and nothing else");
  return { file, offset, fields, block };
}

function checkFields(record: StrictRecord, report: (problem: string) => void): void {
  const type = one(record, "warc-type");
  if (!TYPES.has(type)) report(`a record of type ${type}`);
  const general = [
    "warc-record-id",
    "warc-date",
    "warc-type",
    "content-length",
    "warc-block-digest",
  ];
  for (const name of [...general, ...(MANDATORY[type] ?? [])])
    if (one(record, name) === "") report(`${name} is missing`);
  for (const [name, values] of record.fields) {
    if (!(ALLOWED[name] ?? []).includes(type)) report(`${name} in a ${type} record`);
    if (values.length > 1 && name !== "warc-concurrent-to") report(`${name} is repeated`);
    for (const value of values) {
      const isId = /^warc-(record-id|concurrent-to|refers-to|warcinfo-id)$/.test(name);
      if (isId && !UUID.test(value)) report(`${name} is ${value}`);
      if (/-date$/.test(name) && !isDate(value)) report(`${name} is ${value}`);
      if (/-digest$/.test(name) && !DIGEST.test(value)) report(`${name} is ${value}`);
      if (/-target-uri$/.test(name) && !isUri(value)) report(`${name} is ${value}`);
    }
  }
  const truncated = one(record, "warc-truncated");
  if (truncated !== "" && !/^(length|time|disconnect|unspecified)$/.test(truncated))
    report(`warc-truncated is ${truncated}`);
  if (type === "revisit" && !PROFILES.has(one(record, "warc-profile")))
    report(`warc-profile is ${one(record, "warc-profile")}`);
  if (type === "warcinfo" && one(record, "warc-filename") !== record.file)
    report(`warc-filename is ${one(record, "warc-filename")}`);
}

function checkBlock(record: StrictRecord, report: (problem: string) => void): void {
  const type = one(record, "warc-type");
  const { block } = record;
  const contentType = one(record, "content-type");
  if (one(record, "warc-profile") === NOT_MODIFIED) {
    if (block.length > 0 || contentType !== "")
      report("a 304 is stored, and shown as a blank page");
    return;
  }
  if (BLOCK_TYPES[type] !== undefined && contentType !== BLOCK_TYPES[type])
    report(`content-type is ${contentType}`);
  const blockDigest = one(record, "warc-block-digest");
  if (blockDigest !== "" && blockDigest !== sha1(block)) report("the block digest is wrong");
  if (contentType === "application/warc-fields") {
    for (const line of block.toString("utf8").split("\r\n").slice(0, -1))
      if (!TOKEN.test(line.slice(0, line.indexOf(":")))) report(`not a field: ${line}`);
    if (!block.toString("latin1").endsWith("\r\n")) report("the last field has no line end");
    return;
  }
  const head = block.toString("latin1", 0, block.indexOf("\r\n\r\n") + 2);
  const [first = ""] = head.split("\r\n");
  if (
    type === "request"
      ? !/^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(first)
      : !/^HTTP\/1\.[01] \d{3}/.test(first)
  )
    report(`the block begins with ${JSON.stringify(first)}`);
  if (type !== "response") return;
  if (/^transfer-encoding:/im.test(head)) report("a transfer coding that is taken off is claimed");
  const payload = block.subarray(block.indexOf("\r\n\r\n") + 4);
  if (one(record, "warc-payload-digest") !== sha1(payload)) report("the payload digest is wrong");
  const length = /^content-length:\s*(\d+)\s*$/im.exec(head)?.[1];
  if (
    length !== undefined &&
    one(record, "warc-truncated") === "" &&
    Number(length) !== payload.length
  )
    report(`${payload.length} bytes of payload, the server said ${length}`);
}

function checkLinks(
  record: StrictRecord,
  byId: ReadonlyMap<string, StrictRecord>,
  report: (problem: string) => void,
): void {
  const type = one(record, "warc-type");
  const info = byId.get(one(record, "warc-warcinfo-id"));
  if (type !== "warcinfo" && (info?.offset !== 0 || info.file !== record.file))
    report("warc-warcinfo-id does not name the warcinfo record of this file");
  for (const id of record.fields.get("warc-concurrent-to") ?? []) {
    const other = byId.get(id);
    if (other?.file !== record.file) report("warc-concurrent-to leads out of the file");
    else
      for (const name of ["warc-date", "warc-target-uri"])
        if (one(other, name) !== one(record, name)) report(`${name} is not that of its capture`);
  }
  if (type !== "revisit") return;
  const original = byId.get(one(record, "warc-refers-to"));
  if (original === undefined || one(original, "warc-type") !== "response") {
    report("warc-refers-to names no response record");
    return;
  }
  const same: [string, string][] = [
    ["warc-refers-to-target-uri", "warc-target-uri"],
    ["warc-refers-to-date", "warc-date"],
    ["warc-payload-digest", "warc-payload-digest"],
  ];
  for (const [mine, its] of same)
    if (one(record, mine) !== one(original, its)) report(`${mine} is not that of the original`);
}

function one(record: StrictRecord, name: string): string {
  return record.fields.get(name)?.[0] ?? "";
}

function place({ file, offset }: StrictRecord): string {
  return `${file}:${offset}`;
}

function isDate(text: string): boolean {
  const iso = new Date(text);
  return (
    DATE.test(text) &&
    !Number.isNaN(iso.getTime()) &&
    iso.toISOString().slice(0, 19) === text.slice(0, 19)
  );
}

/** RFC 3986: a scheme, and nothing but what a URI is made of; beside that what the URL standard leaves as it came. */
function isUri(text: string): boolean {
  const lenient = text.replace(/[|^{}`\\]/g, "_");
  return /^[a-z][a-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/.test(
    lenient,
  );
}

function sha1(bytes: Buffer): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...createHash("sha1").update(bytes).digest()]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  return `sha1:${bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)]!)}`;
}
