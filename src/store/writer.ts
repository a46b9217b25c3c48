import type { CrawlConfig } from "../config/schema.ts";
import type { PageLocation } from "../frontier/finish.ts";
import { type DoFileWork, doNow, type FileWork } from "../runtime/file-work.ts";
import type { Capture, CaptureFacts } from "./capture.ts";

/** Called exactly once when a step is over, with the fault if it failed. */
export type Done = (fault?: unknown) => void;

/** A step that calls back when it is over: before it returns, or later. */
export type Step = (done: Done) => void;

/** The line that logs/crawl.jsonl gets for a URL that ended without a capture. */
export interface Outcome {
  readonly kind: "outcome";
  /** As `jsonLine` writes it. */
  readonly line: string;
}

/** Links of a page that were not followed, for reports/skipped.jsonl. */
export interface Skipped {
  readonly kind: "skipped";
  /** One line of JSON each, the URL first, so that sorting brings equal URLs together. */
  readonly lines: readonly string[];
}

/** A robots.txt that is obeyed, which the archive keeps as a record of its own. */
export interface ObeyedRobots {
  readonly kind: "robots";
  readonly url: string;
  readonly address: string;
  readonly date: number;
  /** What was read of it, without its content coding. */
  readonly body: Uint8Array;
}

/** Whatever a builder stores. */
export type Entry = Capture | Outcome | Skipped | ObeyedRobots;

/** The same for lists, which need no bodies. */
export type ListEntry = CaptureFacts | Outcome | Skipped | ObeyedRobots;

/** A place that entries are written to. A writer ignores the kinds of entries that are not for it. */
export interface Writer<E = Entry> {
  /**
   * Takes an entry, or throws and has taken nothing of it: after a DiskFullError the same entry may be appended again.
   * True when so much waits in memory that it should be flushed; more may be appended before that.
   */
  append(entry: E): boolean;
  /**
   * Takes a page straight from the parts of its frame, where that can be done: answers where its record is, undefined when
   * it has taken nothing and the capture is to be appended. `isDue` then says what `append` answers.
   */
  appendPlain?(facts: Buffer, body: Buffer): PageLocation | undefined;
  readonly isDue?: boolean;
  /** Hands everything to the operating system. After a fault everything stays, and the step may be repeated. */
  flush(done: Done): void;
  /** Makes everything that was flushed survive a power loss. */
  sync(done: Done): void;
  /** Flushes, syncs and closes. After a fault it may be repeated; a second call does nothing. */
  close(done: Done): void;
}

/** For callers who need no answer: throws the fault. */
export const raise: Done = (fault) => {
  if (fault !== undefined) throw fault;
};

/** Runs a step that is over when it returns. What `done` throws is no fault of the step. */
export function answer(step: () => void, done: Done): void {
  let fault: unknown;
  try {
    step();
  } catch (thrown) {
    fault = thrown;
  }
  done(fault);
}

/** Runs steps one after the other and ends at the first fault. Uses no stack, however many steps answer at once. */
export function inOrder(steps: readonly Step[], done: Done): void {
  let at = 0;
  let isInLoop = false;
  let isAnswered = false;
  const next: Done = (fault) => {
    if (fault !== undefined) return done(fault);
    isAnswered = true;
    if (isInLoop) return;
    isInLoop = true;
    while (isAnswered && at < steps.length) {
      isAnswered = false;
      steps[at++]!(next);
    }
    isInLoop = false;
    if (isAnswered) done();
  };
  next();
}

/** Runs steps at the same time where they answer later; is over when all are, with the first fault. */
export function together(steps: readonly Step[], done: Done): void {
  // One more than there are, so that they are not all over before the last one has begun.
  let left = steps.length + 1;
  let first: unknown;
  const over: Done = (fault) => {
    first ??= fault;
    if (--left === 0) done(first);
  };
  for (const step of steps) step(over);
  over();
}

/** Files that entries wait for; the work of each step may be done at once or by and by. */
export interface WrittenFiles {
  flushing(): FileWork;
  syncing(): FileWork;
  closing(): FileWork;
}

/** A writer over files, and the files. */
export interface FileWriter<E, Files> extends Writer<E> {
  readonly files: Files;
}

/** Does work with files before it returns. */
export const doAtOnce: DoFileWork = (work, done) => answer(() => doNow(work), done);

/** A writer over files. It answers at once unless the work is done otherwise. */
export function fileWriter<E, Files extends WrittenFiles>(
  files: Files,
  doWork: DoFileWork | undefined,
  append: (entry: E) => boolean,
): FileWriter<E, Files> {
  const run = doWork ?? doAtOnce;
  return {
    files,
    append,
    flush: (done) => run(files.flushing(), done),
    sync: (done) => run(files.syncing(), done),
    close: (done) => run(files.closing(), done),
  };
}

/** A writer whose entries are durable when they are appended, or never. */
export function unbufferedWriter(append: (entry: Entry) => boolean): Writer {
  return { append, flush: (done) => done(), sync: (done) => done(), close: (done) => done() };
}

/** What a writer is opened with. */
export interface WriterOptions {
  /** The crawl's output folder, made by `createCrawlFolder`. */
  readonly folder: string;
  /** Number of the builder thread. */
  readonly thread: number;
  readonly config: CrawlConfig;
  /** Shared by all builders of a crawl: `treeLockMemory`. */
  readonly treeLocks: SharedArrayBuffer;
  /** How work with files is done where the thread has something else to attend to; otherwise before it returns. */
  readonly doWork?: DoFileWork | undefined;
}

/** Opens a writer; undefined when the configuration does not ask for it. */
export type OpenWriter = (options: WriterOptions) => Writer | undefined;
