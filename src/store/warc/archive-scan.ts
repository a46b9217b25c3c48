import { readdirSync } from "node:fs";
import { join } from "node:path";
import { VIAS } from "../../frontier/via.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Archived, CaptureFacts, EarlierRecord, PageFacts } from "../capture.ts";
import type { Repair } from "../files/system-calls.ts";
import { LinkList } from "../link-list.ts";
import { OPEN } from "./archive-file.ts";
import { headOf } from "./archived-head.ts";
import { readWarc, type WarcRecord } from "./warc-reader.ts";
import { NOT_MODIFIED } from "./warc-record.ts";

/** A capture as read back from the archive: enough for its lines in index, page list and link graph. */
export interface ScannedCapture extends CaptureFacts {
  readonly archived: Archived;
}

/** A part of a file that is not what was written. */
export interface ArchiveDamage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly what: string;
}

/** Names of the files of an archive folder, closed and open, thread by thread, in the order of the page list. */
export function archiveFiles(folder: string): string[] {
  const thread = (name: string) => Number(/-(\d+)\.warc\.gz/.exec(name)?.[1] ?? 0);
  return readdirSync(folder)
    .filter((name) => /\.warc\.gz(?:\.open)?$/.test(name))
    .sort((a, b) => thread(a) - thread(b) || (a < b ? -1 : 1));
}

/**
 * Iterates the captures of one file, in bounded memory, and reports what cannot be read and what can be repaired. A
 * record behind damage that does not name this file's warcinfo is left out: it is part of some page's body.
 */
export function* scanArchive(
  folder: string,
  name: string,
  report: (damage: ArchiveDamage) => void,
  own: (repair: Repair) => void,
): Generator<ScannedCapture, void> {
  const file = name.endsWith(OPEN) ? name.slice(0, -OPEN.length) : name;
  let warcinfo: string | undefined;
  let main: WarcRecord | undefined;
  for (const record of readWarc(join(folder, name), { own })) {
    const { type, headers, offset, length: bytes, problems } = record;
    const isBroken = problems.length > 0;
    if (isBroken) report({ file: name, offset, bytes, what: problems.join("; ") });
    else if (type === "warcinfo") warcinfo ??= headers.get("warc-record-id");
    else if (record.afterDamage && isForeign(record, warcinfo)) continue;
    const isMain = !isBroken && (type === "response" || type === "revisit");
    const isMetadata =
      !isBroken && type === "metadata" && main !== undefined && belongs(record, main);
    if (main !== undefined && (isBroken || isMain || isMetadata)) {
      yield scanned(file, main, isMetadata ? record.block.toString("utf8") : "");
      main = undefined;
    }
    if (isMain) main = record;
  }
  if (main !== undefined) yield scanned(file, main, "");
}

function isForeign({ headers }: WarcRecord, warcinfo: string | undefined): boolean {
  return warcinfo !== undefined && headers.get("warc-warcinfo-id") !== warcinfo;
}

function belongs(record: WarcRecord, main: WarcRecord): boolean {
  return record.headers.get("warc-concurrent-to") === main.headers.get("warc-record-id");
}

function scanned(file: string, record: WarcRecord, metadata: string): ScannedCapture {
  const { headers, block, offset, length } = record;
  const fields = fieldsOf(metadata);
  const head = headOf(block);
  const field = (name: string) => fields.get(name)?.[0];
  const outlinks = fields.get("outlink") ?? [];
  return {
    kind: "capture",
    url: (headers.get("warc-target-uri") ?? "") as CrawlUrl,
    date: Date.parse(headers.get("warc-date") ?? ""),
    status: statusOf(headers, head),
    mime: field("mime") ?? mimeOf(head),
    bytes: Number(field("payload-bytes") ?? block.length - head.length),
    decodedBytes: numberOf(field("decoded-bytes")),
    depth: Number(field("depth") ?? 0),
    parent: field("via") as CrawlUrl | undefined,
    via: VIAS.find((via) => via === field("discoveredBy")),
    page: pageOf(field, outlinks.length + Number(field("outlinks-omitted") ?? 0)),
    cash: numberOf(field("cash")),
    signals: jsonOf(field("signals")),
    data: jsonOf(field("data")),
    outlinks: LinkList.of(outlinks),
    unchanged: unchangedOf(headers),
    archived: {
      location: { file, offset, length },
      payloadDigest: headers.get("warc-payload-digest") ?? "",
      payloadSha256: `sha256:${field("payload-digest-sha256") ?? ""}`,
      recordId: (headers.get("warc-record-id") ?? "").replace(/^<urn:uuid:|>$/g, ""),
      isRevisit: record.type === "revisit",
    },
  };
}

/** The record that one of a 304 means. */
function unchangedOf(headers: ReadonlyMap<string, string>): EarlierRecord | undefined {
  if (headers.get("warc-profile") !== NOT_MODIFIED) return undefined;
  return {
    recordId: (headers.get("warc-refers-to") ?? "").replace(/^<urn:uuid:|>$/g, ""),
    uri: headers.get("warc-refers-to-target-uri") ?? "",
    date: headers.get("warc-refers-to-date") ?? "",
    payloadDigest: headers.get("warc-payload-digest") ?? "",
    payloadSha256: "",
  };
}

/** Of a 304 there may be no head: its record means an earlier one. */
function statusOf(headers: ReadonlyMap<string, string>, head: string): number {
  const status = /^HTTP\/\S+\s+(\d{3})/.exec(head)?.[1];
  if (status !== undefined) return Number(status);
  return headers.get("warc-profile") === NOT_MODIFIED ? 304 : 0;
}

/** The text if it is JSON: what was read back from a damaged record need not be. */
function jsonOf(text: string | undefined): string | undefined {
  try {
    JSON.parse(text ?? "");
    return text;
  } catch {
    return undefined;
  }
}

/** Undefined where the field is missing, or damaged. */
function numberOf(text: string | undefined): number | undefined {
  return /^\d+$/.test(text ?? "") ? Number(text) : undefined;
}

function mimeOf(head: string): string {
  const type = /\ncontent-type[ \t]*:[ \t]*([^\r\n]*)/i.exec(head)?.[1] ?? "";
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

function fieldsOf(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(": ");
    if (colon < 0) continue;
    const name = line.slice(0, colon);
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [line.slice(colon + 2)]);
    else values.push(line.slice(colon + 2));
  }
  return fields;
}

function pageOf(field: (name: string) => string | undefined, links: number): PageFacts | undefined {
  const words = field("words");
  if (words === undefined) return undefined;
  return {
    title: field("title") ?? "",
    words: Number(words),
    links,
    linksAll: numberOf(field("links-all")),
    charset: field("charset-for-link-extraction") ?? "",
    language: field("language"),
    robots: field("robots"),
  };
}
