import { WaitingTurns } from "../../fetch/waiting-turns.ts";
import { siteOf } from "../../url/site.ts";

/** Hardly any honest page costs so much CPU time. */
const COSTLY_MS = 400;
/** A site waits for so many times what its last page cost: so it gets at most a fifth of a thread's time. */
const REST_FACTOR = 4;
/** How long it takes to read a page that cannot be read at once. */
const FIRST_GUESS_MS = 200;
/** When there are so many, those that nothing is read of are forgotten. */
const MAX_SITES = 1024;

interface CostlySite {
  /** Pages that are being decoded slice by slice. */
  reading: number;
  /** Nothing is asked for before. */
  freeMs: number;
  /** How long it waits after the next page, if that is not known to be cheap. */
  pauseMs: number;
  readonly turns: WaitingTurns;
}

/**
 * Sites whose pages cost much CPU time come after the others. As long as a page is being decoded nothing more is asked
 * for, because it would only wait in a place; and after one that cost much they wait for a multiple of it.
 */
export class CostlySites {
  readonly #sites = new Map<string, CostlySite>();
  readonly #clock: () => number;
  /** No site waits, as nearly always. */
  isQuiet = true;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A page of this host cannot be read at once: `end` must follow. */
  begin(hostname: string): void {
    this.#of(hostname).reading++;
  }

  end(hostname: string): void {
    const name = siteOf(hostname);
    const site = this.#sites.get(name)!;
    site.reading--;
    if (site.reading === 0 && site.pauseMs === 0) this.#drop(name);
  }

  /** A page of this host, or another file of it, took so long. */
  note(hostname: string, costMs: number): void {
    if (costMs < COSTLY_MS) return;
    const site = this.#of(hostname);
    site.pauseMs = REST_FACTOR * costMs;
    site.freeMs = Math.max(site.freeMs, this.#clock()) + site.pauseMs;
    site.turns.ended(site.pauseMs);
  }

  /** 0 when a page of this host may be fetched now; otherwise when to come back. */
  untilFree(hostname: string): number {
    if (this.isQuiet) return 0;
    const name = siteOf(hostname);
    const site = this.#sites.get(name);
    if (site === undefined) return 0;
    const nowMs = this.#clock();
    if (site.reading > 0 || site.freeMs > nowMs)
      return Math.max(site.freeMs, site.turns.nextMs(nowMs));
    // The next one is expected to cost as much; if it does not, this was the last pause.
    site.freeMs = nowMs + site.pauseMs;
    if (site.pauseMs === 0) this.#drop(name);
    site.pauseMs = 0;
    return 0;
  }

  #of(hostname: string): CostlySite {
    const name = siteOf(hostname);
    let site = this.#sites.get(name);
    if (site === undefined) {
      if (this.#sites.size >= MAX_SITES) this.#forget();
      site = { reading: 0, freeMs: 0, pauseMs: 0, turns: new WaitingTurns(1, FIRST_GUESS_MS) };
      this.#sites.set(name, site);
      this.isQuiet = false;
    }
    return site;
  }

  #drop(name: string): void {
    this.#sites.delete(name);
    this.isQuiet = this.#sites.size === 0;
  }

  #forget(): void {
    for (const [name, { reading }] of this.#sites) if (reading === 0) this.#sites.delete(name);
  }
}
