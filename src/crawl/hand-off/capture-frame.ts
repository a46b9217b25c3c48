import type { Lease } from "../../frontier/frontier.ts";
import { isList, type Via } from "../../frontier/via.ts";
import { PRINT_WORDS } from "../../page-engine/packed-links.ts";
import { directivesText } from "../../parse/robots-meta.ts";
import type { Capture } from "../../store/capture.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import { LinkList, linkLines } from "../../store/link-list.ts";
import {
  BYTES,
  CASH,
  CHARSET,
  DATE,
  DECODED_BYTES,
  DEPTH,
  FLAGS,
  HAS_CASH,
  HAS_DECODED,
  HAS_LANGUAGE,
  HAS_PARENT,
  HEAD_BYTES,
  IP,
  IS_DECHUNKED,
  IS_PAGE,
  IS_PLAIN,
  IS_TRUNCATED,
  LANGUAGE,
  LINE_BYTES,
  LINK_BYTES,
  LINKS,
  LINKS_ALL,
  MIME,
  PAGE_WORDS,
  PARENT,
  PRINTS,
  RARE,
  REQUEST_BYTES,
  ROBOTS,
  ROW_BYTES,
  SEED_HIGH,
  SEED_LOW,
  STATUS,
  TEXT_BYTES,
  TITLE,
  TOOK_MS,
  TRUNCATED,
  URL_TEXT,
  VIA,
  WORDS,
} from "../../store/page-frame.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type OutcomeLine, timeText } from "../visit/visit-outcome.ts";
import { FRAMES, PAIR, PAIR_HEAD_WORDS } from "./frames.ts";
import { isUsual, logText, usualLine } from "./log-text.ts";
import type { PageToStore, ResponseToStore } from "./what-to-store.ts";

const WORD_BYTES = 4;
const EMPTY = Buffer.alloc(0);

/** What few captures have. */
type RareFacts = Pick<Capture, "unverified" | "unchanged" | "data" | "signals">;

/**
 * The frame of a capture as a record of two pieces: head and facts, and the body; without `bodies` request, head and body
 * are left out. The first piece is in memory that the next call reuses.
 */
export function captureRecord(
  line: Partial<OutcomeLine>,
  lease: Pick<Lease, "url" | "depth" | "via" | "parent" | "cash">,
  response: ResponseToStore,
  page: PageToStore,
  bodies: boolean,
): Uint8Array[] {
  const { parsed, truncated, mime, decodedBytes, unchanged, data, signals, rows = "" } = page;
  const { head, address, unverified } = response;
  const { parent, cash, url, via } = lease;
  const packed = parsed?.packed;
  const title = parsed?.title ?? "";
  const language = parsed?.language;
  const charset = parsed?.charset ?? "";
  const { noindex, nofollow } = page.robots;
  const isAsked = parsed !== undefined && (noindex || nofollow);
  const robots = isAsked ? directivesText(page.robots) : "";
  const hasRare = unverified ?? unchanged ?? data ?? signals;
  const rare = hasRare === undefined ? "" : rareText(response, page);
  const text = `${title}${url}${language ?? ""}${via}${mime}${address}${parent ?? ""}${truncated ?? ""}${charset}${robots}${rare}`;
  const links = packed === undefined ? linkLines(parsed?.links ?? []) : "";
  const linkBytes = packed === undefined ? links.length : packed.linesBytes;
  const prints = packed === undefined ? 0 : packed.length;
  const request = bodies ? response.requestText : "";
  const headBytes = bodies ? head.length : 0;
  const body = bodies ? response.body : EMPTY;
  const isPage = line.outcome === "page";
  const isPlain =
    isPage &&
    head.status === 200 &&
    !isList(via) &&
    bodies &&
    prints === parsed?.linkCount &&
    truncated === undefined &&
    cash === undefined &&
    rare === "" &&
    rows === "";
  const logged = isPlain && saysNoMore(line, lease, response, mime) ? "" : logText(line);
  const fixed = WORD_BYTES * (WORDS + PRINT_WORDS * prints);
  const wide = WIDEST * (logged.length + text.length + rows.length);
  const size = FACTS_AT + fixed + wide + linkBytes + request.length + headBytes;
  scratch ??= newRoom(SCRATCH_BYTES);
  const { bytes, top, words, numbers } = size > SCRATCH_BYTES ? newRoom(size) : scratch;

  words[FLAGS] =
    (parsed === undefined ? 0 : IS_PAGE) |
    (head.find("transfer-encoding") >= 0 ? IS_DECHUNKED : 0) |
    (parent === undefined ? 0 : HAS_PARENT) |
    (truncated === undefined ? 0 : IS_TRUNCATED) |
    (language === undefined ? 0 : HAS_LANGUAGE) |
    (decodedBytes === undefined ? 0 : HAS_DECODED) |
    (cash === undefined ? 0 : HAS_CASH) |
    (isPlain ? IS_PLAIN : 0);
  words[STATUS] = head.status;
  words[DEPTH] = lease.depth;
  words[PAGE_WORDS] = parsed?.words ?? 0;
  words[LINKS] = parsed?.linkCount ?? 0;
  words[LINKS_ALL] = parsed?.linksAll ?? 0;
  numbers[DATE >> 1] = response.date;
  numbers[BYTES >> 1] = response.body.length;
  numbers[DECODED_BYTES >> 1] = decodedBytes ?? 0;
  numbers[CASH >> 1] = cash ?? 0;
  words[TOOK_MS] = line.ms ?? 0;
  words[SEED_LOW] = packed?.seedLow ?? 0;
  words[SEED_HIGH] = packed?.seedHigh ?? 0;
  words[PRINTS] = prints;
  words[TITLE] = title.length;
  words[URL_TEXT] = url.length;
  words[LANGUAGE] = language?.length ?? 0;
  words[VIA] = via.length;
  words[MIME] = mime.length;
  words[IP] = address.length;
  words[PARENT] = parent?.length ?? 0;
  words[TRUNCATED] = truncated?.length ?? 0;
  words[CHARSET] = charset.length;
  words[ROBOTS] = robots.length;
  words[RARE] = rare.length;

  const lineAt = FACTS_AT + fixed;
  const lineBytes = logged === "" ? 0 : bytes.utf8Write(logged, lineAt);
  const textAt = lineAt + lineBytes;
  const textBytes = bytes.utf8Write(text, textAt);
  const linksAt = textAt + textBytes;
  // Links are canonical, request and head are as on the wire: one byte per character.
  if (packed === undefined) bytes.latin1Write(links, linksAt);
  else {
    packed.putPrints(words, WORDS);
    packed.copyLines(bytes, linksAt);
  }
  const requestAt = linksAt + linkBytes;
  bytes.latin1Write(request, requestAt);
  const headAt = requestAt + request.length;
  if (bodies) head.copyTo(bytes, headAt);
  const rowsAt = headAt + headBytes;
  const rowBytes = rows === "" ? 0 : bytes.utf8Write(rows, rowsAt);
  words[LINE_BYTES] = lineBytes;
  words[TEXT_BYTES] = textBytes;
  words[LINK_BYTES] = linkBytes;
  words[REQUEST_BYTES] = request.length;
  words[HEAD_BYTES] = headBytes;
  words[ROW_BYTES] = rowBytes;

  const end = rowsAt + rowBytes;
  top[0] = PAIR | (isPage ? FRAMES.page : FRAMES.capture);
  top[1] = end - FACTS_AT;
  top[2] = body.length;
  return [new Uint8Array(bytes.buffer, TOP_AT, end - TOP_AT), body];
}

