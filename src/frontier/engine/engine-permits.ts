import type { PageLimit } from "../page-limit.ts";
import type { Engine } from "./engine.ts";

/** When there is none, others are asked for after this long. */
const ASK_AGAIN_MS = 50;

/**
 * The permits of `--max-pages` that one holder has. They are asked for when there is a URL to fetch and none is free, and
 * go back when nothing wants them, so that no holder sits on what another one needs. A permit becomes a page when the
 * engine has accepted the end of its visit.
 */
export class EnginePermits {
  readonly #limit: PageLimit;
  #engine: Engine;
  readonly #post: (answer: () => void) => void;
  readonly #exists: boolean;
  #granted = 0;
  #returned = 0;
  #spent = 0;
  /** With visits, or with pages that are not settled. */
  #used = 0;
  #isAsking = false;
  /** Of the totals above, as the engine knows them. */
  #toldSpent = 0;
  #toldReturned = 0;
  /** Not asked for more before. */
  #nextMs = 0;
  #left = Number.POSITIVE_INFINITY;
  /** The last look found a URL and no permit. */
  isWanted = false;

  /** `post` runs an answer in the thread's round. */
  constructor(limit: PageLimit, engine: Engine, post: (answer: () => void) => void) {
    this.#limit = limit;
    this.#engine = engine;
    this.#post = post;
    this.#exists = limit.maxPages !== undefined;
  }

  /** Held by this thread, free or not. */
  get held(): number {
    return this.#exists ? this.#granted - this.#returned - this.#spent : 0;
  }

  get #free(): number {
    return this.held - this.#used;
  }

  /** Neither here nor in the engine is a free one. */
  get isExhausted(): boolean {
    return this.#exists && this.#free === 0 && this.#left <= 0;
  }

  /** True when one was wanted and there is one now. */
  get isBack(): boolean {
    return this.isWanted && this.#free > 0;
  }

  /** Everything is told, and nothing is kept back. */
  get isSettled(): boolean {
    return !this.#isAsking && this.#toldSpent === this.#spent && (!this.#exists || this.held === 0);
  }

  tryTake(): boolean {
    if (!this.#exists) return true;
    if (this.#free > 0) {
      this.#used++;
      return true;
    }
    this.isWanted = true;
    return false;
  }

  /** The visit brought no page. */
  giveBack(): void {
    if (this.#exists) this.#used--;
  }

  /** The engine has accepted a page. */
  page(): void {
    this.#spent++;
    if (this.#exists) this.#used--;
    this.#limit.count();
  }

  /** The engine did not accept it: the dead holder's permits are counted without it. */
  late(): void {
    this.giveBack();
  }

  /** Tells the engine what has changed and asks for `wanted` more; again after a while when there was none. Free ones go back if nobody wants them. */
  talk(wanted: number, nowMs: number, mayReturn: boolean): void {
    if (this.#isAsking) return;
    if (this.#exists && mayReturn && !this.isWanted) this.#returned += this.#free;
    const mayAsk = this.#exists && this.isWanted && this.#free === 0 && nowMs >= this.#nextMs;
    const asks = mayAsk ? wanted : 0;
    const isNews = this.#toldSpent !== this.#spent || this.#toldReturned !== this.#returned;
    if (!isNews && asks === 0) return;
    this.#isAsking = true;
    const spent = this.#spent;
    const returned = this.#returned;
    const engine = this.#engine;
    engine.permits({ granted: this.#granted, returned, spent }, asks, (answer) =>
      this.#post(() => {
        if (engine !== this.#engine) return;
        this.#isAsking = false;
        this.#toldSpent = spent;
        this.#toldReturned = returned;
        if (asks > 0 && answer.granted === this.#granted) this.#nextMs = nowMs + ASK_AGAIN_MS;
        this.#granted = answer.granted;
        this.#left = answer.left;
        const { maxPages } = this.#limit;
        if (maxPages !== undefined && answer.pages >= maxPages) this.#limit.reached();
      }),
    );
  }

  /** This holder was given up: as another one it has nothing. What is in flight holds no permit then. */
  restart(engine: Engine): void {
    this.#engine = engine;
    this.#granted = this.#used;
    this.#returned = 0;
    this.#spent = 0;
    this.#toldSpent = 0;
    this.#toldReturned = 0;
    this.#isAsking = false;
  }
}
