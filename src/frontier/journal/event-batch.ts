import { CapacityError } from "../../errors.ts";
import type { LatinBuffer } from "../../runtime/latin-buffer.ts";
import type { Discovery } from "../discovery.ts";
import { isSameGroup } from "../exchange/same-group.ts";
import type { PageLocation } from "../finish.ts";
import { VIAS } from "../via.ts";
import type { HostNote } from "./host-notes.ts";
import {
  BATCH_HEADER_BYTES,
  BATCH_TRAILER_BYTES,
  MAX_EVENT_BYTES,
  writeWide,
  writeWord,
} from "./journal-format.ts";

/** The kinds of events; a number is never used again for something else. */
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
} as const;

/** Kind and length before the body of every event. */
export const EVENT_HEADER_BYTES = 5;
/** How found, chain length, depth, count, parent length. */
export const ADMIT_FIXED_BYTES = 10;
/** Where the last of these begins. */
export const PARENT_LENGTH_AT = 8;
/** Fingerprint, outcome, length, offset; the file's name follows. */
export const DONE_FIXED_BYTES = 21;
/** Target, epoch, number, links; the block follows. */
export const OUTBOX_FIXED_BYTES = 14;
/** Shard, epoch, number. */
export const NUMBER_BYTES = 10;
/** Counter, amount. */
export const COUNTED_BYTES = 9;
/** Fingerprint and amount: a credit for a page, or what the home page of a site is minted. */
export const PRINT_AND_AMOUNT_BYTES = 16;
/** Fingerprint of a host's name, its own delay, and until when it asked to be left alone. */
export const HOST_BYTES = 20;
/** Set beside the number of the way found. */
export const SEED_FLAG = 0x80;

const MAX_TEXT = 0xffff;
const MAX_CHAIN = 0xff;
const MAX_GROUP = 0xffff;

/**
 * Packs the events of one batch. Reusable: `clear` keeps the memory. Links of one page share their parent, so
 * consecutive admissions form one event (the idea of `link-block.ts`).
 */
export class EventBatch {
  #bytes: Buffer;
  #at = BATCH_HEADER_BYTES;
  #events = 0;
  /** Where the open admit event begins; 0 when none is open. */
  #groupAt = 0;
  #groupLinks = 0;
  #group: Discovery | undefined;
  /** Fingerprints of the open group; they are written behind its links. */
  #fingerprints = Buffer.allocUnsafe(8 * 256);

  constructor(firstBytes = 16 * 1024) {
    this.#bytes = Buffer.allocUnsafe(firstBytes);
  }

  /** Events so far; a group of links is one. */
  get events(): number {
    return this.#events;
  }

  /** Bytes of the events, without header and trailer. */
  get eventBytes(): number {
    return this.#at - BATCH_HEADER_BYTES;
  }

  /** Room for the header, the events, room for the trailer; valid until the next event is added. */
  finish(): Buffer {
    this.#closeGroup();
    this.#reserve(BATCH_TRAILER_BYTES);
    return this.#bytes;
  }

