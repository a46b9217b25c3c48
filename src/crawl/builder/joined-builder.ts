import type { Capture } from "../../store/capture.ts";
import type { Frame } from "../hand-off/frames.ts";
import { Control } from "../shared-memory.ts";
import type { BuildRules } from "./build-rules.ts";
import type { BuilderLoop } from "./builder-loop.ts";
import type { BuilderLegacy, FromBuilder } from "./builder-message.ts";
import { LoopPatience } from "./disk-patience.ts";
import { FolderWatch, openBuilder, openWriter } from "./open-builder.ts";

/** Frames read before the clock is looked at. */
const FRAMES_PER_TURN = 16;
/** Sockets wait as long as a turn takes. */
const MAX_TURN_MS = 2;

/** What a builder has to do with the crawler whose thread it shares. */
export interface JoinedListener {
  onMessage(message: FromBuilder): void;
  /** Something was committed or written: there may be more to do. */
  onWritten(): void;
}

/**
 * The builder of a crawler that writes itself (`--builders 0`). Nothing in here blocks: files are written and synced by
 * the pool of threads, and meanwhile records wait in the hand-off buffer. When that is full the crawler takes no more
 * pages. While nothing is being written and the buffer is empty, records go past it.
 */
export class JoinedBuilder {
  readonly #loop: BuilderLoop;
  readonly #watch: FolderWatch;
  readonly #usesBuffer: boolean;
  /** Set when the crawler has ended. */
  #onClosed: (() => void) | undefined;
  #isClosing = false;
  /** Set when a thread of its own is to take over. */
  #onLeft: ((legacy: BuilderLegacy) => void) | undefined;

  constructor(rules: BuildRules, listener: JoinedListener) {
    const post = (message: FromBuilder) => listener.onMessage(message);
    this.#watch = new FolderWatch(rules.lease);
    // With "full" records are handed over together: that is what is asked for.
    this.#usesBuffer = rules.config.handOff === "full";
    this.#loop = openBuilder(rules, {
      patience: new LoopPatience(new Control(rules.memory), post, rules.out),
      watch: this.#watch,
      writer: openWriter(rules),
      framesPerTurn: FRAMES_PER_TURN,
      maxTurnMs: MAX_TURN_MS,
      post,
      committed: () => {
        if (this.#onClosed === undefined) listener.onWritten();
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
    if (this.#loop.isWriting || this.#isClosing) return Number.POSITIVE_INFINITY;
    this.#watch.look();
    const onLeft = this.#onLeft;
    if (onLeft !== undefined && this.#loop.mayLeave) {
      this.#isClosing = true;
      this.#loop.leave((legacy) => {
        onLeft(legacy);
        this.#onClosed?.();
      });
      return Number.POSITIVE_INFINITY;
    }
    if (onLeft === undefined ? this.#loop.turn(false) : this.#loop.lastTurn())
      return this.#loop.isWriting ? Number.POSITIVE_INFINITY : 0;
    return this.#loop.restMs();
  }

  /** True when there is something to do; to be asked when the bell of the thread is armed. */
  hasWork(): boolean {
    return !this.#loop.isWriting && !this.#isClosing && this.#loop.restMs() === 0;
  }

  /**
   * Lets a builder thread take over: as soon as no record is half read, what was read is committed and all files are
   * closed; `onLeft` gets what the other one needs. From then on this one does nothing.
   */
  leave(onLeft: (legacy: BuilderLegacy) => void): void {
    this.#onLeft = onLeft;
  }

  /** The crawler has ended: stores what it handed over and closes all files, unless it leaves that to another builder. */
  close(onClosed: () => void): void {
    this.#onClosed = onClosed;
    this.#onLeft = undefined;
    this.#goOnClosing();
  }

  #goOnClosing(): void {
    if (this.#loop.isWriting || this.#isClosing) return;
    if (this.#loop.turn(true)) {
      if (!this.#loop.isWriting) setImmediate(() => this.#goOnClosing());
      return;
    }
    this.#isClosing = true;
    this.#loop.close(this.#onClosed!);
  }
}
