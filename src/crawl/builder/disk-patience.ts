import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskTrouble } from "../../errors.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { removeIfThere } from "../../store/files/system-calls.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { type Control, MODES } from "../shared-memory.ts";

/** Pause between two tries on a disk that takes nothing. */
const RETRY_MS = 250;
/** A crawl that was told to stop waits this long for its disk. */
const MAX_WAIT_AT_END_MS = 5000;

/** Posted when the disk takes nothing and the crawl waits, and when it works again. */
export type DiskMessage =
  | { readonly kind: "diskFull"; readonly message: string }
  | { readonly kind: "diskFree" };

/** How a builder waits for a disk that refuses what it is given. */
export interface Patience {
  /** The disk refused a step: calls back when it is worth another try, and throws the fault when it is not. */
  refused(fault: unknown, again: () => void): void;
  /** The step that was refused has succeeded. */
  accepted(): void;
}

/** The time during which a disk takes nothing: each begin and end is posted once. */
class Pause {
  readonly #control: Control;
  readonly #post: (message: DiskMessage) => void;
  #isPosted = false;
  #stoppedMs: number | undefined;

  constructor(control: Control, post: (message: DiskMessage) => void) {
    this.#control = control;
    this.#post = post;
  }

  /** The disk refused something; throws the fault when there is no point in waiting any longer. */
  begin(fault: unknown): void {
    if (!this.#isPosted) this.#post({ kind: "diskFull", message: (fault as Error).message });
    this.#isPosted = true;
    if (!this.#mayWait()) throw fault;
  }

  /** The disk works. */
  end(): void {
    if (this.#isPosted) this.#post({ kind: "diskFree" });
    this.#isPosted = false;
    this.#stoppedMs = undefined;
  }

  #mayWait(): boolean {
    const { mode, endedBy } = this.#control;
    if (mode === MODES.abort) return false;
    // A crawl that has found everything may wait like one that runs.
    if (mode === MODES.run || endedBy === "finished") return true;
    this.#stoppedMs ??= monotonicMs();
    return monotonicMs() - this.#stoppedMs < MAX_WAIT_AT_END_MS;
  }
}

/**
 * How a builder waits for a disk that is full or fails. Its crawlers wait, too, because their buffers are not read.
 */
export class DiskPatience implements Patience {
  readonly #bell: Doorbell;
  readonly #pause: Pause;

  constructor(control: Control, bell: Doorbell, post: (message: DiskMessage) => void) {
    this.#bell = bell;
    this.#pause = new Pause(control, post);
  }

  refused(fault: unknown, again: () => void, isPassing = isRefusal): void {
    if (!isPassing(fault)) throw fault;
    this.#pause.begin(fault);
    this.#bell.sleep(this.#bell.arm(), RETRY_MS);
    again();
  }

  accepted(): void {
    this.#pause.end();
  }

  /** Repeats a step that left nothing behind until the disk takes it. */
  repeat<T>(step: () => T, isPassing = isRefusal): T {
    for (;;) {
      try {
        const result = step();
        this.accepted();
        return result;
      } catch (fault) {
        this.refused(fault, () => {}, isPassing);
      }
    }
  }

  /**
   * Waits until the disk works again that has killed a builder. What a failed sync left behind is unknown, so there is no
   * second try: a new builder begins, but not before a file can be written and synced.
   */
  outlast(fault: unknown, folder: string): void {
    if (!isDiskTrouble(fault) || isRefusal(fault)) return;
    this.#pause.begin(fault);
    const path = join(folder, "state", "probe");
    this.repeat(() => replaceFile(path, (file) => file.write(Buffer.of(1))), isDiskTrouble);
    removeIfThere(path);
  }
}

/** Whom a builder on a thread that must not block waits for. */
export interface PatienceListener {
  /** The time for another try has come. */
  again(step: () => void): void;
  /** The fault is none of the disk's, or lasts too long. */
  giveUp(fault: unknown): void;
}

/** The same on a thread that must not block. */
export class LoopPatience implements Patience {
  readonly #pause: Pause;
  readonly #folder: string;
  readonly #listener: PatienceListener;

  constructor(
    control: Control,
    post: (message: DiskMessage) => void,
    folder: string,
    listener: PatienceListener,
  ) {
    this.#folder = folder;
    this.#listener = listener;
    this.#pause = new Pause(control, post);
  }

  refused(fault: unknown, again: () => void): void {
    if (!isRefusal(fault)) {
      this.#outlast(fault).catch(() => {});
      return;
    }
    try {
      this.#pause.begin(fault);
    } catch {
      this.#listener.giveUp(fault);
      return;
    }
    setTimeout(() => this.#listener.again(again), RETRY_MS);
  }

  accepted(): void {
    this.#pause.end();
  }

  /** As in `DiskPatience`. */
  async #outlast(fault: unknown): Promise<void> {
    const path = join(this.#folder, "state", "probe");
    try {
      for (let last = fault, isOver = !isDiskTrouble(fault); !isOver; ) {
        this.#pause.begin(last);
        await sleep(RETRY_MS);
        try {
          replaceFile(path, (file) => file.write(Buffer.of(1)));
          isOver = true;
        } catch (again) {
          last = again;
        }
      }
      this.#pause.end();
      removeIfThere(path);
    } finally {
      this.#listener.giveUp(fault);
    }
  }
}

/** Repeats a step that may be repeated, as a builder does, on a thread that must not block. */
export async function repeatOnLoop(
  control: Control,
  post: (message: DiskMessage) => void,
  step: () => void,
): Promise<void> {
  const pause = new Pause(control, post);
  for (;;) {
    try {
      step();
      return pause.end();
    } catch (fault) {
      if (!isDiskTrouble(fault)) throw fault;
      pause.begin(fault);
      await sleep(RETRY_MS);
    }
  }
}

/** Whether the disk refused something and took nothing of it; after a bare error of the system that is not known. */
function isRefusal(fault: unknown): boolean {
  return isDiskTrouble(fault) && (fault as Error).name === "DiskFullError";
}