/** Whether the line of a plain page tells no more than the other facts do; its reader composes it then. */
function saysNoMore(
  line: Partial<OutcomeLine>,
  lease: Pick<Lease, "url" | "depth" | "via" | "parent">,
  { head, body, date }: ResponseToStore,
  mime: string,
): boolean {
  return (
    line.url === lease.url &&
    line.depth === lease.depth &&
    line.via === lease.via &&
    line.parent === lease.parent &&
    line.status === head.status &&
    line.mime === mime &&
    line.bytes === body.length &&
    line.ms !== undefined &&
    line.ms >>> 0 === line.ms &&
    isUsual(line) &&
    line.time === timeText(date)
  );
}

function rareText({ unverified }: ResponseToStore, { unchanged, data, signals }: PageToStore) {
  const rare: RareFacts = { unverified, unchanged, data, signals: signals && jsonLine(signals) };
  return JSON.stringify(rare);
}

const number = new Float64Array(1);
const halves = new Uint32Array(number.buffer);

function readNumber(words: Uint32Array, at: number): number {
  halves[0] = words[at]!;
  halves[1] = words[at + 1]!;
  return number[0]!;
}

/** Methods of Node's buffers; called directly they cost less than `write` and `toString` for short texts. */
interface DirectBuffer extends Buffer {
  utf8Write(text: string, at: number): number;
  latin1Write(text: string, at: number): number;
  utf8Slice(from: number, to: number): string;
  latin1Slice(from: number, to: number): string;
}

/** Memory for the first piece of a record. */
interface Room {
  readonly bytes: DirectBuffer;
  /** The head of the record. */
  readonly top: Uint32Array;
  /** The facts, and the same memory as numbers of 64 bits. */
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
}

const SCRATCH_BYTES = 64 * 1024;
/** Most bytes of a character of a string in UTF-8. */
const WIDEST = 3;
/** Where the facts begin, which have numbers of 64 bits in them, and the head in front of them. */
const FACTS_AT = 16;
const TOP_AT = FACTS_AT - WORD_BYTES * PAIR_HEAD_WORDS;
let scratch: Room | undefined;

