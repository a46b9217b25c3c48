import { type DoFileWork, doLater } from "../../runtime/file-work.ts";
import type { Capture } from "../../store/capture.ts";
import type { Frame } from "../hand-off/frames.ts";
import { Control } from "../shared-memory.ts";
import type { BuildRules } from "./build-rules.ts";
import type { BuilderLoop } from "./builder-loop.ts";
import type { FromBuilder } from "./builder-message.ts";
import { LoopPatience } from "./disk-patience.ts";
import { FolderWatch, openBuilder, openWriter } from "./open-builder.ts";

/** What a builder has to do with the thread that it shares. */
export interface SharedThread {
  /** Frames read before their room is given back. */
  readonly framesPerTurn: number;
  /** Everything else in this thread waits as long as a turn takes. */
  readonly maxTurnMs: number;
  readonly doWork: DoFileWork;
  onMessage(message: FromBuilder): void;
  /** Something was committed or written: there may be more to do. */
  onWritten(): void;
  /** It cannot go on, and does nothing from now on. */
  onFault(fault: unknown): void;
}

/** A crawler's thread has sockets, which nothing may block, and dies with its builder. */
export const BESIDE_CRAWLER: Pick<
  SharedThread,
  "framesPerTurn" | "maxTurnMs" | "doWork" | "onFault"
> = {
  framesPerTurn: 16,
  maxTurnMs: 2,
  doWork: doLater,
  onFault: (fault) =>
    setImmediate(() => {
      throw fault;
    }),
};

/**
 * A builder in a thread that has something else to do: that of a crawler that writes itself (`--builders 0`), or the main
 * thread (`MainBuilder`). What may take long in there is done by the pool of threads, and meanwhile records wait in the
 * hand-off buffer. When that is full the crawler takes no more pages. Beside a crawler records go past the buffer while
 * nothing is being written and the buffer is empty.
 */
export class JoinedBuilder {
  readonly #loop: BuilderLoop;
  readonly #watch: FolderWatch;
  readonly #thread: SharedThread;
  readonly #usesBuffer: boolean;
  /** Crawlers that have died since the last turn. */
  readonly #dead: number[] = [];
  /** Set when the crawlers have ended. */
  #onClosed: (() => void) | undefined;
  #isClosing = false;
  #isAbandoned = false;

  constructor(rules: BuildRules, thread: SharedThread) {
    const post = (message: FromBuilder) => thread.onMessage(message);
    const doWork: DoFileWork = (work, done) =>
      thread.doWork(work, (fault) => this.#callBack(() => done(fault)));
    this.#thread = thread;
    this.#watch = new FolderWatch(rules.lease);
    // With "full" records are handed over together: that is what is asked for.
    this.#usesBuffer = rules.config.handOff === "full";
    this.#loop = openBuilder(rules, {
      patience: new LoopPatience(new Control(rules.memory), post, rules.out, {
        again: (step) => this.#callBack(step),
        giveUp: (fault) => this.#fail(fault),
      }),
      watch: this.#watch,
      writer: openWriter(rules, doWork),
      framesPerTurn: thread.framesPerTurn,
      maxTurnMs: thread.maxTurnMs,
      doWork,
      post,
      committed: () => {
        if (this.#onClosed === undefined) thread.onWritten();
        else this.#goOnClosing();
      },
    });
  }

  /** Whether the next record may go past the buffer, into which so many were put. */
  isOpenFor(put: number): boolean {
    return !this.#usesBuffer && !this.#isClosing && this.#loop.isOpenFor(put);
  }

  /** Stores a record past the buffer. */
  store(record: Frame | Capture, isPage?: boolean): void {
    this.#loop.storeNow(record, isPage);
  }

  /** Does some of what there is to do; answers for how long there is nothing, if nobody calls: 0 when there is more. */
  turn(): number {
    if (!this.#isFree) return Number.POSITIVE_INFINITY;
    this.#watch.look();
    const dead = this.#dead.shift();
    if (dead !== undefined) this.#loop.crawlerDied(dead);
    else if (!this.#loop.turn(false)) return this.#loop.restMs();
    return this.#loop.isWriting ? Number.POSITIVE_INFINITY : 0;
  }

  /** True when there is something to do; to be asked when the bell of the thread is armed. */
  hasWork(): boolean {
    return this.#isFree && (this.#dead.length > 0 || this.#loop.restMs() === 0);
  }

  get #isFree(): boolean {
    return !this.#loop.isWriting && !this.#isClosing && !this.#isAbandoned;
  }

  /** A crawler in another thread is dead: the next turn in which nothing is being written stores what it handed over. */
  crawlerDied(thread: number): void {
    this.#dead.push(thread);
  }

  /** The crawlers have ended: stores what they handed over and closes all files. */
  close(onClosed: () => void): void {
    this.#onClosed = onClosed;
    this.#goOnClosing();
  }

  /** Does nothing from now on, and leaves everything as it is: as if its thread had died. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #goOnClosing(): void {
    if (!this.#isFree) return;
    if (this.#loop.turn(true)) {
      if (!this.#loop.isWriting) setImmediate(() => this.#callBack(() => this.#goOnClosing()));
      return;
    }
    this.#isClosing = true;
    this.#loop.close(this.#onClosed!);
  }

  /** What was waited for has come. Whoever calls back would not know what to do with a fault. */
  #callBack(step: () => void): void {
    if (this.#isAbandoned) return;
    try {
      step();
    } catch (fault) {
      this.#fail(fault);
    }
  }

  #fail(fault: unknown): void {
    this.abandon();
    this.#thread.onFault(fault);
  }
}
