import { CapacityError } from "../../errors.ts";
import type { Discovery } from "../discovery.ts";
import type { PageLocation } from "../finish.ts";
import type { OutboxBlock } from "../link/link-block.ts";
import {
  HEAD_BYTES,
  headLength,
  isSameGroup,
  LINK_BYTES,
  MAX_CHAIN,
  MAX_LINKS,
  MAX_TEXT,
  setLinks,
  writeHead,
  writeLink,
  writeText,
} from "../link/link-codec.ts";
import { writePair, writeWide, writeWord } from "../link/words.ts";
import { HOST_BYTES, type HostNote, writeHostNote } from "./host-note.ts";
import { BATCH_HEADER_BYTES, BATCH_TRAILER_BYTES, MAX_EVENT_BYTES } from "./journal-format.ts";

/** The kinds of events; a number never changes its meaning. */
export const EVENT = {
  admit: 1,
  done: 2,
  outbox: 3,
  received: 4,
  confirmed: 5,
  counted: 6,
  credited: 7,
  minted: 8,
  host: 9,
  extension: 10,
  site: 11,
} as const;

/** Kind and length before the body of every event. */
export const EVENT_HEADER_BYTES = 5;
/** Fingerprint, outcome, length, offset; the file's name follows. */
export const DONE_FIXED_BYTES = 21;
/** Target, epoch, number, links; the block follows. */
export const OUTBOX_FIXED_BYTES = 14;
/** Fingerprint and amount: a credit for a page, or what the home page of a site is minted. */
export const CREDIT_BYTES = 16;

/** Kind of the extension; its bytes follow. */
export const EXTENSION_FIXED_BYTES = 2;

/** Fingerprint of a site and how many more of its pages there are. */
export const SITE_BYTES = 12;

const TWO_32 = 2 ** 32;

/** Shard, epoch, number. */
const NUMBER_BYTES = 10;
/** Counter, amount. */
const COUNTED_BYTES = 9;

/** The shortest body of each kind. */
export const MIN_BODY_BYTES: readonly (number | undefined)[] = [
  undefined,
  HEAD_BYTES,
  DONE_FIXED_BYTES,
  OUTBOX_FIXED_BYTES,
  NUMBER_BYTES,
  NUMBER_BYTES,
  COUNTED_BYTES,
  1,
  CREDIT_BYTES,
  HOST_BYTES,
  EXTENSION_FIXED_BYTES,
  SITE_BYTES,
];

/** Writes the body of a site event. */
export function writeSite(
  into: Buffer,
  at: number,
  low: number,
  high: number,
  pages: number,
): void {
  writePair(into, at, low, high);
  writeWord(into, at + 8, pages);
}

/** Packs the events of one batch; consecutive links of one page form one event. Reusable: `clear` keeps the memory. */
export class EventBatch {
  #bytes!: Buffer;
  /** The same bytes, for the numbers. */
  #view!: DataView;
  /** Where events must end, because the trailer follows. */
  #room = 0;
  #at = BATCH_HEADER_BYTES;
  /** Events so far; a group of links is one. */
  events = 0;
  /** The admit event that is open: its first link, where its body begins, and how many links it has. */
  #group: Discovery | undefined;
  #groupAt = 0;
  #groupLinks = 0;
  /** Fingerprints of the open group, with room for those of one link more; they are written behind its links. */
  #fingerprints = Buffer.allocUnsafe(8 * 256);

  constructor(firstBytes = 16 * 1024) {
    this.#keepIn(Buffer.allocUnsafe(firstBytes));
  }

  /** Bytes of the events, without header and trailer. */
  get eventBytes(): number {
    return this.#at - BATCH_HEADER_BYTES;
  }

