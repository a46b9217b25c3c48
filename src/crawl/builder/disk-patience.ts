import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskTrouble } from "../../errors.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { removeIfThere, replaceFile } from "../../store/folder/replace-file.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { type Control, MODES } from "../shared-memory.ts";

/** Pause between two tries on a disk that takes nothing. */
const RETRY_MS = 250;
/** A crawl that was told to stop waits this long for its disk. */
const MAX_WAIT_AT_END_MS = 5000;

/** What is told of a disk: it takes nothing and the crawl waits; it works again. */
export type DiskNews =
  | { readonly kind: "diskFull"; readonly message: string }
  | { readonly kind: "diskFree" };

/** How long a disk may be waited for. */
class PatienceLeft {
  readonly #control: Control;
  #stoppedMs: number | undefined;

  constructor(control: Control) {
    this.#control = control;
  }

  /** Whether there may be another try. */
  hasMore(): boolean {
    const { mode, endedBy } = this.#control;
    if (mode === MODES.abort) return false;
    // A crawl that has found everything waits as one that runs: nobody asked it to hurry.
    if (mode === MODES.run || endedBy === "finished") return true;
    this.#stoppedMs ??= monotonicMs();
    return monotonicMs() - this.#stoppedMs < MAX_WAIT_AT_END_MS;
  }
}

/** How a builder waits for a disk that is full or fails; its crawlers wait meanwhile, because nobody reads what they hand over. */
export class DiskPatience {
  readonly #control: Control;
  readonly #bell: Doorbell;
  readonly #say: (news: DiskNews) => void;

  constructor(control: Control, bell: Doorbell, say: (news: DiskNews) => void) {
    this.#control = control;
    this.#bell = bell;
    this.#say = say;
  }

  /**
   * Repeats a step that left nothing behind until the disk takes it. `write` writes what the step found waiting: the
   * step itself may find less to write the second time, and the disk would be said to work though nobody has tried.
   */
  repeat<T>(step: () => T, write: () => void): T {
    let isAgain = false;
    const whole = () => {
      if (isAgain) write();
      isAgain = true;
      return step();
    };
    return this.#repeat(whole, isRefusal);
  }

  /**
   * Waits until the disk works that a builder has died of. What a failed sync left behind nobody knows, so there is no
   * second try: the builder begins anew, but not before a file can be written and synced.
   */
  outlast(fault: unknown, folder: string): void {
    if (!isDiskTrouble(fault) || isRefusal(fault)) return;
    this.#say({ kind: "diskFull", message: (fault as Error).message });
    const path = join(folder, "state", "probe");
    this.#repeat(() => replaceFile(path, (file) => file.write(Buffer.of(1))), isDiskTrouble, true);
    removeIfThere(path);
  }

  #repeat<T>(step: () => T, isPassing: (fault: unknown) => boolean, wasSaid = false): T {
    const patience = new PatienceLeft(this.#control);
    for (let said = wasSaid; ; ) {
      try {
        const result = step();
        if (said) this.#say({ kind: "diskFree" });
        return result;
      } catch (fault) {
        if (!isPassing(fault)) throw fault;
        if (!said) this.#say({ kind: "diskFull", message: (fault as Error).message });
        said = true;
        if (!patience.hasMore()) throw fault;
        this.#bell.sleep(this.#bell.arm(), RETRY_MS);
      }
    }
  }
}

/** Repeats a step that may be repeated, as a builder does, on a thread that must not block. */
export async function repeatOnLoop(
  control: Control,
  say: (news: DiskNews) => void,
  step: () => void,
): Promise<void> {
  const patience = new PatienceLeft(control);
  for (let said = false; ; ) {
    try {
      step();
      if (said) say({ kind: "diskFree" });
      return;
    } catch (fault) {
      if (!isDiskTrouble(fault)) throw fault;
      if (!said) say({ kind: "diskFull", message: (fault as Error).message });
      said = true;
      if (!patience.hasMore()) throw fault;
      await sleep(RETRY_MS);
    }
  }
}

/** The disk refused something and nothing of it was taken; a bare fault of the system says less. */
function isRefusal(fault: unknown): boolean {
  return isDiskTrouble(fault) && (fault as Error).name === "DiskFullError";
}
