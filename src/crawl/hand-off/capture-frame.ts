import type { Lease } from "../../frontier/frontier.ts";
import type { Via } from "../../frontier/via.ts";
import type { ParsedPage } from "../../parse/page.ts";
import { directivesText, type RobotsDirectives } from "../../parse/robots-meta.ts";
import type { Capture, EarlierRecord, PageFacts } from "../../store/capture.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import { LinkList, linkLines } from "../../store/link-list.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";

/*
 * A capture is sent as two parts: all texts in one, because a part of its own costs as much as copying the text, and the
 * body.
 *
 *   (length u32){6} | line of the log (UTF-8) | facts (JSON, UTF-8) | lines of links | request | response head (Latin-1) | rows (UTF-8)
 */

const TEXTS = 6;
const HEAD_BYTES = 4 * TEXTS;
const EMPTY = Buffer.alloc(0);
const NO_SIGNALS = [] as const;

/** `undefined` in a list becomes null in JSON. */
type Absent = null | undefined;

/** A capture without its bytes and links, as a list: names of fields would cost more than the values. */
type CaptureFacts = readonly [
  url: CrawlUrl,
  status: number,
  mime: string,
  bytes: number,
  depth: number,
  via: Via,
  parent: CrawlUrl | Absent,
  ip: string,
  date: number,
  dechunked: boolean,
  truncated: Capture["truncated"] | Absent,
  unverified: string | Absent,
  unchanged: EarlierRecord | Absent,
  cash: number | Absent,
  data: string | Absent,
  page: PageFactsList | Absent,
  decodedBytes: number | Absent,
  /** Only where there is any. */
  signals?: string,
];

type PageFactsList = readonly [
  title: string,
  words: number,
  links: number,
  charset: string,
  language: string | Absent,
  robots: string,
  linksAll: number,
];

/** What a record needs of a response. */
export interface ResponseToStore {
  readonly head: {
    readonly status: number;
    readonly text: string;
    /** Below 0 when there is no such field. */
    find(nameLower: string): number;
  };
  readonly body: Uint8Array;
  /** The request as sent, one character per byte. */
  readonly requestText: string;
  readonly address: string;
  readonly date: number;
  readonly unverified?: string | undefined;
}

/** What reading a response found that its record needs. */
export interface PageToStore {
  readonly mime: string;
  readonly truncated: Capture["truncated"];
  readonly unchanged?: EarlierRecord;
  /** Length of the body without its content coding, as far as that was removed. */
  readonly decodedBytes?: number | undefined;
  /** Present for HTML. */
  readonly parsed:
    | Pick<
        ParsedPage,
        "title" | "words" | "links" | "linkCount" | "packed" | "linksAll" | "charset" | "language"
      >
    | undefined;
  readonly robots: RobotsDirectives;
  readonly signals?: object | undefined;
  /** What a user's handler wants kept: one line of JSON. */
  readonly data?: string | undefined;
  /** What it pushed, as `packRows` packs it. */
  readonly rows?: string | undefined;
}

/**
 * The parts of a capture frame; without `bodies` request, head and body are left out. The first part is in memory that
 * the next call reuses.
 */
export function captureParts(
  line: object,
  lease: Pick<Lease, "url" | "depth" | "via" | "parent" | "cash">,
  response: ResponseToStore,
  page: PageToStore,
  bodies: boolean,
): Uint8Array[] {
  const { parsed } = page;
  const { head } = response;
  const pageFacts: PageFactsList | undefined =
    parsed === undefined
      ? undefined
      : [
          parsed.title,
          parsed.words,
          parsed.linkCount,
          parsed.charset,
          parsed.language,
          directivesText(page.robots),
          parsed.linksAll,
        ];
  const facts: CaptureFacts = [
    lease.url,
    head.status,
    page.mime,
    response.body.length,
    lease.depth,
    lease.via,
    lease.parent,
    response.address,
    response.date,
    head.find("transfer-encoding") >= 0,
    page.truncated,
    response.unverified,
    page.unchanged,
    lease.cash,
    page.data,
    pageFacts,
    page.decodedBytes,
    ...(page.signals === undefined ? NO_SIGNALS : ([jsonLine(page.signals)] as const)),
  ];
  const texts = packTexts(
    jsonLine(line),
    JSON.stringify(facts),
    parsed === undefined ? "" : (parsed.packed?.lines ?? linkLines(parsed.links)),
    bodies ? response.requestText : "",
    bodies ? head.text : "",
    page.rows ?? "",
  );
  return [texts, bodies ? response.body : EMPTY];
}

