import { BuilderLoop } from "../../crawl/builder/builder-loop.ts";
import { type Journal, JournalWriters } from "../../crawl/builder/journal-writers.ts";
import { captureRecord } from "../../crawl/hand-off/capture-frame.ts";
import { captureOf } from "../../crawl/hand-off/capture-of.ts";
import type { Frame } from "../../crawl/hand-off/frames.ts";
import type { OpenJournal, PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import type { Lease } from "../../frontier/frontier.ts";
import type { EventBatch } from "../../frontier/journal/event-batch.ts";
import { BATCH_HEADER_BYTES } from "../../frontier/journal/journal-format.ts";
import type { Capture } from "../../store/capture.ts";
import { type Done, raise, type Writer } from "../../store/writer.ts";
import type { Random } from "../../web/seeded-random.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimMemory } from "./sim-memory.ts";
import type { SimParts } from "./sim-parts.ts";

const SYNC_EVERY_MS = 1000;
/** Records after which a builder beside a crawler has to flush. */
const FLUSH_EVERY = 3;

/** Leaves what a dead crawler had put into its buffer to the next crawler there. */
class CarelessLoop extends BuilderLoop {
  protected override commitOfDead(then: () => void): void {
    then();
  }
}

/**
 * The builder thread: the shipped loop over a simulated disk. Every append and every sync of the disk is a step of its
 * own that answers later, so that the power may fail before and after each of them.
 */
export class SimBuilder {
  readonly #disk: SimDisk;
  readonly #parts: SimParts;
  readonly #loop: BuilderLoop;
  readonly #usesBuffer: boolean;
  readonly #isJoined: boolean;
  /** What the disk has been asked to do and has not done. */
  readonly #steps: (() => void)[] = [];
  /** A sync of the archive that comes after everything else. */
  #last: (() => void) | undefined;
  #nowMs = 0;

  constructor(
    disk: SimDisk,
    parts: SimParts,
    memory: SimMemory,
    together: boolean,
    tell: (thread: number, places: readonly PlaceOfRecord[]) => void,
    number: number,
  ) {
    this.#disk = disk;
    this.#usesBuffer = together;
    this.#isJoined = memory.isJoined;
    this.#parts = parts;
    const Loop = parts.storesLeft ? BuilderLoop : CarelessLoop;
    this.#loop = new Loop({
      buffers: memory.buffers.buffersOf(number).map((buffer) => ({
        buffer: memory.bufferAt(buffer),
        crawlers: memory.buffers.crawlersOf(buffer),
      })),
      memory,
      stored: memory.stored,
      taken: memory.taken,
      bells: memory.bells,
      writer: this.#archive(),
      journals: new JournalWriters((open) => this.#journal(open)),
      patience: { refused: raise, accepted: () => {} },
      handOff: together ? "full" : "count-or-time",
      framesPerTurn: 1,
      syncEveryMs: SYNC_EVERY_MS,
      nowMs: () => this.#nowMs,
      post: (message) => {
        if (message.kind === "places") tell(message.thread, message.places);
      },
      committed: () => {},
    });
  }

  /** As in `JoinedBuilder`. */
  isOpenFor(put: number): boolean {
    return !this.#usesBuffer && this.#loop.isOpenFor(put);
  }

  store(record: Frame | Capture, isPage?: boolean): void {
    this.#loop.storeNow(record, isPage);
  }

  /** True between the first and the last step of a commit. */
  get isCommitting(): boolean {
    return this.#steps.length > 0 || this.#last !== undefined;
  }

  /** Does one thing: a step of the disk if it has been asked for one, otherwise a turn of the loop. */
  step(random: Random): void {
    if (random.below(4) > 0 && !this.isCommitting) this.read();
    else this.goOn();
  }

  /** Reads a little of every buffer, unless it commits; false when there is nothing. */
  read(): boolean {
    return !this.isCommitting && this.#loop.turn(false);
  }

  /** The next step of the disk, or a turn so late that it is time to commit; false when there is nothing. */
  goOn(): boolean {
    if (this.isCommitting) {
      this.#doNext();
      return true;
    }
    this.#nowMs += SYNC_EVERY_MS;
    return this.#loop.turn(false);
  }

  /** Commits everything that arrived whole. */
  commit(): void {
    this.#finish();
    this.#loop.commit(true);
    this.#finish();
  }

  crawlerDied(thread: number): void {
    this.#finish();
    this.#loop.crawlerDied(thread);
    this.#finish();
  }

  #finish(): void {
    while (this.isCommitting) this.#doNext();
  }

  #doNext(): void {
    const step = this.#steps.shift() ?? this.#last;
    if (step === this.#last) this.#last = undefined;
    step!();
  }

  /** Asks the disk for something. */
  #ask(work: () => void, done: Done): void {
    const isHasty = this.#parts.answers === "when read";
    if (isHasty) done();
    this.#steps.push(() => {
      work();
      if (!isHasty) done();
    });
  }

  #archive(): Writer {
    const disk = this.#disk;
    const isFirst = this.#parts.commits === "archive first";
    const isDue = () => this.#isJoined && disk.records.length % FLUSH_EVERY === 0;
    return {
      append(entry) {
        // Skipped links are in a file of their own, which is synced in the same step.
        if (entry.kind === "skipped") disk.records.push(...entry.lines);
        if (entry.kind !== "capture") return isDue();
        const offset = disk.records.push(entry.url) - 1;
        const location = { file: "archive", offset, length: 1 };
        const unknown = { payloadDigest: "", payloadSha256: "", recordId: "", isRevisit: false };
        entry.archived = { location, ...unknown };
        return isDue();
      },
      // Beside a crawler writing takes its time as well.
      flush: (done) => (this.#isJoined ? this.#ask(() => {}, done) : done()),
      sync: (done) => {
        const records = disk.records.length;
        const sync = () => {
          disk.recordsSynced = records;
        };
        if (isFirst) return this.#ask(sync, done);
        this.#last = sync;
        done();
      },
      close: (done) => done(),
    };
  }

  #journal({ shard }: OpenJournal): Journal {
    const disk = this.#disk;
    return {
      append: (batch, done) => {
        const events = eventsOf(batch);
        this.#ask(() => disk.journals[shard]!.push(events), done);
      },
      sync: (done) => {
        const sync = () => {
          disk.synced[shard] = disk.journals[shard]!.length;
        };
        if (disk.synced[shard] === disk.journals[shard]!.length) done();
        else this.#ask(sync, done);
      },
      close: () => {},
      segment: 1,
    };
  }
}

function eventsOf(batch: EventBatch): Buffer {
  const bytes = batch.finish();
  return Buffer.from(bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + batch.eventBytes));
}

/** An answer of which nothing is held. */
export const RESPONSE = {
  head: { status: 200, text: "", length: 0, copyTo() {}, find: () => -1 },
  body: Buffer.alloc(0),
  requestText: "",
  address: "",
  date: 0,
  release() {},
};
const PAGE = {
  mime: "",
  truncated: undefined,
  parsed: undefined,
  robots: { noindex: false, nofollow: false },
};

/** The same capture past the buffer. */
export function nearCaptureOf(lease: Lease): Capture {
  return captureOf({}, lease, RESPONSE, PAGE, false);
}

/** The record of a capture of which the simulated disk keeps the URL alone. */
export function frameOf(lease: Lease): Uint8Array[] {
  return captureRecord({}, lease, RESPONSE, PAGE, false);
}
