import type { Capture as Fetched } from "../fetch/outcome.ts";
import type { Lease } from "../frontier/frontier.ts";
import { directivesText } from "../parse/robots-meta.ts";
import type { Capture } from "../store/capture.ts";
import { jsonLine } from "../store/jsonl.ts";
import { LinkList } from "../store/link-list.ts";
import type { OutcomeLine } from "./outcome-line.ts";
import type { ReadPage } from "./read-page.ts";

const EMPTY = Buffer.alloc(0);

/** A capture without its bytes and links; travels as JSON. */
type CaptureFacts = Omit<Capture, "request" | "head" | "body" | "outlinks">;

/** The parts of a capture frame: line of the log, facts, out-links, request, head, body; without `bodies` the last three are empty. */
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
  const links = parsed === undefined ? EMPTY : Buffer.from(parsed.links.join("\n"), "latin1");
  const said = [Buffer.from(jsonLine(line)), Buffer.from(JSON.stringify(facts)), links];
  if (!bodies) return [...said, EMPTY, EMPTY, EMPTY];
  return [...said, capture.requestBytes, capture.head.bytes, capture.body];
}

/** A capture as its builder gets it, and the line of the log, which lacks only the place of the record. */
export interface ReceivedCapture {
  readonly capture: Capture;
  readonly line: string;
}

/** Reads the parts of a capture frame; request, head and body are views. */
export function readCapture(parts: readonly Buffer[]): ReceivedCapture {
  const facts: CaptureFacts = JSON.parse(parts[1]!.toString("utf8"));
  const outlinks = LinkList.fromLines(parts[2]!.toString("latin1"));
  const capture = { ...facts, outlinks, request: parts[3]!, head: parts[4]!, body: parts[5]! };
  return { capture, line: parts[0]!.toString("utf8") };
}