  /** Room for the header, the events, room for the trailer; valid until the next event is added. */
  finish(): Buffer {
    this.#closeGroup();
    if (this.#at + BATCH_TRAILER_BYTES > this.#room) this.#grow(BATCH_TRAILER_BYTES);
    return this.#bytes;
  }

  /** The events alone, where they lie; valid until the next one is added. */
  body(): Buffer {
    return this.finish().subarray(BATCH_HEADER_BYTES, this.#at);
  }

  /** A copy of the events; the batch is empty then. */
  take(): Buffer {
    if (this.#group !== undefined) this.#closeGroup();
    const events = Buffer.from(this.#bytes.subarray(BATCH_HEADER_BYTES, this.#at));
    this.clear();
    return events;
  }

  /** Forgets the events. */
  clear(): void {
    this.#at = BATCH_HEADER_BYTES;
    this.events = 0;
    this.#group = undefined;
  }

  /** A URL of this shard, with its fingerprint, is known and waits to be fetched. */
  admit(found: Discovery, low: number, high: number): void {
    const { url } = found;
    if (url.length > MAX_TEXT)
      throw new CapacityError(`a URL of ${url.length} characters is too long to keep`);
    const group = this.#group;
    if (group === undefined || this.#groupLinks === MAX_LINKS || !isSameGroup(group, found))
      this.#openGroup(found);
    const at = 8 * this.#groupLinks;
    // With room for the fingerprints of the group, which follow its links.
    const need = LINK_BYTES + url.length + at + 8;
    if (this.#at + need > this.#room) this.#grow(need);
    this.#at = writeLink(this.#bytes, this.#at, url);
    if (at === this.#fingerprints.length)
      this.#fingerprints = Buffer.concat([this.#fingerprints], 2 * at);
    writePair(this.#fingerprints, at, low, high);
    this.#groupLinks++;
  }

  /** What became of a URL; without a location nothing of it was archived. */
  done(low: number, high: number, outcome: number, where?: PageLocation): void {
    if (outcome === 0) throw new CapacityError("outcome 0 means that a URL still waits");
    const { file = "", offset = 0, length = 0 } = where ?? {};
    const at = this.#open(EVENT.done, DONE_FIXED_BYTES + file.length);
    const view = this.#view;
    view.setUint32(at, low, true);
    view.setUint32(at + 4, high, true);
    view.setUint8(at + 8, outcome);
    view.setUint32(at + 9, length, true);
    view.setUint32(at + 13, offset, true);
    view.setUint32(at + 17, Math.floor(offset / TWO_32), true);
    if (file !== "") writeText(this.#bytes, at + DONE_FIXED_BYTES, file);
  }

  /** A block of links for another shard, as it will be sent. */
  outbox({ target, epoch, number, links, bytes }: OutboxBlock): void {
    const at = this.#numbered(EVENT.outbox, target, epoch, number, 4 + bytes.length);
    this.#view.setUint32(at + NUMBER_BYTES, links, true);
    this.#bytes.set(bytes, at + OUTBOX_FIXED_BYTES);
  }

  /** The new links of this block are in this batch. */
  received(producer: number, epoch: number, number: number): void {
    this.#numbered(EVENT.received, producer, epoch, number);
  }

  /** The target has all blocks of that epoch up to this number: they need not be sent again. */
  confirmed(target: number, epoch: number, number: number): void {
    this.#numbered(EVENT.confirmed, target, epoch, number);
  }

  /** Adds to a counter of the shard. */
  counted(counter: number, amount: number): void {
    const at = this.#open(EVENT.counted, COUNTED_BYTES);
    this.#view.setUint8(at, counter);
    this.#view.setFloat64(at + 1, amount, true);
  }

  /** Known pages of this shard get cash: origin (0 own, 1 foreign), then `credits` as `CreditList` packs them. */
  credited(origin: number, credits: Uint8Array): void {
    const at = this.#open(EVENT.credited, 1 + credits.length);
    this.#bytes[at] = origin;
    this.#bytes.set(credits, at + 1);
  }

  /** Cash is made for the site with this fingerprint. */
  minted(low: number, high: number, amount: number): void {
    const at = this.#open(EVENT.minted, CREDIT_BYTES);
    writePair(this.#bytes, at, low, high);
    writeWide(this.#bytes, at + 8, amount);
  }

  /** What a later run must know of a host. */
  host(note: HostNote): void {
    const at = this.#open(EVENT.host, HOST_BYTES);
    writeHostNote(this.#bytes, at, note);
  }

  /** There are so many more pages of the site with this fingerprint; only where sites have a budget. */
  site(low: number, high: number, pages: number): void {
    const at = this.#open(EVENT.site, SITE_BYTES);
    writeSite(this.#bytes, at, low, high, pages);
  }

  /**
   * Something that this version may not know. Readers skip kinds that they do not know, and compactions keep them: a
   * snapshot has all extensions in order, among the admissions that still wait.
   */
  extension(kind: number, bytes: Uint8Array): void {
    const at = this.#open(EVENT.extension, EXTENSION_FIXED_BYTES + bytes.length);
    this.#view.setUint16(at, kind, true);
    this.#bytes.set(bytes, at + EXTENSION_FIXED_BYTES);
  }

  /** Appends the bytes of whole events. */
  copy(bytes: Buffer, from: number, to: number, events = 1): void {
    this.#closeGroup();
    if (this.#at + to - from > this.#room) this.#grow(to - from);
    this.#at += bytes.copy(this.#bytes, this.#at, from, to);
    this.events += events;
  }

  #numbered(kind: number, shard: number, epoch: number, number: number, more = 0): number {
    const at = this.#open(kind, NUMBER_BYTES + more);
    this.#view.setUint16(at, shard, true);
    this.#view.setUint32(at + 2, epoch, true);
    this.#view.setUint32(at + 6, number, true);
    return at;
  }

  /** Begins an event; returns where its body is to be written. */
  #open(kind: number, bodyBytes: number): number {
    if (this.#group !== undefined) this.#closeGroup();
    const at = this.#at;
    const need = EVENT_HEADER_BYTES + bodyBytes;
    if (at + need > this.#room) this.#grow(need);
    this.#view.setUint8(at, kind);
    this.#view.setUint32(at + 1, bodyBytes, true);
    this.#at = at + need;
    this.events++;
    return at + EVENT_HEADER_BYTES;
  }

  #openGroup(found: Discovery): void {
    const length = headLength(found);
    const chained = found.chain.length;
    if (length > HEAD_BYTES + MAX_TEXT + 8 * chained || chained > MAX_CHAIN)
      throw new CapacityError("the parent or the redirect chain of a URL is too long to keep");
    this.#groupAt = this.#open(EVENT.admit, length);
    this.#groupLinks = 0;
    this.#group = found;
    writeHead(this.#bytes, this.#groupAt, found, 0);
  }

  /** Length and count of a group are known when its last link is. */
  #closeGroup(): void {
    if (this.#group === undefined) return;
    this.#group = undefined;
    // Room was reserved with every link.
    const { buffer, byteOffset } = this.#fingerprints;
    this.#bytes.set(new Uint8Array(buffer, byteOffset, 8 * this.#groupLinks), this.#at);
    this.#at += 8 * this.#groupLinks;
    this.#view.setUint32(this.#groupAt - 4, this.#at - this.#groupAt, true);
    setLinks(this.#bytes, this.#groupAt, this.#groupLinks);
  }

  #grow(need: number): void {
    if (this.#at + need > MAX_EVENT_BYTES) {
      throw new CapacityError(`a batch of more than ${MAX_EVENT_BYTES} bytes is too long to keep`);
    }
    const size = this.#at + need + BATCH_TRAILER_BYTES;
    const before = this.#bytes;
    this.#keepIn(Buffer.allocUnsafe(Math.max(size, 2 * before.length)));
    before.copy(this.#bytes, 0, 0, this.#at);
  }

  #keepIn(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#room = bytes.length - BATCH_TRAILER_BYTES;
  }
}