function newRoom(size: number): Room {
  const memory = new ArrayBuffer((size + 7) & -8);
  return {
    bytes: Buffer.from(memory) as DirectBuffer,
    top: new Uint32Array(memory, TOP_AT, PAIR_HEAD_WORDS),
    words: new Uint32Array(memory, FACTS_AT),
    numbers: new Float64Array(memory, FACTS_AT),
  };
}

/** Words of the memory that frames were read from last: nearly all are in one hand-off buffer. */
let readWords: Uint32Array = new Uint32Array(0);

/** Reads the parts of a capture frame; line, links, request, head, rows and body are views. */
export function readCapture([facts, body]: readonly Buffer[]): Capture {
  // Whoever holds frames elsewhere may hold them anywhere.
  const isAligned = facts!.byteOffset % WORD_BYTES === 0;
  const bytes = (isAligned ? facts! : Buffer.from(new Uint8Array(facts!).buffer)) as DirectBuffer;
  if (readWords.buffer !== bytes.buffer)
    readWords = new Uint32Array(bytes.buffer, 0, Math.floor(bytes.buffer.byteLength / WORD_BYTES));
  const words = readWords;
  const w = bytes.byteOffset / WORD_BYTES;
  const flags = words[w + FLAGS]!;
  const prints = words[w + PRINTS]!;
  const links = words[w + LINKS]!;
  const lineAt = WORD_BYTES * (WORDS + PRINT_WORDS * prints);
  const textAt = lineAt + words[w + LINE_BYTES]!;
  const linksAt = textAt + words[w + TEXT_BYTES]!;
  const requestAt = linksAt + words[w + LINK_BYTES]!;
  const headAt = requestAt + words[w + REQUEST_BYTES]!;
  const rowsAt = headAt + words[w + HEAD_BYTES]!;
  const rowBytes = words[w + ROW_BYTES]!;
  let chars = 0;
  for (let i = TITLE; i < WORDS; i++) chars += words[w + i]!;
  const isAscii = chars === words[w + TEXT_BYTES];
  const text = isAscii ? bytes.latin1Slice(textAt, linksAt) : bytes.utf8Slice(textAt, linksAt);
  let at = 0;
  const next = (length: number): string => {
    const from = at;
    at += words[w + length]!;
    return text.slice(from, at);
  };
  const title = next(TITLE);
  const url = next(URL_TEXT) as CrawlUrl;
  const language = next(LANGUAGE);
  const via = next(VIA) as Via;
  const mime = next(MIME);
  const ip = next(IP);
  const parent = next(PARENT) as CrawlUrl;
  const truncated = next(TRUNCATED) as NonNullable<Capture["truncated"]>;
  const charset = next(CHARSET);
  const robots = next(ROBOTS);
  const rare: RareFacts | undefined =
    words[w + RARE] === 0 ? undefined : JSON.parse(text.slice(at));
  const seeds = { seedLow: words[w + SEED_LOW]!, seedHigh: words[w + SEED_HIGH]! };
  const told = {
    url,
    status: words[w + STATUS]!,
    mime,
    bytes: readNumber(words, w + BYTES),
    depth: words[w + DEPTH]!,
    via,
    parent: (flags & HAS_PARENT) === 0 ? undefined : parent,
    date: readNumber(words, w + DATE),
  };
  return {
    kind: "capture",
    ...told,
    ip,
    dechunked: (flags & IS_DECHUNKED) !== 0,
    truncated: (flags & IS_TRUNCATED) === 0 ? undefined : truncated,
    unverified: rare?.unverified,
    unchanged: rare?.unchanged,
    cash: (flags & HAS_CASH) === 0 ? undefined : readNumber(words, w + CASH),
    data: rare?.data,
    page:
      (flags & IS_PAGE) === 0
        ? undefined
        : {
            title,
            words: words[w + PAGE_WORDS]!,
            links,
            charset,
            language: (flags & HAS_LANGUAGE) === 0 ? undefined : language,
            robots,
            linksAll: words[w + LINKS_ALL]!,
          },
    decodedBytes: (flags & HAS_DECODED) === 0 ? undefined : readNumber(words, w + DECODED_BYTES),
    signals: rare?.signals,
    outlinks: LinkList.fromLines(
      bytes.subarray(linksAt, requestAt),
      links,
      prints === 0 ? undefined : { ...seeds, words, from: w + WORDS },
    ),
    request: bytes.subarray(requestAt, headAt),
    head: bytes.subarray(headAt, rowsAt),
    body: body!,
    rows: rowBytes === 0 ? undefined : bytes.subarray(rowsAt, rowsAt + rowBytes),
    // Without its closing brace.
    line:
      textAt > lineAt
        ? bytes.subarray(lineAt, textAt - 1)
        : Buffer.from(logText(usualLine({ ...told, ms: words[w + TOOK_MS]! })).slice(0, -1)),
    archived: undefined,
  };
}
