import { type LatinBuffer, latin1Text } from "../../runtime/latin-buffer.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { VIAS } from "../via.ts";
import { short, word, writePair } from "./words.ts";

/*
 * The bytes of links, the same wherever links are written. Those of one page have everything but their URL in common,
 * so that stands once, before a group of them:
 *
 *   head   how found 8 | chain length 8 | depth 32 | links 16 | parent length 16 | parent [LF note] | chain (64 each)
 *   link   length 16 | URL
 *
 *   admit event     head, links, the fingerprints of the links          journal/event-batch.ts
 *   block           any number of heads, each with its links            link-block.ts
 *   cash block      the same, then the credits of the links             cash/cash-block.ts
 *   queue record    head, one URL; its length stands for the links      queue/queue-record.ts
 *
 * Canonical URLs and notes are ASCII, so a character is a byte; numbers are little-endian. A note (link-note.ts) counts
 * towards the length of the parent, which has no line end of its own; versions before 4 have none.
 */

/** Bytes of a head before its parent. */
export const HEAD_BYTES = 10;
/** Bytes of a link before its URL. */
export const LINK_BYTES = 2;
/** No group has more links. */
export const MAX_LINKS = 0xffff;
/** Neither a URL nor a parent is longer. */
export const MAX_TEXT = 0xffff;
/** No redirect chain is longer. */
export const MAX_CHAIN = 0xff;

const CHAIN_AT = 1;
const DEPTH_AT = 2;
const LINKS_AT = 6;
const PARENT_AT = 8;
/** Added to how a link was found. */
const SEED_FLAG = 0x80;
/** Added as well: the parent is followed by a note. */
const NOTE_FLAG = 0x40;
const VIA_MASK = 0x3f;
const NOTE_MARK = "\n";
const FINGERPRINT_BYTES = 8;
const NO_CHAIN: readonly string[] = [];

/** A link with the fingerprint under which it counts as known. */
export interface FoundLink extends Discovery {
  readonly low: number;
  readonly high: number;
}

/** Whether two links were found in the same way on the same page, so that one head serves both. */
export function isSameGroup(a: Discovery, b: Discovery): boolean {
  return (
    a.parent === b.parent &&
    a.depth === b.depth &&
    a.via === b.via &&
    a.seed === b.seed &&
    a.note === b.note &&
    (a.chain === b.chain || (a.chain.length === 0 && b.chain.length === 0))
  );
}

/** How long the head of a link is. */
export function headLength({ parent, note, chain }: Discovery): number {
  const noteLength = note === undefined ? 0 : NOTE_MARK.length + note.length;
  return HEAD_BYTES + (parent?.length ?? 0) + noteLength + FINGERPRINT_BYTES * chain.length;
}

/** Writes the head of a group with so many links; returns where it ends. */
export function writeHead(bytes: Buffer, at: number, found: Discovery, links: number): number {
  const { chain, note } = found;
  const parent =
    note === undefined ? (found.parent ?? "") : `${found.parent ?? ""}${NOTE_MARK}${note}`;
  const flags = (found.seed ? SEED_FLAG : 0) | (note === undefined ? 0 : NOTE_FLAG);
  bytes[at] = VIAS.indexOf(found.via) | flags;
  bytes[at + CHAIN_AT] = chain.length;
  writePair(bytes, at + DEPTH_AT, found.depth, links | (parent.length << 16));
  let end = at + HEAD_BYTES;
  if (parent !== "") end += (bytes as LatinBuffer).latin1Write(parent, end, parent.length);
  for (const fingerprint of chain) end += bytes.write(fingerprint, end, FINGERPRINT_BYTES, "hex");
  return end;
}

/** Writes a link behind its head or another link; returns where it ends. */
export function writeLink(bytes: Buffer, at: number, url: CrawlUrl): number {
  bytes[at] = url.length;
  bytes[at + 1] = url.length >>> 8;
  const from = at + LINK_BYTES;
  return from + (bytes as LatinBuffer).latin1Write(url, from, url.length);
}

/** Writes a text that has room; returns its length. */
export function writeText(bytes: Buffer, at: number, text: string): number {
  return (bytes as LatinBuffer).latin1Write(text, at, text.length);
}

/** How many links a head says that there are. */
export function linksOf(bytes: Buffer, head: number): number {
  return bytes[head + LINKS_AT]! | (bytes[head + LINKS_AT + 1]! << 8);
}