/** The same capture without a frame: what would be read from it. Links and body are views. */
export function captureOf(
  line: object,
  lease: Pick<Lease, "url" | "depth" | "via" | "parent" | "cash">,
  response: ResponseToStore,
  page: PageToStore,
  bodies: boolean,
): Capture {
  const { parsed } = page;
  const { head } = response;
  const lines = parsed?.packed?.lines ?? linkLines(parsed?.links ?? []);
  const text = jsonLine(line);
  return {
    kind: "capture",
    url: lease.url,
    status: head.status,
    mime: page.mime,
    bytes: response.body.length,
    depth: lease.depth,
    via: lease.via,
    parent: lease.parent,
    ip: response.address,
    date: response.date,
    dechunked: head.find("transfer-encoding") >= 0,
    truncated: page.truncated,
    unverified: response.unverified,
    unchanged: page.unchanged,
    cash: lease.cash,
    data: page.data,
    page: parsed && {
      title: parsed.title,
      words: parsed.words,
      links: parsed.linkCount,
      charset: parsed.charset,
      language: parsed.language,
      robots: directivesText(page.robots),
      linksAll: parsed.linksAll,
    },
    decodedBytes: page.decodedBytes,
    signals: page.signals && jsonLine(page.signals),
    outlinks: LinkList.fromLines(
      typeof lines === "string" ? Buffer.from(lines, "latin1") : lines,
      parsed?.linkCount ?? 0,
    ),
    request: bodies ? Buffer.from(response.requestText, "latin1") : EMPTY,
    head: bodies ? Buffer.from(head.text, "latin1") : EMPTY,
    body: bodies ? response.body : EMPTY,
    rows: page.rows === undefined || page.rows === "" ? undefined : Buffer.from(page.rows),
    // Without its closing brace.
    line: Buffer.from(text.slice(0, -1)),
    archived: undefined,
  };
}

/** Methods of Node's buffers; called directly they cost less than `write` for short texts. */
interface WritableBuffer extends Buffer {
  utf8Write(text: string, at: number): number;
  latin1Write(text: string, at: number): number;
}

const SCRATCH_BYTES = 64 * 1024;
/** Most bytes of a character of a string in UTF-8. */
const WIDEST = 3;
let scratch: WritableBuffer | undefined;

function room(size: number): WritableBuffer {
  if (size > SCRATCH_BYTES) return Buffer.allocUnsafe(size) as WritableBuffer;
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES) as WritableBuffer;
  return scratch;
}

function packTexts(
  line: string,
  facts: string,
  links: string | Buffer,
  request: string,
  head: string,
  rows: string,
): Buffer {
  const wide = WIDEST * (line.length + facts.length + rows.length);
  const bytes = room(HEAD_BYTES + wide + links.length + request.length + head.length);
  const lineBytes = bytes.utf8Write(line, HEAD_BYTES);
  let at = HEAD_BYTES + lineBytes;
  const factsBytes = bytes.utf8Write(facts, at);
  at += factsBytes;
  // Links are canonical, request and head are as on the wire: one byte per character.
  if (typeof links === "string") at += bytes.latin1Write(links, at);
  else {
    bytes.set(links, at);
    at += links.length;
  }
  at += bytes.latin1Write(request, at);
  at += bytes.latin1Write(head, at);
  const rowsBytes = rows === "" ? 0 : bytes.utf8Write(rows, at);
  at += rowsBytes;
  bytes.writeUInt32LE(lineBytes, 0);
  bytes.writeUInt32LE(factsBytes, 4);
  bytes.writeUInt32LE(links.length, 8);
  bytes.writeUInt32LE(request.length, 12);
  bytes.writeUInt32LE(head.length, 16);
  bytes.writeUInt32LE(rowsBytes, 20);
  return bytes.subarray(0, at);
}

/** Reads the parts of a capture frame; line, links, request, head and body are views. */
export function readCapture([texts, body]: readonly Buffer[]): Capture {
  const bytes = texts!;
  const factsAt = HEAD_BYTES + bytes.readUInt32LE(0);
  const linksAt = factsAt + bytes.readUInt32LE(4);
  const requestAt = linksAt + bytes.readUInt32LE(8);
  const headAt = requestAt + bytes.readUInt32LE(12);
  const rowsAt = headAt + bytes.readUInt32LE(16);
  const rowsBytes = bytes.readUInt32LE(20);
  const facts: CaptureFacts = JSON.parse(bytes.toString("utf8", factsAt, linksAt));
  const page = pageOf(facts[15]);
  return {
    kind: "capture",
    url: facts[0],
    status: facts[1],
    mime: facts[2],
    bytes: facts[3],
    depth: facts[4],
    via: facts[5],
    parent: facts[6] ?? undefined,
    ip: facts[7],
    date: facts[8],
    dechunked: facts[9],
    truncated: facts[10] ?? undefined,
    unverified: facts[11] ?? undefined,
    unchanged: facts[12] ?? undefined,
    cash: facts[13] ?? undefined,
    data: facts[14] ?? undefined,
    page,
    decodedBytes: facts[16] ?? undefined,
    signals: facts[17],
    outlinks: LinkList.fromLines(bytes.subarray(linksAt, requestAt), page?.links ?? 0),
    request: bytes.subarray(requestAt, headAt),
    head: bytes.subarray(headAt, rowsAt),
    body: body!,
    rows: rowsBytes === 0 ? undefined : bytes.subarray(rowsAt, rowsAt + rowsBytes),
    // Without its closing brace.
    line: bytes.subarray(HEAD_BYTES, factsAt - 1),
    archived: undefined,
  };
}

function pageOf(facts: PageFactsList | Absent): PageFacts | undefined {
  if (facts == null) return undefined;
  const [title, words, links, charset, language, robots, linksAll] = facts;
  return { title, words, links, charset, language: language ?? undefined, robots, linksAll };
}
