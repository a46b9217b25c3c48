import { WaitingTurns } from "./waiting-turns.ts";

/** Lists may be large, and what is kept of them lies in memory until they have been read. */
const MAX_LISTS = 2;
/** How long a list takes, before one has been read. */
const FIRST_GUESS_MS = 1000;
/** When there are so many sites whose lists wait, their turns are estimated anew. */
const MAX_SITES = 1024;

/** Sitemaps and feeds that a thread fetches at a time: one of each site, so that a slow one delays only its own site's. */
export class ListPlaces {
  readonly #sites = new Map<string, number>();
  readonly #turns = new WaitingTurns(MAX_LISTS, FIRST_GUESS_MS);
  /** Of sites with more lists than one; the others have no turns to wait for. */
  readonly #siteTurns = new Map<string, WaitingTurns>();

  /** 0 when a list of this site may be fetched (then `leave` must follow), otherwise when to come back. */
  enter(site: string, nowMs: number): number {
    if (this.#sites.has(site)) {
      return this.#turnsOf(site).nextMs(nowMs);
    }
    if (this.#sites.size >= MAX_LISTS) return this.#turns.nextMs(nowMs);
    this.#sites.set(site, nowMs);
    return 0;
  }

  /** The list has been fetched, or had to be put off before it was asked for. */
  leave(site: string, nowMs: number, isPostponed: boolean): void {
    const tookMs = nowMs - this.#sites.get(site)!;
    this.#sites.delete(site);
    if (isPostponed) return;
    this.#turns.ended(tookMs);
    this.#siteTurns.get(site)?.ended(tookMs);
  }

  #turnsOf(site: string): WaitingTurns {
    let turns = this.#siteTurns.get(site);
    if (turns === undefined) {
      if (this.#siteTurns.size >= MAX_SITES) this.#siteTurns.clear();
      turns = new WaitingTurns(1, FIRST_GUESS_MS);
      this.#siteTurns.set(site, turns);
    }
    return turns;
  }
}
