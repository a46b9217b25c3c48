import assert from "node:assert/strict";
import { test } from "node:test";
import { type Journal, JournalWriters } from "../../../src/crawl/builder/journal-writers.ts";
import { readCapture } from "../../../src/crawl/hand-off/capture-frame.ts";
import { FRAMES, readFrame } from "../../../src/crawl/hand-off/frames.ts";
import { HandOffPort } from "../../../src/crawl/hand-off/hand-off-port.ts";
import { Account, HURRY_LEVELS } from "../../../src/crawl/shared-memory.ts";
import { DiskFullError } from "../../../src/errors.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { decodeEvents } from "../../../src/frontier/journal/event-cursor.ts";
import { BATCH_HEADER_BYTES } from "../../../src/frontier/journal/journal-format.ts";
import type { Done, Entry, Writer } from "../../../src/store/writer.ts";
import { loopOver, pageCapture, pageRecord, UNHELD } from "./looped-builder.ts";

/** A slow writer takes so long for a record. */
const RECORD_MS = 300;

/** A disk that notes what it is asked for, and answers when it is told to. */
class NotingDisk {
  readonly notes: string[] = [];
  readonly entries: Entry[] = [];
  readonly waiting: Done[] = [];
  /** What is refused next, and how often. */
  refusals = 0;
  answersLater = false;

  #ask(name: string, done: Done): void {
    this.notes.push(name);
    if (this.answersLater) this.waiting.push(done);
    else done(this.refusals-- > 0 ? new DiskFullError("no space in this test") : undefined);
  }

  readonly writer: Writer = {
    append: (entry) => {
      if (this.refusals-- > 0) throw new DiskFullError("no space in this test");
      this.entries.push(entry);
      if (entry.kind !== "capture") return false;
      const location = { file: "f", offset: this.entries.length, length: 1 };
      const unknown = { payloadDigest: "", payloadSha256: "", recordId: "", isRevisit: false };
      entry.archived = { location, ...unknown };
      return false;
    },
    flush: (done) => this.#ask("flush", done),
    sync: (done) => this.#ask("sync", done),
    close: (done) => this.#ask("close", done),
  };

  readonly journals = new JournalWriters(
    ({ shard }): Journal => ({
      append: (batch, done) => {
        const bytes = batch.finish();
        const to = BATCH_HEADER_BYTES + batch.eventBytes;
        const open = { bytes, from: BATCH_HEADER_BYTES, to, file: "memory", offset: 0 };
        for (const event of decodeEvents(open))
          this.notes.push(
            `${shard}: ${event.kind} ${JSON.stringify("where" in event && event.where)}`,
          );
        this.#ask(`append ${shard}`, done);
      },
      sync: (done) => this.#ask(`sync ${shard}`, done),
      close: () => this.notes.push(`close ${shard}`),
      segment: 3,
    }),
  );
}

/** The events of a page that is done, its record named by number. */
function doneWith(record: number): Buffer {
  const batch = new EventBatch();
  batch.done(1, 2, 1, { file: "", offset: 0, length: record + 1 });
  const bytes = batch.finish();
  return Buffer.from(bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + batch.eventBytes));
}

test("records are durable before a journal names them, and crawlers are told after both", () => {
  const disk = new NotingDisk();
  const { loop, senders, posted } = loopOver(disk.writer, 1, { journals: disk.journals });
  const [sender] = senders as [(typeof senders)[number]];
  const port = new HandOffPort(sender, 1);
  const durable: string[] = [];
  const record = sender.sendRecord(pageRecord("http://h/1"), UNHELD);
  port.write(7, doneWith(record), () => durable.push("events"));
  port.place(sender.sendRecord(pageRecord("http://h/2"), UNHELD), () => {});
  disk.answersLater = true;
  assert.equal(loop.turn(true), true);
  assert.equal(disk.entries.length, 2);
  assert.deepEqual([disk.notes, loop.isWriting], [[], false], "there is time");
  loop.commit();
  for (const step of ["flush", "sync", "append 7", "sync 7"]) {
    assert.equal(disk.notes.at(-1), step);
    assert.ok(loop.isWriting);
    assert.deepEqual([sender.settle(), posted], [0, []], step);
    disk.waiting.shift()!();
  }
  assert.equal(disk.notes[2], '7: done {"file":"f","offset":1,"length":1}');
  assert.equal(loop.isWriting, false);
  assert.deepEqual(posted, [
    { kind: "segments", closed: [[7, 2]] },
    { kind: "places", thread: 0, places: [[1, { file: "f", offset: 2, length: 1 }]] },
  ]);
  assert.equal(sender.settle(), 5);
  assert.deepEqual([durable, sender.outstanding], [["events"], 0]);
});