  /** The events where they are, for the fold of the running crawl. */
  view(sequence: number): {
    bytes: Buffer;
    from: number;
    to: number;
    file: string;
    offset: number;
    sequence: number;
  } {
    const bytes = this.finish();
    return { bytes, from: BATCH_HEADER_BYTES, to: this.#at, file: "memory", offset: 0, sequence };
  }

  /** Forgets the events. */
  clear(): void {
    this.#at = BATCH_HEADER_BYTES;
    this.#events = 0;
    this.#groupAt = 0;
    this.#group = undefined;
  }

  /** A URL of this shard, with its fingerprint, is known and waits to be fetched. */
  admit(found: Discovery, low: number, high: number): void {
    const url = found.url;
    const length = url.length;
    if (length > MAX_TEXT)
      throw new CapacityError(`a URL of ${length} characters is too long to keep`);
    if (
      this.#group === undefined ||
      this.#groupLinks === MAX_GROUP ||
      !isSameGroup(this.#group, found)
    ) {
      this.#openGroup(found);
    }
    this.#reserve(2 + length + 8 * (this.#groupLinks + 1));
    const bytes = this.#bytes;
    const at = this.#at;
    bytes[at] = length;
    bytes[at + 1] = length >>> 8;
    (bytes as LatinBuffer).latin1Write(url, at + 2, length);
    this.#at = at + 2 + length;
    this.#keepFingerprint(low, high);
    this.#groupLinks++;
  }

  #keepFingerprint(low: number, high: number): void {
    const at = 8 * this.#groupLinks;
    if (at === this.#fingerprints.length) {
      const more = Buffer.allocUnsafe(2 * at);
      this.#fingerprints.copy(more);
      this.#fingerprints = more;
    }
    writeWord(this.#fingerprints, at, low);
    writeWord(this.#fingerprints, at + 4, high);
  }

  /** What became of a URL; without a location nothing of it was archived. */
  done(low: number, high: number, outcome: number, where?: PageLocation): void {
    if (outcome === 0) throw new CapacityError("outcome 0 means that a URL still waits");
    const file = where?.file ?? "";
    this.#open(EVENT.done, DONE_FIXED_BYTES + file.length);
    this.#at = this.#bytes.writeUInt32LE(low, this.#at);
    this.#at = this.#bytes.writeUInt32LE(high, this.#at);
    this.#at = this.#bytes.writeUInt8(outcome, this.#at);
    this.#at = this.#bytes.writeUInt32LE(where?.length ?? 0, this.#at);
    writeWide(this.#bytes, where?.offset ?? 0, this.#at);
    this.#at += 8;
    this.#at += this.#bytes.write(file, this.#at, "latin1");
  }

  /** A block of links that another shard is to get: the very bytes that will be sent. */
  outbox(target: number, epoch: number, number: number, links: number, block: Uint8Array): void {
    this.#open(EVENT.outbox, OUTBOX_FIXED_BYTES + block.length);
    this.#number(target, epoch, number);
    this.#at = this.#bytes.writeUInt32LE(links, this.#at);
    this.#bytes.set(block, this.#at);
    this.#at += block.length;
  }

  /** The new links of this block are in this batch. */
  received(producer: number, epoch: number, number: number): void {
    this.#open(EVENT.received, NUMBER_BYTES);
    this.#number(producer, epoch, number);
  }

  /** The target has all blocks of that epoch up to this number: they need not be sent again. */
  confirmed(target: number, epoch: number, number: number): void {
    this.#open(EVENT.confirmed, NUMBER_BYTES);
    this.#number(target, epoch, number);
  }

  /** Adds to a counter of the shard. */
  counted(counter: number, amount: number): void {
    this.#open(EVENT.counted, COUNTED_BYTES);
    this.#at = this.#bytes.writeUInt8(counter, this.#at);
    this.#at = this.#bytes.writeDoubleLE(amount, this.#at);
  }

  /** Known pages of this shard get cash: origin 8 (0 own, 1 foreign), then `credits` as `CreditList` packs them. */
  credited(origin: number, credits: Uint8Array): void {
    this.#open(EVENT.credited, 1 + credits.length);
    this.#at = this.#bytes.writeUInt8(origin, this.#at);
    this.#bytes.set(credits, this.#at);
    this.#at += credits.length;
  }

  /** Cash is made for the site with this fingerprint. */
  minted(low: number, high: number, amount: number): void {
    this.#open(EVENT.minted, PRINT_AND_AMOUNT_BYTES);
    this.#at = this.#bytes.writeUInt32LE(low, this.#at);
    this.#at = this.#bytes.writeUInt32LE(high, this.#at);
    writeWide(this.#bytes, amount, this.#at);
    this.#at += 8;
  }

  /** What a later run must know of a host: its own delay, and until which wall time it asked to be left alone. */
  host({ low, high, delayMs, untilWallMs }: HostNote): void {
    this.#open(EVENT.host, HOST_BYTES);
    this.#at = this.#bytes.writeUInt32LE(low, this.#at);
    this.#at = this.#bytes.writeUInt32LE(high, this.#at);
    this.#at = this.#bytes.writeUInt32LE(Math.ceil(delayMs), this.#at);
    writeWide(this.#bytes, Math.max(0, Math.ceil(untilWallMs)), this.#at);
    this.#at += 8;
  }

  /** Appends whole events as they stand elsewhere, from the kind of the first on. */
  copy(bytes: Buffer, from: number, to: number, events = 1): void {
    this.#closeGroup();
    this.#reserve(to - from);
    this.#at += bytes.copy(this.#bytes, this.#at, from, to);
    this.#events += events;
  }

  #number(shard: number, epoch: number, number: number): void {
    this.#at = this.#bytes.writeUInt16LE(shard, this.#at);
    this.#at = this.#bytes.writeUInt32LE(epoch, this.#at);
    this.#at = this.#bytes.writeUInt32LE(number, this.#at);
  }

  #open(kind: number, bodyBytes: number): void {
    this.#closeGroup();
    this.#reserve(EVENT_HEADER_BYTES + bodyBytes);
    this.#at = this.#bytes.writeUInt8(kind, this.#at);
    this.#at = this.#bytes.writeUInt32LE(bodyBytes, this.#at);
    this.#events++;
  }

  #openGroup(found: Discovery): void {
    const parent = found.parent ?? "";
    if (parent.length > MAX_TEXT || found.chain.length > MAX_CHAIN) {
      throw new CapacityError("the parent or the redirect chain of a URL is too long to keep");
    }
    this.#open(EVENT.admit, ADMIT_FIXED_BYTES + parent.length + 8 * found.chain.length);
    this.#groupAt = this.#at - EVENT_HEADER_BYTES;
    this.#groupLinks = 0;
    this.#group = found;
    const how = VIAS.indexOf(found.via) | (found.seed ? SEED_FLAG : 0);
    this.#at = this.#bytes.writeUInt8(how, this.#at);
    this.#at = this.#bytes.writeUInt8(found.chain.length, this.#at);
    this.#at = this.#bytes.writeUInt32LE(found.depth, this.#at);
    this.#at = this.#bytes.writeUInt16LE(0, this.#at);
    this.#at = this.#bytes.writeUInt16LE(parent.length, this.#at);
    this.#at += this.#bytes.write(parent, this.#at, "latin1");
    for (const print of found.chain) this.#at += this.#bytes.write(print, this.#at, 8, "hex");
  }

  /** Length and count of a group are known when its last link is. */
  #closeGroup(): void {
    if (this.#group === undefined) return;
    // Room was reserved with every link.
    this.#at += this.#fingerprints.copy(this.#bytes, this.#at, 0, 8 * this.#groupLinks);
    const body = this.#groupAt + EVENT_HEADER_BYTES;
    this.#bytes.writeUInt32LE(this.#at - body, this.#groupAt + 1);
    this.#bytes.writeUInt16LE(this.#groupLinks, body + 6);
    this.#group = undefined;
  }

  #reserve(need: number): void {
    const size = this.#at + need + BATCH_TRAILER_BYTES;
    if (size <= this.#bytes.length) return;
    if (this.#at + need > MAX_EVENT_BYTES) {
      throw new CapacityError(`a batch of more than ${MAX_EVENT_BYTES} bytes is too long to keep`);
    }
    const more = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
    this.#bytes.copy(more, 0, 0, this.#at);
    this.#bytes = more;
  }
}
