import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { SharedEvidence } from "./shared-evidence.ts";

/** The last pages, of which shares are computed. */
const WINDOW = 256;

/** What one page adds to the evidence about its family of URLs, as bits; 0 for nearly all pages. */
export const EVIDENCE = {
  /** The same page was seen before, and so was the page it was found on: copies that lead to copies. */
  copy: 1,
  /** The same but for numbers and its own address. */
  looseCopy: 2,
  /** Found on a page of the same family, and leading to nothing new outside it. */
  inbred: 4,
  /** Such a copy with new links: copies that lead nowhere new do no harm, however many there are. */
  leads: 8,
  /** Its date is far from now. */
  stray: 16,
  /** It looks like the page it was found on. */
  alike: 32,
} as const;

/** The evidence about one family of URLs: totals of all threads, and shares among this thread's last pages. */
export class Family {
  /** Totals of all threads when this one last had a page of the family; `pages` only where it counts them. */
  pages = 0;
  copies = 0;
  looseCopies = 0;
  strayDates = 0;
  /**
   * Its pages in this thread, counted by the caller. For nearly all that is everything there is to do: `add` is called for
   * those that are evidence, and for all as soon as the family is watched.
   */
  seen = 0;
  isWatched: boolean;
  /** One of its pages was evidence against it. */
  hasSuspects = false;
  readonly countsPages: boolean;
  /** A segment of its URLs may be variable. */
  readonly hasVariable: boolean;
  readonly #shared: SharedEvidence;
  readonly #fingerprint: number;
  /** Allocated at the first suspicious page, because there are very many honest families. */
  #window: Uint8Array | undefined;
  #recentCopies = 0;
  #recentLoose = 0;
  #recentInbred = 0;
  #recentLeads = 0;

  /** Name and pattern, or the reason of suspicious spelling, identify the family in all threads. */
  constructor(name: string, pattern: string, shared: SharedEvidence) {
    this.#shared = shared;
    fingerprint(name + pattern, 0, 0);
    this.#fingerprint = lastFingerprint.high & ~3;
    const isOdd = pattern.startsWith("trap_");
    this.hasVariable = isOdd || pattern.endsWith("*");
    // Only pages with a query, and those of suspicious spelling, are judged by their number.
    this.countsPages = this.hasVariable || pattern.endsWith("?");
    this.isWatched = this.countsPages;
  }

  /** Adds what the page that was counted last is evidence of: bits of `EVIDENCE`. */
  add(evidence: number): void {
    if (this.countsPages) this.pages = this.#total(0);
    if (evidence === 0 && !this.hasSuspects) return;
    this.hasSuspects = true;
    this.isWatched = true;
    const slot = (this.seen - 1) % WINDOW;
    this.#window ??= new Uint8Array(WINDOW);
    this.#count(this.#window[slot]!, -1);
    this.#window[slot] = evidence;
    this.#count(evidence, 1);
    if (evidence & EVIDENCE.copy) this.copies = this.#total(1);
    if (evidence & EVIDENCE.looseCopy) this.looseCopies = this.#total(2);
    if (evidence & EVIDENCE.stray) this.strayDates = this.#total(3);
  }

  /** Shares among the last pages, from 0 to 1; that of copies is 0 when none of them leads on. */
  get copyShare(): number {
    return this.#recentLeads === 0 ? 0 : this.#recentCopies / this.#inWindow;
  }

  get looseShare(): number {
    return this.#recentLoose / this.#inWindow;
  }

  get inbredShare(): number {
    return this.#recentInbred / this.#inWindow;
  }

  get #inWindow(): number {
    return Math.max(1, Math.min(this.seen, WINDOW));
  }

  #total(what: 0 | 1 | 2 | 3): number {
    return this.#shared.count((this.#fingerprint | what) >>> 0);
  }

  #count(evidence: number, amount: number): void {
    if (evidence & EVIDENCE.copy) this.#recentCopies += amount;
    if (evidence & EVIDENCE.looseCopy) this.#recentLoose += amount;
    if (evidence & EVIDENCE.leads) this.#recentLeads += amount;
    if (evidence & EVIDENCE.inbred) this.#recentInbred += amount;
  }
}