test("outcomes and skipped links reach the writer as they were sent", () => {
  const disk = new NotingDisk();
  const { loop, senders } = loopOver(disk.writer, 2);
  senders[0]!.send(FRAMES.outcome, [Buffer.from('{"url":"http://h/é"}')]);
  senders[1]!.send(FRAMES.skipped, [Buffer.from('{"url":"a"}\n{"url":"b"}')]);
  senders[1]!.send(FRAMES.mark, []);
  loop.commit(true);
  assert.deepEqual(disk.entries, [
    { kind: "outcome", line: '{"url":"http://h/é"}' },
    { kind: "skipped", lines: ['{"url":"a"}', '{"url":"b"}'] },
  ]);
  assert.deepEqual(disk.notes, ["flush"], "without a journal nothing is synced");
  assert.deepEqual([senders[0]!.settle(), senders[1]!.settle()], [1, 2]);
});

test("a commit comes when its time has come, sooner for a crawler in a hurry, and rest is never longer", () => {
  let nowMs = 0;
  const disk = new NotingDisk();
  const parts = { journals: disk.journals, nowMs: () => nowMs };
  const { loop, senders, memory } = loopOver(disk.writer, 1, parts);
  const account = new Account(memory, 0);
  const commits = () => disk.notes.filter((note) => note === "flush").length;
  assert.deepEqual([loop.turn(false), loop.restMs()], [false, 200]);
  senders[0]!.sendRecord(pageRecord("http://h/1"), UNHELD);
  senders[0]!.flush("waiting");
  assert.equal(loop.restMs(), 0, "the buffer is called for");
  assert.deepEqual([loop.turn(false), commits(), loop.restMs()], [true, 0, 200]);
  nowMs = 950;
  assert.deepEqual([loop.turn(false), commits(), loop.restMs()], [false, 0, 50]);
  account.hurry(HURRY_LEVELS.soon);
  assert.equal(loop.restMs(), 0);
  assert.deepEqual([loop.turn(false), commits(), account.hurried], [true, 1, HURRY_LEVELS.none]);
  account.hurry(HURRY_LEVELS.now);
  assert.equal(loop.restMs(), 0);
  loop.turn(false);
  assert.equal(account.hurried, HURRY_LEVELS.none, "nobody waits: the hurry is over all the same");
  senders[0]!.sendRecord(pageRecord("http://h/2"), UNHELD);
  loop.turn(false);
  nowMs += 1000;
  const before = commits();
  loop.turn(false);
  assert.deepEqual([commits(), loop.restMs()], [before + 1, 200]);
});

for (const handOff of ["count-or-time", "full"] as const) {
  test(`${handOff}: a commit is never later than one record, however slow the writer is and however much comes meanwhile`, () => {
    let nowMs = 0;
    let endMs = 0;
    const disk = new NotingDisk();
    const commitsMs: number[] = [];
    const append = disk.writer.append;
    const feed = () => {
      senders[0]!.sendRecord(pageRecord("http://h/"), UNHELD);
      senders[0]!.flush("still");
    };
    const writer: Writer = {
      ...disk.writer,
      append: (entry) => {
        nowMs += RECORD_MS;
        if (nowMs < endMs) feed();
        return append(entry);
      },
      flush: (done) => {
        commitsMs.push(nowMs);
        disk.writer.flush(done);
      },
    };
    const parts = { journals: disk.journals, nowMs: () => nowMs, handOff };
    const { loop, senders } = loopOver(writer, 1, parts);
    endMs = 20_000;
    for (let i = 0; i < 20; i++) feed();
    while (nowMs < endMs) loop.turn(false);
    const gaps = commitsMs.map((ms, i) => ms - (commitsMs[i - 1] ?? 0));
    assert.ok(gaps.length > 10 && Math.max(...gaps) <= 1000 + RECORD_MS, gaps.join(" "));
    // What is left is committed as well, and nothing was forgotten.
    while (loop.turn(true)) nowMs += 1;
    nowMs += 1000;
    loop.turn(true);
    assert.equal(senders[0]!.settle() > 0 && senders[0]!.outstanding, 0);
  });
}

test("full: a buffer is left alone until somebody calls, and committed when nobody brings more", () => {
  const disk = new NotingDisk();
  const { loop, senders } = loopOver(disk.writer, 2, { handOff: "full" });
  senders[0]!.sendRecord(pageRecord("http://h/1"), UNHELD);
  assert.deepEqual([loop.turn(false), disk.entries.length], [false, 0]);
  for (const sender of senders) sender.flush("still");
  assert.deepEqual([loop.turn(false), disk.entries.length, disk.notes], [true, 1, ["flush"]]);
});

test("a dead crawler: what it handed over whole is committed, its journals are closed, its half record never was", () => {
  const disk = new NotingDisk();
  const { loop, senders, posted } = loopOver(disk.writer, 2, { journals: disk.journals });
  const [dead, other] = senders as [(typeof senders)[number], (typeof senders)[number]];
  const port = new HandOffPort(dead, 1);
  port.write(4, doneWith(dead.sendRecord(pageRecord("http://h/1"), UNHELD)), () => {});
  new HandOffPort(other, 1).write(
    5,
    doneWith(other.sendRecord(pageRecord("http://h/2"), UNHELD)),
    () => {},
  );
  // Larger than the lane: only its first frames are there.
  dead.send(FRAMES.outcome, [Buffer.alloc(32 * 1024 * 1024)]);
  loop.crawlerDied(0);
  assert.deepEqual(
    disk.entries.map(({ kind }) => kind),
    ["capture", "capture"],
  );
  assert.deepEqual(disk.notes.slice(-3), ["sync 4", "sync 5", "close 4"]);
  assert.deepEqual(posted.at(-1), { kind: "closed", thread: 0 });
  assert.equal(other.settle(), 3);
});

