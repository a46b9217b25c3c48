import { WorkerDiedError } from "../../errors.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { syncLater } from "../../runtime/file-work.ts";
import { WakeTimer } from "../../runtime/wake-timer.ts";
import { LoopDoorbell, type WorkSource } from "../../sync/loop-doorbell.ts";
import { bellsOf, Control } from "../shared-memory.ts";
import type { BuildRules } from "./build-rules.ts";
import type { FromBuilder, RunningBuilder, ToBuilder } from "./builder-message.ts";
import { JoinedBuilder } from "./joined-builder.ts";

/** As in a thread of its own: reading many records in a row keeps code and data at hand. */
const FRAMES_PER_TURN = 64;
/** Signals, progress and the dashboard wait so long. */
const MAX_TURN_MS = 4;

/**
 * The builder of a crawl with one crawler thread, in the main thread: that supervises and has hardly anything else to do, so
 * a thread of its own would only be one more to start and to compile for. Records come through the hand-off buffer. It
 * dies like a thread: `ended` is rejected, and the process goes on.
 */
export class MainBuilder implements RunningBuilder {
  readonly name: string;
  readonly ended: Promise<void>;
  readonly #control: Control;
  readonly #builder: JoinedBuilder;
  readonly #bell: LoopDoorbell;
  readonly #timer = new WakeTimer(() => this.#round());
  readonly #work: WorkSource = {
    hasWork: () => this.#control.buildersMayEnd || this.#builder.hasWork(),
  };
  #onEnded = () => {};
  #onDeath: (error: WorkerDiedError) => void = () => {};
  #isRoundPlanned = false;
  #isClosing = false;
  #isOver = false;

  /** Throws when its files cannot be opened. */
  constructor(rules: BuildRules, onMessage: (message: FromBuilder) => void) {
    const { memory, builder } = rules;
    this.name = `builder ${builder}`;
    this.#control = new Control(memory);
    this.ended = new Promise((resolve, reject) => {
      this.#onEnded = resolve;
      this.#onDeath = reject;
    });
    this.ended.catch(() => {});
    this.#builder = new JoinedBuilder(rules, {
      framesPerTurn: FRAMES_PER_TURN,
      maxTurnMs: MAX_TURN_MS,
      // Writing for later costs more than writing: a page goes into the system's memory within microseconds.
      doWork: syncLater,
      onMessage,
      onWritten: () => this.#planRound(),
      onFault: (fault) => this.#die(fault),
    });
    this.#bell = new LoopDoorbell(bellsOf(memory).builders[builder]!, () => this.#round());
    this.#planRound();
  }

  tell({ thread }: ToBuilder): void {
    this.#builder.crawlerDied(thread);
    this.#planRound();
  }

  async terminate(): Promise<void> {
    this.#die(new Error("it was ended"));
  }

  #planRound(): void {
    if (this.#isRoundPlanned || this.#isOver) return;
    this.#isRoundPlanned = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isRoundPlanned = false;
    if (this.#isOver || this.#isClosing) return;
    this.#bell.awake();
    let restMs: number;
    try {
      if (this.#control.buildersMayEnd) {
        this.#isClosing = true;
        this.#builder.close(() => this.#end(this.#onEnded));
        return;
      }
      restMs = this.#builder.turn();
    } catch (fault) {
      this.#die(fault);
      return;
    }
    if (restMs === 0 || this.#bell.fallAsleep(this.#work)) {
      this.#planRound();
      return;
    }
    const nowMs = monotonicMs();
    this.#timer.set(nowMs + restMs, nowMs);
  }

  #die(fault: unknown): void {
    this.#builder.abandon();
    this.#end(() => this.#onDeath(new WorkerDiedError(this.name, fault)));
  }

  #end(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer.clear();
    this.#bell.close();
    tell();
  }
}
