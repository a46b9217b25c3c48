import type { PageLocation } from "../../frontier/finish.ts";
import { type Capture, locationOf, takeOver } from "../../store/capture.ts";
import { answer, type Entry, inOrder, type Step, type Writer } from "../../store/writer.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { FLUSH, type HandOffBuffer } from "../../sync/hand-off-buffer.ts";
import { BufferReader } from "../hand-off/buffer-reader.ts";
import { HAND_OVER_AFTER_MS, type HandOffMode } from "../hand-off/buffer-sender.ts";
import { readCapture } from "../hand-off/capture-frame.ts";
import { FRAMES, type Frame } from "../hand-off/frames.ts";
import type { OpenJournal, PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import { readRobots } from "../hand-off/robots-frame.ts";
import { Account, type CrawlMemory, HURRY_LEVELS } from "../shared-memory.ts";
import type { FromBuilder } from "./builder-message.ts";
import type { Patience } from "./disk-patience.ts";
import type { JournalWriters } from "./journal-writers.ts";

// Longer than 400 lines because reading, storing, committing and answering change one state in an order that is the promise.

/** A crawler with nothing else to do is answered within this time. */
const SOON_MS = 100;

/** What a builder's loop works with: in a crawl real threads, files and clocks, in the simulation its own. */
export interface BuilderParts {
  /** The buffers that this builder drains, and the crawlers of each in the order of their lanes. */
  readonly buffers: readonly {
    readonly buffer: HandOffBuffer;
    readonly crawlers: readonly number[];
  }[];
  readonly memory: Pick<CrawlMemory, "accounts">;
  /** How many records of each crawler are durable. */
  readonly stored: Int32Array;
  /** How many pages of each crawler were taken out of its buffer. */
  readonly taken: Int32Array;
  /** The bells of all crawlers. */
  readonly bells: readonly Doorbell[];
  readonly writer: Writer;
  /** Undefined for a frontier that keeps no journal: then nothing is synced before the end. */
  readonly journals: JournalWriters | undefined;
  /** Throws when the folder is another process's by now: then nothing may be committed. */
  readonly mayCommit?: () => void;
  readonly patience: Patience;
  readonly handOff: HandOffMode;
  /** Frames read of each crawler of a buffer before the next buffer's turn; their room goes back then. */
  readonly framesPerTurn: number;
  /** How long a turn may take where sockets wait for its end; absent means as long as there is something to read. */
  readonly maxTurnMs?: number | undefined;
  readonly syncEveryMs: number;
  readonly nowMs: () => number;
  readonly post: (message: FromBuilder) => void;
  /** A commit or another write has ended: the loop may go on if it was waiting for that. */
  readonly committed: () => void;
}

/** One crawler that this builder works for. */
interface Source {
  readonly thread: number;
  readonly account: Account;
  /** Records read and not yet answered. */
  unanswered: number;
  /** Where the records are that no journal has named yet. */
  places: Map<number, PageLocation>;
  /** Takes the place of a record out of these. */
  readonly takePlace: (record: number) => PageLocation;
  /** Places that the crawler wants to know once they are durable. */
  asked: PlaceOfRecord[];
  records: number;
  /** Records that came through the buffer. */
  read: number;
  /** How soon it needed a commit when the last one began. */
  hurry: number;
}

/** A buffer that this builder drains. */
interface Intake {
  readonly buffer: HandOffBuffer;
  readonly reader: BufferReader;
  /** The crawlers in the order of their lanes. */
  readonly lanes: Source[];
}

/**
 * What a builder does, without the thread around it: drains the buffers of its crawlers, hands records to the writer and
 * events to the journals, commits, and counts for the crawlers what is durable. It never waits: while a writer or a
 * journal has not answered, `isWriting` is true and no other method may be called.
 */
export class BuilderLoop {
  readonly #parts: BuilderParts;
  readonly #isTogether: boolean;
  readonly #intakes: readonly Intake[];
  readonly #crawlers: readonly Source[];
  /** When the reading of the oldest unanswered frame began, and that of what is just being read. */
  #waitingSinceMs = Number.POSITIVE_INFINITY;
  #readingSinceMs = Number.POSITIVE_INFINITY;
  /** Something has waited so long that nothing more is read before it is committed. */
  readonly #isLate = (): boolean => {
    if (this.#isWriting) return true;
    const nowMs = this.#parts.nowMs();
    const sinceMs = Math.min(this.#waitingSinceMs, this.#readingSinceMs);
    return nowMs - sinceMs >= this.#commitAfterMs || nowMs >= this.#turnEndsMs;
  };
  /** Without a journal nothing is synced, so commits are cheap. */
  readonly #commitAfterMs: number;
  #mustCommit = false;
  #isWriting = false;
  /** What was begun and has to wait for the end of a write. */
  #afterWrite: (() => void) | undefined;
  #turnEndsMs = Number.POSITIVE_INFINITY;
  #segmentsPosted = "";

  constructor(parts: BuilderParts) {
    this.#parts = parts;
    this.#isTogether = parts.handOff === "full";
    this.#commitAfterMs = parts.journals === undefined ? SOON_MS : parts.syncEveryMs;
    this.#intakes = parts.buffers.map(({ buffer, crawlers }) => ({
      buffer,
      reader: new BufferReader(buffer),
      lanes: crawlers.map((thread) => this.#source(thread)),
    }));
    this.#crawlers = this.#intakes.flatMap(({ lanes }) => lanes);
  }

  /** True while a writer or a journal has not answered. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Reads some of every buffer and commits if it is time; false when there was nothing to do. `all` leaves no buffer out. */
  turn(all: boolean): boolean {
    const { maxTurnMs, nowMs } = this.#parts;
    if (maxTurnMs !== undefined) this.#turnEndsMs = nowMs() + maxTurnMs;
    let worked = false;
    for (const intake of this.#intakes)
      if (this.#isDue(intake, all) && this.#readSome(intake, this.#isLate)) worked = true;
    if (this.#isWriting) return true;
    if (!this.#isTimeToCommit(worked)) return worked;
    this.#commitInTime();
    return true;
  }

  /**
   * True when the only crawler of this builder, which has put so many records into its buffer, may store the next one
   * without it: none of them waits, and nothing is being written.
   */
  isOpenFor(put: number): boolean {
    return !this.#isWriting && this.#crawlers[0]!.read === put;
  }

  /** Stores a record of the only crawler at once. */
  storeNow(record: Frame | Capture, isPage = false): void {
    const crawler = this.#crawlers[0]!;
    if (!this.#isAnyoneWaiting) this.#waitingSinceMs = this.#parts.nowMs();
    if ("parts" in record) this.#store(crawler, record);
    else this.#keep(crawler, record, isPage);
    crawler.unanswered++;
  }

  /** How long nothing has to be done unless the bell rings; 0 when there is something. Ask after the bell is armed. */
  restMs(): number {
    if (this.#intakes.some(({ buffer, reader }) => buffer.isCalled() || reader.isReading)) return 0;
    if (this.#isTimeToCommit(false)) return 0;
    if (!this.#isAnyoneWaiting) return HAND_OVER_AFTER_MS;
    const waitedMs = this.#parts.nowMs() - this.#waitingSinceMs;
    const deadlineMs = this.#hurry() > HURRY_LEVELS.none ? SOON_MS : this.#commitAfterMs;
    return Math.max(1, Math.min(HAND_OVER_AFTER_MS, deadlineMs - waitedMs));
  }

  /** Commits everything that was put before, however long it takes. */
  commit(all = false, then?: () => void): void {
    for (const { account } of this.#crawlers) account.calm();
    for (const intake of this.#intakes) this.#drain(intake, all, () => this.#isWriting);
    if (this.#isWriting) this.#afterWrite = () => this.commit(all, then);
    else this.#makeDurable(then);
  }

  /**
   * Commits what there is. As long as there is time the buffers are read before, so that one fsync covers everything:
   * crawlers may feed them for ever, and writing may take long, but a commit is never late.
   */
  #commitInTime(): void {
    for (const crawler of this.#crawlers) {
      // A hurry that is reset here was set after its records were put: they are read now, or it is set again.
      crawler.hurry = crawler.account.hurried;
      crawler.account.calm();
    }
    let isCut = false;
    for (const intake of this.#intakes) {
      if (this.#drain(intake, false, this.#isLate)) continue;
      isCut = true;
      for (const { account, hurry } of intake.lanes)
        if (hurry > account.hurried) account.hurry(hurry);
    }
    if (this.#isWriting) {
      // Again when that is over: what was read meanwhile is committed with the rest.
      this.#mustCommit = true;
      return;
    }
    // What called for this commit may be in what is not read yet.
    const mustCommitAgain = isCut && this.#mustCommit;
    this.#makeDurable(() => {
      this.#mustCommit = mustCommitAgain;
    });
  }

  /**
   * The commit point. Records first, then the journals that name them: the other way round, a power loss could leave a
   * page that is done and not in the archive.
   */
  #makeDurable(then?: () => void): void {
    const { writer, journals, mayCommit } = this.#parts;
    mayCommit?.();
    const durable: readonly Step[] =
      journals === undefined
        ? []
        : [
            (done) => writer.sync(done),
            // Again, for a sync may take long.
            (done) => answer(() => mayCommit?.(), done),
            (done) => journals.append(done),
            (done) => journals.sync(done),
          ];
    this.#write([(done) => writer.flush(done), ...durable], () => {
      this.#postSegments();
      this.#answer();
      then?.();
    });
  }

  /** Runs steps that may take long. */
  #write(steps: readonly Step[], then?: () => void): void {
    this.#isWriting = true;
    this.#repeat(steps, () => {
      then?.();
      this.#isWriting = false;
      const next = this.#afterWrite;
      this.#afterWrite = undefined;
      next?.();
      if (!this.#isWriting) this.#parts.committed();
    });
  }

  /** Commits what is left and closes all files. */
  close(then: () => void): void {
    this.commit(false, () => {
      const { writer, journals } = this.#parts;
      this.#repeat([(done) => writer.close(done)], () => {
        journals?.close();
        then();
      });
    });
  }

  /** A crawler is dead: commits what it handed over whole, frees what it held of its buffer, closes its journals. */
  crawlerDied(thread: number): void {
    const { buffer, reader, lanes } = this.#intakes.find((intake) =>
      intake.lanes.some((crawler) => crawler.thread === thread),
    )!;
    const lane = lanes.findIndex((crawler) => crawler.thread === thread);
    buffer.reclaim(lane);
    this.commitOfDead(() => {
      // Of its last record only a part may be there.
      reader.forget(lane);
      this.#parts.journals?.close(thread);
      Object.assign(lanes[lane]!, this.#source(thread));
      // The other crawler may have waited for the permit.
      for (const crawler of lanes) this.#parts.bells[crawler.thread]!.ring();
      this.#parts.post({ kind: "closed", thread });
    });
  }

  /** What a dead crawler handed over whole counts like anything else. */
  protected commitOfDead(then: () => void): void {
    this.commit(true, then);
  }

  #source(thread: number): Source {
    const source: Source = {
      thread,
      account: new Account(this.#parts.memory, thread),
      unanswered: 0,
      places: new Map(),
      takePlace: (record) => {
        const place = source.places.get(record)!;
        source.places.delete(record);
        return place;
      },
      asked: [],
      records: 0,
      read: 0,
      hurry: HURRY_LEVELS.none,
    };
    return source;
  }

  get #isAnyoneWaiting(): boolean {
    return this.#waitingSinceMs !== Number.POSITIVE_INFINITY;
  }

  /** The greatest hurry of all crawlers. */
  #hurry(): number {
    let hurry: number = HURRY_LEVELS.none;
    for (const { account } of this.#crawlers) hurry = Math.max(hurry, account.hurried);
    return hurry;
  }

  /** With "full" a buffer is left alone until a crawler calls. */
  #isDue({ buffer, reader }: Intake, anyway: boolean): boolean {
    // A call that comes meanwhile is about what was put since.
    if (reader.isReading) return true;
    const why = buffer.takeCall();
    if (!this.#isTogether) return true;
    // A crawler with nothing in flight waits for this commit.
    if ((why & FLUSH) !== 0) this.#mustCommit = true;
    return anyway || why !== 0;
  }

  /** Reads what was put before this call, not what comes meanwhile; false when there was no time for it. */
  #drain(intake: Intake, all: boolean, isLate: () => boolean = () => false): boolean {
    // What was taken over earlier, and what waits behind it.
    for (let batches = intake.reader.isReading ? 2 : 1; batches > 0; batches--) {
      // Before a call is taken: nobody would repeat it.
      if (isLate()) return false;
      if (!this.#isDue(intake, all)) return true;
      do {
        if (!this.#readSome(intake, isLate)) return true;
      } while (intake.reader.isReading && !isLate());
      if (intake.reader.isReading) return false;
    }
    return true;
  }

  #readSome({ reader, lanes }: Intake, isLate: () => boolean): boolean {
    if (!reader.take()) return false;
    const { framesPerTurn, nowMs, bells } = this.#parts;
    this.#readingSinceMs = nowMs();
    const { counts, wanting } = reader.read(
      framesPerTurn,
      (frame, lane) => this.#store(lanes[lane]!, frame),
      isLate,
    );
    for (const [lane, crawler] of lanes.entries()) {
      const count = counts[lane]!;
      if (count > 0) this.#waitingSinceMs = Math.min(this.#waitingSinceMs, this.#readingSinceMs);
      crawler.unanswered += count;
      crawler.read += count;
      if ((wanting & (1 << lane)) !== 0) bells[crawler.thread]!.ring();
    }
    this.#readingSinceMs = Number.POSITIVE_INFINITY;
    return true;
  }

  #isTimeToCommit(worked: boolean): boolean {
    const hurry = this.#hurry();
    if (!this.#isAnyoneWaiting) {
      this.#mustCommit = false;
      // A hurry about records that were answered already; only a commit ends it.
      return hurry === HURRY_LEVELS.now && !worked && !this.#isTogether;
    }
    const waitedMs = this.#parts.nowMs() - this.#waitingSinceMs;
    if (this.#mustCommit || waitedMs >= this.#commitAfterMs) return true;
    if (hurry === HURRY_LEVELS.none) return false;
    // As long as there is more to read it is read first: one commit for all of it.
    return waitedMs >= SOON_MS || (hurry === HURRY_LEVELS.now && !worked);
  }

  #store(crawler: Source, { kind, parts }: Frame): void {
    const { journals } = this.#parts;
    if (kind === FRAMES.page && this.#keepPlain(crawler, parts[0]!, parts[1]!)) return;
    if (kind === FRAMES.page || kind === FRAMES.capture)
      this.#keep(crawler, readCapture(parts), kind === FRAMES.page);
    else if (kind === FRAMES.journal) {
      const shard = parts[0]!.readUInt16LE(0);
      if (journals!.take(shard, parts[1]!, crawler.takePlace)) this.#mustCommit = true;
    } else if (kind === FRAMES.askPlace) {
      const record = parts[0]!.readUInt32LE(0);
      crawler.asked.push([record, crawler.takePlace(record)]);
    } else if (kind === FRAMES.openJournal) {
      this.#openJournal(crawler, JSON.parse(parts[0]!.toString("utf8")));
    } else if (kind === FRAMES.outcome) {
      this.#append({ kind: "outcome", line: parts[0]!.toString("utf8") });
    } else if (kind === FRAMES.skipped) {
      this.#append({ kind: "skipped", lines: parts[0]!.toString("utf8").split("\n") });
    } else if (kind === FRAMES.robots) {
      this.#append(readRobots(parts));
    }
  }

  #openJournal({ thread }: Source, open: OpenJournal): void {
    const { journals } = this.#parts;
    this.#repeat([(done) => answer(() => journals!.open(thread, open), done)]);
  }

  /** Stores a page as it came, past its capture; false when that cannot be done. */
  #keepPlain(crawler: Source, facts: Buffer, body: Buffer): boolean {
    const { writer, journals, taken } = this.#parts;
    const place = writer.appendPlain?.(facts, body);
    if (place === undefined) return false;
    Atomics.add(taken, crawler.thread, 1);
    if (journals !== undefined) crawler.places.set(crawler.records++, place);
    if (writer.isDue === true) this.#write([(done) => writer.flush(done)]);
    return true;
  }

  #keep(crawler: Source, capture: Capture, isPage: boolean): void {
    // Before its permit goes back, so that never more pages seem to be in the buffer than it holds.
    if (isPage) Atomics.add(this.#parts.taken, crawler.thread, 1);
    this.#append(capture, () => {
      if (this.#parts.journals !== undefined)
        crawler.places.set(crawler.records++, locationOf(capture));
    });
  }

  /** Hands an entry to the writer, as soon as the disk takes it. */
  #append(entry: Entry, then: () => void = () => {}): void {
    const { writer } = this.#parts;
    let isDue = false;
    try {
      isDue = writer.append(entry);
    } catch (fault) {
      this.#appendRefused(entry, then, { fault });
      return;
    }
    then();
    if (isDue) this.#write([(done) => writer.flush(done)]);
  }

  /** The same for an entry that the writer has refused once. */
  #appendRefused(entry: Entry, then: () => void, first: { readonly fault: unknown }): void {
    const { writer } = this.#parts;
    let refusal: { readonly fault: unknown } | undefined = first;
    let isDue = false;
    let isOver = false;
    let isLate = false;
    const append = () => {
      if (refusal === undefined) {
        isDue = writer.append(entry);
        return;
      }
      const { fault } = refusal;
      refusal = undefined;
      throw fault;
    };
    this.#repeat([(done) => answer(append, done)], () => {
      isOver = true;
      then();
      if (isLate) this.#isWriting = false;
      if (isDue) this.#write([(done) => writer.flush(done)]);
      else if (isLate) this.#parts.committed();
    });
    if (isOver) return;
    // Refused, and tried again later: nothing may follow before, and what it is made of is somebody else's.
    isLate = true;
    this.#isWriting = true;
    if (entry.kind === "capture") takeOver(entry);
    else if (entry.kind === "robots") Object.assign(entry, { body: Buffer.from(entry.body) });
  }

  /**
   * Runs steps that leave nothing behind when the disk refuses them, until it takes them all. Before they are repeated
   * everything that waits is flushed: the steps themselves may find less to write the second time, and a disk that is
   * still full would be reported as working.
   */
  #repeat(steps: readonly Step[], then: () => void = () => {}, wasRefused = false): void {
    const { patience, writer } = this.#parts;
    let isRefused = wasRefused;
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      let hasReturned = false;
      const all: readonly Step[] = isRefused ? [(done) => writer.flush(done), ...steps] : steps;
      inOrder(all, (fault) => {
        if (fault === undefined) {
          if (isRefused) patience.accepted();
          then();
          return;
        }
        let isAgain = false;
        patience.refused(fault, () => {
          // A loop where it can be one: a disk may refuse very often.
          if (hasReturned) this.#repeat(steps, then, true);
          else isAgain = true;
        });
        isRefused = true;
        goesOn = isAgain;
      });
      hasReturned = true;
    }
  }

  #postSegments(): void {
    const closed = this.#parts.journals?.closedSegments().filter(([, segment]) => segment > 0);
    const text = JSON.stringify(closed ?? []);
    if (closed === undefined || closed.length === 0 || text === this.#segmentsPosted) return;
    this.#segmentsPosted = text;
    this.#parts.post({ kind: "segments", closed });
  }

  /** Everything read so far is durable: counts it for the crawlers and rings them. */
  #answer(): void {
    const { stored, bells, post } = this.#parts;
    this.#waitingSinceMs = Number.POSITIVE_INFINITY;
    this.#mustCommit = false;
    for (const crawler of this.#crawlers) {
      const { thread, asked, unanswered } = crawler;
      if (unanswered === 0) continue;
      if (asked.length > 0) {
        post({ kind: "places", thread, places: asked });
        crawler.asked = [];
      }
      Atomics.add(stored, thread, unanswered);
      crawler.unanswered = 0;
      bells[thread]!.ring();
    }
  }
}