test("a refused commit is repeated from the beginning, and a refused record is neither lost nor doubled", () => {
  const disk = new NotingDisk();
  const told: string[] = [];
  const patience = {
    refused: (fault: unknown, again: () => void) => {
      assert.ok(fault instanceof DiskFullError);
      told.push("refused");
      again();
    },
    accepted: () => {
      told.push("accepted");
    },
  };
  const { loop, senders } = loopOver(disk.writer, 1, { patience, journals: disk.journals });
  senders[0]!.sendRecord(pageRecord("http://h/1"), UNHELD);
  disk.refusals = 2;
  loop.turn(true);
  assert.equal(disk.entries.length, 1);
  assert.deepEqual(told, ["refused", "refused", "accepted"]);
  disk.notes.length = 0;
  // So often that each refusal must not keep the stack of the one before.
  disk.refusals = 20_000;
  loop.commit();
  assert.equal(told.filter((word) => word === "accepted").length, 2);
  assert.deepEqual(disk.notes.slice(-2), ["flush", "sync"]);
  assert.equal(senders[0]!.settle(), 1);
});

test("close commits what is left, closes the writer, then the journals", () => {
  const disk = new NotingDisk();
  const { loop, senders } = loopOver(disk.writer, 1, { journals: disk.journals });
  const port = new HandOffPort(senders[0]!, 1);
  port.write(2, doneWith(senders[0]!.sendRecord(pageRecord("http://h/1"), UNHELD)), () => {});
  let isClosed = false;
  loop.close(() => {
    isClosed = true;
  });
  assert.deepEqual([isClosed, disk.notes.slice(-3)], [true, ["sync 2", "close", "close 2"]]);
});

test("beside its crawler: a record goes past the buffer when none waits there and nothing is being written", () => {
  const disk = new NotingDisk();
  const { loop, senders } = loopOver(disk.writer, 1, { journals: disk.journals });
  const [sender] = senders as [(typeof senders)[number]];
  sender.goPast({
    isOpenFor: (put) => loop.isOpenFor(put),
    store: (record, isPage) => loop.storeNow(record, isPage),
  });
  const port = new HandOffPort(sender, 1);
  const stored: string[] = [];
  assert.ok(sender.isNear);
  const record = sender.storeNow(pageCapture("http://h/1"), true);
  port.write(7, doneWith(record), () => stored.push("events"));
  assert.equal(disk.entries.length, 1, "without a turn");
  disk.answersLater = true;
  loop.commit();
  assert.equal(sender.isNear, false, "while something is being written");
  sender.sendRecord(pageRecord("http://h/2"), UNHELD);
  assert.equal(disk.entries.length, 1);
  disk.answersLater = false;
  while (disk.waiting.length > 0) disk.waiting.shift()!();
  assert.equal(sender.settle(), 3, "the capture, the beginning of the journal, its events");
  assert.deepEqual(stored, ["events"]);
  assert.deepEqual(
    disk.notes.filter((note) => !note.startsWith("7:")),
    ["flush", "sync", "append 7", "sync 7"],
  );
  assert.equal(
    sender.isNear,
    false,
    "the second one waits in the buffer, and nothing may overtake it",
  );
  loop.turn(true);
  assert.ok(sender.isNear);
  sender.storeNow(pageCapture("http://h/3"), true);
  const urls = disk.entries.map((entry) => entry.kind === "capture" && entry.url);
  assert.deepEqual(urls, ["http://h/1", "http://h/2", "http://h/3"]);
  loop.commit();
  assert.equal(sender.settle(), 2);
});

test("beside its crawler: a refused record waits with bytes of its own, and nothing overtakes it", () => {
  const disk = new NotingDisk();
  const again: (() => void)[] = [];
  const patience = {
    refused: (_fault: unknown, tryAgain: () => void) => again.push(tryAgain),
    accepted: () => {},
  };
  const { loop } = loopOver(disk.writer, 1, { patience, journals: disk.journals });
  disk.refusals = 1;
  const capture = pageCapture("http://h/1");
  const borrowed = capture.body;
  loop.storeNow(capture, true);
  assert.deepEqual([disk.entries.length, loop.isWriting, loop.isOpenFor(0)], [0, true, false]);
  borrowed.fill(0);
  again.shift()!();
  assert.deepEqual([disk.entries.length, loop.isWriting, loop.isOpenFor(0)], [1, false, true]);
  assert.equal(Buffer.from(capture.body).toString(), "the body of http://h/1");
});

test("a capture that goes past the buffer is what would have been read from its frame", () => {
  const links = ["http://h/a", "http://h/b"];
  const { parts } = readFrame(Buffer.concat(pageRecord("http://h/1", links)));
  assert.deepEqual(pageCapture("http://h/1", links), readCapture(parts));
});
