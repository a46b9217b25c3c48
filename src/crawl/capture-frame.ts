import type { Capture as Fetched } from "../fetch/outcome.ts";
import type { Lease } from "../frontier/frontier.ts";
import { directivesText } from "../parse/robots-meta.ts";
import type { Capture } from "../store/capture.ts";
import { jsonLine } from "../store/jsonl.ts";
import { LinkList } from "../store/link-list.ts";
import type { OutcomeLine } from "./outcome-line.ts";
import type { ReadPage } from "./read-page.ts";

/*
 * A capture travels as two parts: its texts in one piece, because each piece of its own costs as much as copying it,
 * and the body.
 *
 *   (length u32){5} | line of the log (UTF-8) | facts (JSON, UTF-8) | out-links | request | response head (Latin-1)
 */

const TEXTS = 5;
const HEAD_BYTES = 4 * TEXTS;
const EMPTY = Buffer.alloc(0);

/** A capture without its bytes and links; travels as JSON. */
type CaptureFacts = Omit<Capture, "request" | "head" | "body" | "outlinks">;

/**
 * The parts of a capture frame; without `bodies` request, head and body are left out. The first part lies in memory
 * that the next call uses again.
 */
export function captureParts(
  line: OutcomeLine,
  lease: Lease,
  capture: Fetched,
  page: ReadPage,
  bodies: boolean,
): Uint8Array[] {
  const { parsed } = page;
  const facts = {
    url: lease.url,
    status: capture.head.status,
    mime: page.mime,
    bytes: capture.body.length,
    depth: lease.depth,
    via: lease.via,
    parent: lease.parent,
    ip: capture.address,
    date: capture.date,
    dechunked: capture.head.find("transfer-encoding") >= 0,
    truncated: page.truncated,
    unverified: capture.unverified,
    unchanged: page.unchanged,
    cash: lease.cash,
    page: parsed && {
      title: parsed.title,
      words: parsed.words,
      links: parsed.links.length,
      charset: parsed.charset,
      language: parsed.language,
      robots: directivesText(page.robots),
    },
  };
  const texts = packTexts(
    jsonLine(line),
    JSON.stringify(facts),
    parsed === undefined ? "" : parsed.links.join("\n"),
    bodies ? capture.requestText : "",
    bodies ? capture.head.text : "",
  );
  return [texts, bodies ? capture.body : EMPTY];
}

/** Node's buffers have these; called directly they cost less than `write` on short texts. */
interface WritableBuffer extends Buffer {
  utf8Write(text: string, at: number): number;
  latin1Write(text: string, at: number): number;
}

const SCRATCH_BYTES = 64 * 1024;
/** No character needs more in UTF-8. */
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
  links: string,
  request: string,
  head: string,
): Buffer {
  const wide = WIDEST * (line.length + facts.length);
  const bytes = room(HEAD_BYTES + wide + links.length + request.length + head.length);
  const lineBytes = bytes.utf8Write(line, HEAD_BYTES);
  let at = HEAD_BYTES + lineBytes;
  const factsBytes = bytes.utf8Write(facts, at);
  at += factsBytes;
  // Links are canonical, the others are what came and went: one byte per character.
  at += bytes.latin1Write(links, at);
  at += bytes.latin1Write(request, at);
  at += bytes.latin1Write(head, at);
  bytes.writeUInt32LE(lineBytes, 0);
  bytes.writeUInt32LE(factsBytes, 4);
  bytes.writeUInt32LE(links.length, 8);
  bytes.writeUInt32LE(request.length, 12);
  bytes.writeUInt32LE(head.length, 16);
  return bytes.subarray(0, at);
}

/** A capture as its builder gets it, and the line of the log, which lacks only the place of the record. */
export interface ReceivedCapture {
  readonly capture: Capture;
  readonly line: string;
}

/** Reads the parts of a capture frame; request, head and body are views. */
export function readCapture([texts, body]: readonly Buffer[]): ReceivedCapture {
  const bytes = texts!;
  const factsAt = HEAD_BYTES + bytes.readUInt32LE(0);
  const linksAt = factsAt + bytes.readUInt32LE(4);
  const requestAt = linksAt + bytes.readUInt32LE(8);
  const headAt = requestAt + bytes.readUInt32LE(12);
  const facts: CaptureFacts = JSON.parse(bytes.toString("utf8", factsAt, linksAt));
  const capture: Capture = {
    ...facts,
    outlinks: LinkList.fromLines(
      bytes.toString("latin1", linksAt, requestAt),
      facts.page?.links ?? 0,
    ),
    request: bytes.subarray(requestAt, headAt),
    head: bytes.subarray(headAt, headAt + bytes.readUInt32LE(16)),
    body: body!,
  };
  return { capture, line: bytes.toString("utf8", HEAD_BYTES, factsAt) };
}
