import { StoreCorruptError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import type { PageLocation } from "../finish.ts";
import { VIAS } from "../via.ts";
import {
  ADMIT_FIXED_BYTES,
  COUNTED_BYTES,
  DONE_FIXED_BYTES,
  EVENT,
  EVENT_HEADER_BYTES,
  HOST_BYTES,
  NUMBER_BYTES,
  OUTBOX_FIXED_BYTES,
  PARENT_LENGTH_AT,
  PRINT_AND_AMOUNT_BYTES,
  SEED_FLAG,
} from "./event-batch.ts";
import { type HostNote, readHostNote } from "./host-notes.ts";
import { readWide } from "./journal-format.ts";
import type { JournalBatch } from "./segment-batches.ts";

/** The part of a batch that holds its events, and where it comes from: the batch for messages, and the events themselves if they are in a file. */
export type EventBytes = Pick<JournalBatch, "bytes" | "from" | "to" | "file" | "offset"> &
  Partial<Pick<JournalBatch, "eventsAt">>;

/** One event as an object; the fold reads the bytes instead. */
export type JournalEvent =
  | { kind: "admit"; found: readonly Discovery[] }
  | { kind: "done"; low: number; high: number; outcome: number; where: PageLocation | undefined }
  | {
      kind: "outbox";
      target: number;
      epoch: number;
      number: number;
      links: number;
      block: Uint8Array;
    }
  | { kind: "received"; shard: number; epoch: number; number: number }
  | { kind: "confirmed"; shard: number; epoch: number; number: number }
  | { kind: "counted"; counter: number; amount: number }
  | { kind: "credited"; origin: number; credits: Uint8Array }
  | { kind: "minted"; low: number; high: number; amount: number }
  | ({ kind: "host" } & HostNote);

const MIN_BYTES = [
  0,
  ADMIT_FIXED_BYTES,
  DONE_FIXED_BYTES,
  OUTBOX_FIXED_BYTES,
  NUMBER_BYTES,
  NUMBER_BYTES,
  COUNTED_BYTES,
  1,
  PRINT_AND_AMOUNT_BYTES,
  HOST_BYTES,
];

/** Walks over the events of a batch without making objects: `kind`, and the body from `from` to `to`. */
export class EventCursor {
  bytes: Buffer = Buffer.alloc(0);
  kind = 0;
  from = 0;
  to = 0;
  #end = 0;
  #batch: EventBytes | undefined;

  /** Begins with the first event of a batch. */
  open(batch: EventBytes): void {
    this.#batch = batch;
    this.bytes = batch.bytes;
    this.to = batch.from;
    this.#end = batch.to;
  }

  /** Goes to the next event; false behind the last. */
  next(): boolean {
    const at = this.to;
    if (at === this.#end) return false;
    if (at + EVENT_HEADER_BYTES > this.#end) this.fail("an event is cut off");
    this.kind = this.bytes[at]!;
    this.from = at + EVENT_HEADER_BYTES;
    this.to = this.from + this.bytes.readUInt32LE(at + 1);
    const least = MIN_BYTES[this.kind];
    if (least === undefined || this.kind === 0)
      this.fail(`events of kind ${this.kind} are not known`);
    if (this.to > this.#end || this.to - this.from < least)
      this.fail("an event has a wrong length");
    return true;
  }

  /** Where the links of an admit event begin. */
  linksFrom(): number {
    const at = groupHeadEnd(this.bytes, this.from);
    if (at > this.to) this.fail("an admission has a wrong length");
    return at;
  }

  /** Where the links of an admit event end and their fingerprints begin. */
  linksTo(): number {
    const at = this.to - 8 * this.bytes.readUInt16LE(this.from + 6);
    if (at < this.linksFrom()) this.fail("an admission has a wrong length");
    return at;
  }

  /** Fails unless the links of an admit event are as many as it says and end where their fingerprints begin. */
  checkLinks(): void {
    const end = this.linksTo();
    let count = this.bytes.readUInt16LE(this.from + 6);
    let at = this.linksFrom();
    for (; at < end; count--) at += 2 + (this.bytes[at]! | (this.bytes[at + 1]! << 8));
    if (at !== end || count !== 0) this.fail("a link is cut off");
  }

  /** Fails unless a credited event is a list of whole credits. */
  checkCredits(): void {
    const length = this.to - this.from - 1;
    if (length % PRINT_AND_AMOUNT_BYTES !== 0 || this.bytes[this.from]! > 1)
      this.fail("a credit is cut off");
  }

  /** The checksum held, so these bytes were written like this: by a defect or by a newer version. */
  fail(what: string): never {
    const { file, offset, from } = this.#batch!;
    const inside = this.from - EVENT_HEADER_BYTES - from;
    throw new StoreCorruptError(
      `${file}:${offset}: ${what} (byte ${inside} of the batch's events)`,
    );
  }
}

/** Where the fixed part, parent and chain of a group end and its links begin. */
export function groupHeadEnd(bytes: Buffer, head: number): number {
  return (
    head + ADMIT_FIXED_BYTES + bytes.readUInt16LE(head + PARENT_LENGTH_AT) + 8 * bytes[head + 1]!
  );
}

/** The links from `from` to `to` of the group whose fixed part, parent and chain begin at `head`. */
export function decodeGroup(bytes: Buffer, head: number, from: number, to: number): Discovery[] {
  const how = bytes[head]!;
  const depth = bytes.readUInt32LE(head + 2);
  const parentEnd = head + ADMIT_FIXED_BYTES + bytes.readUInt16LE(head + PARENT_LENGTH_AT);
  const parentText = bytes.toString("latin1", head + ADMIT_FIXED_BYTES, parentEnd) as CrawlUrl;
  const parent = parentText === "" ? undefined : parentText;
  const chain: string[] = [];
  for (let i = 0, at = parentEnd; i < bytes[head + 1]!; i++, at += 8) {
    chain.push(bytes.toString("hex", at, at + 8));
  }
  const via = VIAS[how & ~SEED_FLAG]!;
  const seed = (how & SEED_FLAG) !== 0;
  const found: Discovery[] = [];
  for (let at = from; at < to; ) {
    const end = at + 2 + bytes.readUInt16LE(at);
    const url = bytes.toString("latin1", at + 2, end) as CrawlUrl;
    found.push({ url, parent, depth, via, seed, chain });
    at = end;
  }
  return found;
}

/** All events of a batch as objects: for tests, for indexes made from done events, for people. */
export function decodeEvents(batch: EventBytes): JournalEvent[] {
  const events: JournalEvent[] = [];
  const cursor = new EventCursor();
  cursor.open(batch);
  while (cursor.next()) events.push(decodeEvent(cursor));
  return events;
}

/** The done event at which the cursor stands. */
export function decodeDone({
  bytes,
  from,
  to,
}: Pick<EventCursor, "bytes" | "from" | "to">): JournalEvent & { kind: "done" } {
  const name = bytes.toString("latin1", from + DONE_FIXED_BYTES, to);
  const offset = readWide(bytes, from + 13);
  const where =
    name === "" ? undefined : { file: name, offset, length: bytes.readUInt32LE(from + 9) };
  const [low, high] = [bytes.readUInt32LE(from), bytes.readUInt32LE(from + 4)];
  return { kind: "done", low, high, outcome: bytes[from + 8]!, where };
}

function decodeEvent(cursor: EventCursor): JournalEvent {
  const { kind, bytes, from, to } = cursor;
  if (kind === EVENT.admit) {
    cursor.checkLinks();
    return { kind: "admit", found: decodeGroup(bytes, from, cursor.linksFrom(), cursor.linksTo()) };
  }
  if (kind === EVENT.done) return decodeDone(cursor);
  if (kind === EVENT.counted) {
    return { kind: "counted", counter: bytes[from]!, amount: bytes.readDoubleLE(from + 1) };
  }
  if (kind === EVENT.credited) {
    cursor.checkCredits();
    const credits = new Uint8Array(bytes.subarray(from + 1, to));
    return { kind: "credited", origin: bytes[from]!, credits };
  }
  if (kind === EVENT.minted) {
    const [low, high] = [bytes.readUInt32LE(from), bytes.readUInt32LE(from + 4)];
    return { kind: "minted", low, high, amount: readWide(bytes, from + 8) };
  }
  if (kind === EVENT.host) return { kind: "host", ...readHostNote(bytes, from) };
  const shard = bytes.readUInt16LE(from);
  const epoch = bytes.readUInt32LE(from + 2);
  const number = bytes.readUInt32LE(from + 6);
  if (kind === EVENT.received) return { kind: "received", shard, epoch, number };
  if (kind === EVENT.confirmed) return { kind: "confirmed", shard, epoch, number };
  const block = new Uint8Array(bytes.subarray(from + OUTBOX_FIXED_BYTES, to));
  return {
    kind: "outbox",
    target: shard,
    epoch,
    number,
    links: bytes.readUInt32LE(from + 10),
    block,
  };
}
