import { StoreCorruptError } from "../../errors.ts";
import type { Discovery } from "../discovery.ts";
import type { Fact } from "../fact.ts";
import type { PageLocation } from "../finish.ts";
import type { OutboxBlock } from "../link/link-block.ts";
import { headEnd, linkEnd, linksOf, readLinks } from "../link/link-codec.ts";
import { readWide, short, word } from "../link/words.ts";
import {
  CREDIT_BYTES,
  DONE_FIXED_BYTES,
  EVENT,
  EVENT_HEADER_BYTES,
  EXTENSION_FIXED_BYTES,
  MIN_BODY_BYTES,
  OUTBOX_FIXED_BYTES,
} from "./event-batch.ts";
import { type HostNote, readHostNote } from "./host-note.ts";
import type { JournalBatch } from "./segment-batches.ts";

/** The events of a batch in memory, and where they come from: file and offset for error messages, `eventsAt` to read them again. */
export type EventBytes = Pick<JournalBatch, "bytes" | "from" | "to" | "file" | "offset"> &
  Partial<Pick<JournalBatch, "eventsAt">>;

/** The body of an event, from `from` to `to`. */
export type EventBody = Readonly<Pick<EventCursor, "bytes" | "from" | "to">>;

/** One event as an object; the fold reads the bytes instead. */
export type JournalEvent =
  | { kind: "admit"; found: readonly Discovery[] }
  | { kind: "done"; low: number; high: number; outcome: number; where: PageLocation | undefined }
  | ({ kind: "outbox" } & OutboxBlock)
  | { kind: "received"; shard: number; epoch: number; number: number }
  | { kind: "confirmed"; shard: number; epoch: number; number: number }
  | { kind: "counted"; counter: number; amount: number }
  | { kind: "credited"; origin: number; credits: Uint8Array }
  | { kind: "minted"; low: number; high: number; amount: number }
  | ({ kind: "host" } & HostNote)
  | { kind: "extension"; extension: number; bytes: Uint8Array }
  | { kind: "site"; low: number; high: number; pages: number };

/** Walks over the events of a batch without making objects. */
export class EventCursor {
  bytes: Buffer = Buffer.alloc(0);
  kind = 0;
  /** The body of the event. */
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
    this.to = this.from + word(this.bytes, at + 1);
    const least = MIN_BODY_BYTES[this.kind];
    if (least === undefined) this.fail(`events of kind ${this.kind} are not known`);
    if (this.to > this.#end || this.to - this.from < least)
      this.fail("an event has a wrong length");
    return true;
  }

  /** Where the links of an admit event begin. */
  linksFrom(): number {
    const at = headEnd(this.bytes, this.from);
    if (at > this.to) this.fail("an admission has a wrong length");
    return at;
  }

  /** Where the links of an admit event end and their fingerprints begin. */
  linksTo(): number {
    const at = this.to - 8 * linksOf(this.bytes, this.from);
    if (at < this.linksFrom()) this.fail("an admission has a wrong length");
    return at;
  }

  /** Fails unless the links of an admit event are as many as it says and end where their fingerprints begin. */
  checkLinks(): void {
    const end = this.linksTo();
    let count = linksOf(this.bytes, this.from);
    let at = this.linksFrom();
    for (; at < end; count--) at = linkEnd(this.bytes, at);
    if (at !== end || count !== 0) this.fail("a link is cut off");
  }

  /** Fails unless a credited event is a list of whole credits. */
  checkCredits(): void {
    const length = this.to - this.from - 1;
    if (length % CREDIT_BYTES !== 0 || this.bytes[this.from]! > 1) this.fail("a credit is cut off");
  }

  /** The checksum is right, so these bytes were written like this: by a defect or by a newer version. */
  fail(what: string): never {
    const { file, offset, from } = this.#batch!;
    const inside = this.from - EVENT_HEADER_BYTES - from;
    throw new StoreCorruptError(
      `${file}:${offset}: ${what} (byte ${inside} of the batch's events)`,
    );
  }
}

/** All events of a batch as objects: for tests and for people. */
export function decodeEvents(batch: EventBytes): JournalEvent[] {
  const events: JournalEvent[] = [];
  const cursor = new EventCursor();
  cursor.open(batch);
  while (cursor.next()) events.push(DECODERS[cursor.kind]!(cursor));
  return events;
}

