import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { SharedEvidence } from "./shared-evidence.ts";

/** The last pages, of which shares are computed. */
const WINDOW = 256;

/** What one page adds to the evidence about its family of URLs. */
export interface Evidence {
  /** The same page was seen before, and so was the page it was found on: copies that lead to copies. */
  readonly copy: boolean;
  /** Such a copy with new links: copies that lead nowhere new do no harm, however many there are. */
  readonly leads: boolean;
  /** The same but for numbers and its own address. */
  readonly looseCopy: boolean;
  /** Found on a page of the same family, and leading to nothing new outside it. */
  readonly inbred: boolean;
  /** Its date is far from now. */
  readonly stray: boolean;
}

const COPY = 1;
const LOOSE = 2;
const INBRED = 4;
const LEADS = 8;

/** The evidence about one family of URLs: totals of all threads, and shares among this thread's last pages. */
export class Family {
  /** Totals of all threads when this one last had a page of the family. */
  pages = 0;
  copies = 0;
  looseCopies = 0;
  strayDates = 0;
  readonly #shared: SharedEvidence;
  readonly #fingerprint: number;
  /** Allocated at the first suspicious page, because there are very many honest families. */
  #window: Uint8Array | undefined;
  #seen = 0;
  readonly #recent = { copies: 0, loose: 0, inbred: 0, leads: 0 };

  /** The name identifies the family in all threads. */
  constructor(name: string, shared: SharedEvidence) {
    this.#shared = shared;
    fingerprint(name, 0, 0);
    this.#fingerprint = lastFingerprint.high & ~3;
  }

  /** Adds one page. */
  add({ copy, leads, looseCopy, inbred, stray }: Evidence): void {
    const slot = this.#seen++ % WINDOW;
    const bits =
      (copy ? COPY : 0) | (looseCopy ? LOOSE : 0) | (inbred ? INBRED : 0) | (leads ? LEADS : 0);
    if (bits !== 0) this.#window ??= new Uint8Array(WINDOW);
    if (this.#window !== undefined) {
      this.#count(this.#window[slot]!, -1);
      this.#window[slot] = bits;
      this.#count(bits, 1);
    }
    this.pages = this.#total(0);
    if (copy) this.copies = this.#total(1);
    if (looseCopy) this.looseCopies = this.#total(2);
    if (stray) this.strayDates = this.#total(3);
  }

  /** Shares among the last pages, from 0 to 1; that of copies is 0 when none of them leads on. */
  get copyShare(): number {
    return this.#recent.leads === 0 ? 0 : this.#recent.copies / this.#inWindow;
  }

  get looseShare(): number {
    return this.#recent.loose / this.#inWindow;
  }

  get inbredShare(): number {
    return this.#recent.inbred / this.#inWindow;
  }

  get #inWindow(): number {
    return Math.max(1, Math.min(this.#seen, WINDOW));
  }

  #total(what: 0 | 1 | 2 | 3): number {
    return this.#shared.count((this.#fingerprint | what) >>> 0);
  }

  #count(bits: number, amount: number): void {
    if (bits & COPY) this.#recent.copies += amount;
    if (bits & LOOSE) this.#recent.loose += amount;
    if (bits & LEADS) this.#recent.leads += amount;
    if (bits & INBRED) this.#recent.inbred += amount;
  }
}