/** Changes how many links a head says that there are. */
export function setLinks(bytes: Buffer, head: number, links: number): void {
  bytes[head + LINKS_AT] = links;
  bytes[head + LINKS_AT + 1] = links >>> 8;
}

/** Where a head ends and its links begin. */
export function headEnd(bytes: Buffer, head: number): number {
  const parentBytes = bytes[head + PARENT_AT]! | (bytes[head + PARENT_AT + 1]! << 8);
  return head + HEAD_BYTES + parentBytes + FINGERPRINT_BYTES * bytes[head + CHAIN_AT]!;
}

/** Where the link at `at` ends. */
export function linkEnd(bytes: Buffer, at: number): number {
  return at + LINK_BYTES + (bytes[at]! | (bytes[at + 1]! << 8));
}

/** Whether a page led to the links of a group: nobody found a seed. */
export function hasParent(bytes: Buffer, head: number): boolean {
  if ((bytes[head]! & NOTE_FLAG) !== 0) return bytes[head + HEAD_BYTES] !== NOTE_MARK.charCodeAt(0);
  return short(bytes, head + PARENT_AT) > 0;
}

/** Appends the links between two places, which belong to the group with this head. */
export function readLinks(
  bytes: Buffer,
  head: number,
  from: number,
  to: number,
  into: Discovery[],
): void {
  const { parent, depth, via, seed, chain, note } = readHead(bytes, head);
  for (let at = from; at < to; ) {
    const end = linkEnd(bytes, at);
    const url = latin1Text(bytes, at + LINK_BYTES, end) as CrawlUrl;
    const link = { url, parent, depth, via, seed, chain };
    into.push(note === undefined ? link : { ...link, note });
    at = end;
  }
}

/**
 * One link of a group, whose URL stands between two places; without them behind its head, which then has the length of the
 * URL in the place of the links.
 */
export function readLink(
  bytes: Buffer,
  head: number,
  low: number,
  high: number,
  from?: number,
  to?: number,
): FoundLink {
  const { parent, depth, via, seed, chain, note, end, links } = readHead(bytes, head);
  const url = (bytes as LatinBuffer).latin1Slice(from ?? end, to ?? end + links) as CrawlUrl;
  const link = { url, parent, depth, via, seed, chain, low, high };
  return note === undefined ? link : { ...link, note };
}

/** What a head says: how its links were found, how many there are, and where it ends. */
interface Head extends Omit<Discovery, "url"> {
  readonly links: number;
  readonly end: number;
}

/** One object serves all calls. */
const common: { -readonly [Field in keyof Head]: Head[Field] } = {
  parent: undefined,
  depth: 0,
  via: "link",
  seed: false,
  chain: NO_CHAIN,
  note: undefined,
  links: 0,
  end: 0,
};

function readHead(bytes: Buffer, head: number): Head {
  const how = bytes[head]!;
  const parentAt = head + HEAD_BYTES;
  const parentBytes = bytes[head + PARENT_AT]! | (bytes[head + PARENT_AT + 1]! << 8);
  const parentEnd = parentAt + parentBytes;
  let parent = (bytes as LatinBuffer).latin1Slice(parentAt, parentEnd);
  common.note = undefined;
  if ((how & NOTE_FLAG) !== 0) {
    const mark = parent.indexOf(NOTE_MARK);
    common.note = parent.slice(mark + 1);
    parent = parent.slice(0, mark);
  }
  common.parent = parent === "" ? undefined : (parent as CrawlUrl);
  common.depth = word(bytes, head + DEPTH_AT);
  common.via = VIAS[how & VIA_MASK]!;
  common.seed = how >= SEED_FLAG;
  const chained = bytes[head + CHAIN_AT]!;
  common.chain = chained === 0 ? NO_CHAIN : readChain(bytes, parentEnd, chained);
  common.links = bytes[head + LINKS_AT]! | (bytes[head + LINKS_AT + 1]! << 8);
  common.end = parentEnd + FINGERPRINT_BYTES * chained;
  return common;
}

function readChain(bytes: Buffer, from: number, length: number): readonly string[] {
  return Array.from({ length }, (_, i) => {
    const at = from + FINGERPRINT_BYTES * i;
    return bytes.toString("hex", at, at + FINGERPRINT_BYTES);
  });
}