/** The done event at which the cursor stands. */
export function decodeDone({ bytes, from, to }: EventBody): JournalEvent & { kind: "done" } {
  const file = bytes.toString("latin1", from + DONE_FIXED_BYTES, to);
  const where = { file, offset: readWide(bytes, from + 13), length: word(bytes, from + 9) };
  return {
    kind: "done",
    ...fingerprintAt(bytes, from),
    outcome: bytes[from + 8]!,
    where: file === "" ? undefined : where,
  };
}

/** A place that is changed. */
interface Place {
  file: string;
  offset: number;
  length: number;
}

/** Reads done events into itself, without an object for each: what it holds is valid until the next. */
export class DoneReader {
  low = 0;
  high = 0;
  outcome = 0;
  where: PageLocation | undefined;
  readonly #place: Place = { file: "", offset: 0, length: 0 };

  /** Reads the done event at which the cursor stands. */
  read({ bytes, from, to }: EventBody): void {
    this.low = word(bytes, from);
    this.high = word(bytes, from + 4);
    this.outcome = bytes[from + 8]!;
    this.where = undefined;
    if (to === from + DONE_FIXED_BYTES) return;
    const place = this.#place;
    place.file = bytes.toString("latin1", from + DONE_FIXED_BYTES, to);
    place.length = word(bytes, from + 9);
    place.offset = readWide(bytes, from + 13);
    this.where = place;
  }
}

/** Shard, epoch and number of an event about blocks. */
export function decodeNumber({ bytes, from }: EventBody) {
  return { shard: short(bytes, from), epoch: word(bytes, from + 2), number: word(bytes, from + 6) };
}

/** The block of an outbox event; its bytes are a copy. */
export function decodeOutbox(event: EventBody): OutboxBlock {
  const { shard: target, epoch, number } = decodeNumber(event);
  const links = word(event.bytes, event.from + 10);
  return { target, epoch, number, links, bytes: copyOf(event, OUTBOX_FIXED_BYTES) };
}

/** The fact of an extension event; its bytes are a copy. */
export function decodeFact(event: EventBody): Fact {
  const kind = short(event.bytes, event.from);
  return { kind, bytes: copyOf(event, EXTENSION_FIXED_BYTES) };
}

const DECODERS: Record<number, (cursor: EventCursor) => JournalEvent> = {
  [EVENT.admit]: (cursor) => {
    cursor.checkLinks();
    const found: Discovery[] = [];
    readLinks(cursor.bytes, cursor.from, cursor.linksFrom(), cursor.linksTo(), found);
    return { kind: "admit", found };
  },
  [EVENT.done]: decodeDone,
  [EVENT.outbox]: (cursor) => ({ kind: "outbox", ...decodeOutbox(cursor) }),
  [EVENT.received]: (cursor) => ({ kind: "received", ...decodeNumber(cursor) }),
  [EVENT.confirmed]: (cursor) => ({ kind: "confirmed", ...decodeNumber(cursor) }),
  [EVENT.counted]: ({ bytes, from }) => ({
    kind: "counted",
    counter: bytes[from]!,
    amount: bytes.readDoubleLE(from + 1),
  }),
  [EVENT.credited]: (cursor) => {
    cursor.checkCredits();
    return { kind: "credited", origin: cursor.bytes[cursor.from]!, credits: copyOf(cursor, 1) };
  },
  [EVENT.minted]: ({ bytes, from }) => ({
    kind: "minted",
    ...fingerprintAt(bytes, from),
    amount: readWide(bytes, from + 8),
  }),
  [EVENT.host]: ({ bytes, from }) => ({ kind: "host", ...readHostNote(bytes, from) }),
  [EVENT.extension]: (cursor) => {
    const { kind, bytes } = decodeFact(cursor);
    return { kind: "extension", extension: kind, bytes };
  },
  [EVENT.site]: ({ bytes, from }) => ({
    kind: "site",
    ...fingerprintAt(bytes, from),
    pages: word(bytes, from + 8),
  }),
};

/** What follows the first bytes of an event. */
function copyOf({ bytes, from, to }: EventBody, fixedBytes: number): Uint8Array {
  return new Uint8Array(bytes.subarray(from + fixedBytes, to));
}

function fingerprintAt(bytes: Buffer, at: number): { low: number; high: number } {
  return { low: word(bytes, at), high: word(bytes, at + 4) };
}
