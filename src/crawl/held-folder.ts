import { keptConfig } from "../config/kept-config.ts";
import { requireUnchanged } from "../config/resume-config.ts";
import type { CrawlConfig } from "../config/schema.ts";
import { EXIT, OrbweaverError, StoreCorruptError } from "../errors.ts";
import { pinConsents } from "../fetch/route/consent.ts";
import { frontierTraits } from "../frontier/frontier-memory.ts";
import { randomBytes } from "../runtime/random-bytes.ts";
import { prepareResume } from "../store/finish/prepare-resume.ts";
import { crashedSeconds } from "../store/folder/crashed-seconds.ts";
import { type CrawlState, readCrawlState, writeCrawlState } from "../store/folder/crawl-folder.ts";
import { createLockedFolder, type NewCrawl } from "../store/folder/create-folder.ts";
import { type FolderLock, lockFolder } from "../store/folder/folder-lock.ts";
import { lostFolder } from "../store/folder/lease.ts";
import { NO_RUNS, type RunHistory } from "../store/folder/run-history.ts";

/** The folder of a crawl, which is this process's from `hold` to `release`, and its state. */
export class HeldFolder {
  readonly #out: string;
  readonly #lock: FolderLock;
  readonly #history: RunHistory;
  #state: CrawlState;
  /** Seconds of the run before, if it was killed. */
  readonly crashedSeconds: number = 0;

  /** Creates the folder, or takes one that holds a crawl; `onLost` is called when another process has taken it. */
  static hold(
    asked: CrawlConfig,
    out: string,
    resumes: boolean,
    onLost: (fault: OrbweaverError) => void,
  ): HeldFolder {
    const lost = () => onLost(lostFolder(lock.path));
    const lock: FolderLock = resumes
      ? lockFolder(out, lost)
      : createLockedFolder(out, Date.now(), newCrawl(asked), lost);
    try {
      return new HeldFolder(asked, out, resumes, lock);
    } catch (fault) {
      lock.release();
      throw fault;
    }
  }

  private constructor(asked: CrawlConfig, out: string, resumes: boolean, lock: FolderLock) {
    this.#out = out;
    this.#lock = lock;
    this.#state = readCrawlState(out)!;
    if (resumes) {
      // A program may hand in any configuration. Nothing has been touched yet.
      requireUnchanged({ ...this.#state.config, out }, asked);
      this.#state = prepareResume(out, this.#state);
      if (this.#state.ended === "running")
        this.crashedSeconds = crashedSeconds(out, this.#state.began);
    }
    this.#history = historyOf(this.#state, resumes, this.crashedSeconds);
    const history = this.#history;
    this.#state = { ...this.#state, ended: "running", config: keptConfig(asked), history };
  }

  get state(): CrawlState {
    return this.#state;
  }

  /** What the runs before this one did. */
  get history(): RunHistory {
    return this.#history;
  }

  /** By which threads know that the folder is still this process's. */
  get lease(): { readonly path: string; readonly token: string } {
    return { path: this.#lock.path, token: this.#lock.token };
  }

  /** Looks up what consent to private hosts means, and notes that a run has begun. */
  async begin(config: CrawlConfig): Promise<void> {
    const began = new Date().toISOString();
    this.keep({ consents: await pinConsents(config, this.#state.consents), began });
  }

  /** Changes the state, which is durable then. */
  keep(change: Partial<CrawlState>): void {
    this.#lock.check();
    this.#state = { ...this.#state, ...change };
    writeCrawlState(this.#out, this.#state);
  }

  /** Throws when another process has taken the folder. */
  check(): void {
    this.#lock.check();
  }

  release(): void {
    this.#lock.release();
  }
}

function newCrawl(asked: CrawlConfig): NewCrawl {
  const random = randomBytes(8);
  return {
    frontier: asked.frontier,
    seedLow: asked.worker?.seedLow ?? random.readUInt32LE(0),
    seedHigh: asked.worker?.seedHigh ?? random.readUInt32LE(4),
    ...(frontierTraits(asked).isElsewhere
      ? {}
      : { journals: frontierTraits(asked).isDurable ? asked.shards : 0 }),
    config: keptConfig(asked),
  };
}

/**
 * The runs before one that begins. A state names the runs before its newest one while that goes on, and with it when it
 * has ended: so the newest one is only missing after a crash.
 */
function historyOf(state: CrawlState, resumes: boolean, lostSeconds: number): RunHistory {
  const { history, ended } = state;
  if (!resumes) return NO_RUNS;
  // Earlier versions kept nothing.
  if (history === undefined) return { ...NO_RUNS, runs: 1, seconds: lostSeconds };
  if (ended !== "running") return history;
  return { ...history, runs: history.runs + 1, seconds: history.seconds + lostSeconds };
}

/** Adds to an error about damaged files what to do next, where that helps and is not said. */
export function withCure(fault: unknown, dir: string): unknown {
  if (!(fault instanceof OrbweaverError) || fault.exitCode !== EXIT.corrupt) return fault;
  if (/orbweaver recover|another version/.test(fault.message)) return fault;
  const message = `${fault.message}; orbweaver recover ${dir} keeps everything that is intact`;
  return new StoreCorruptError(message, fault);
}
