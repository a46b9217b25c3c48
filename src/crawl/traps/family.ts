/** Pages looked back at when a share is taken. */
const WINDOW = 256;

/** What one page adds to the evidence about its family of URLs. */
export interface Evidence {
  /** The same page was met before, and so was the page it was found on: copies that lead to copies. */
  readonly copy: boolean;
  /** The same but for numbers. */
  readonly looseCopy: boolean;
  /** Found on a page of the same family, and leading to nothing new outside it. */
  readonly inbred: boolean;
}

const COPY = 1;
const LOOSE = 2;
const INBRED = 4;

/** The evidence about one family of URLs: all there ever was, and that of the last pages. */
export class Family {
  pages = 0;
  copies = 0;
  looseCopies = 0;
  /** Pages whose date lies far from now. */
  strayDates = 0;
  #window: Uint8Array | undefined;
  readonly #recent = { copies: 0, loose: 0, inbred: 0 };

  /** Takes in one page. */
  add({ copy, looseCopy, inbred }: Evidence): void {
    this.#window ??= new Uint8Array(WINDOW);
    const slot = this.pages % WINDOW;
    this.#count(this.#window[slot]!, -1);
    const bits = (copy ? COPY : 0) | (looseCopy ? LOOSE : 0) | (inbred ? INBRED : 0);
    this.#window[slot] = bits;
    this.#count(bits, 1);
    this.pages++;
    if (copy) this.copies++;
    if (looseCopy) this.looseCopies++;
  }

  /** Shares among the last pages, from 0 to 1. */
  get copyShare(): number {
    return this.#recent.copies / this.#seen;
  }

  get looseShare(): number {
    return this.#recent.loose / this.#seen;
  }

  get inbredShare(): number {
    return this.#recent.inbred / this.#seen;
  }

  get #seen(): number {
    return Math.max(1, Math.min(this.pages, WINDOW));
  }

  #count(bits: number, amount: number): void {
    if (bits & COPY) this.#recent.copies += amount;
    if (bits & LOOSE) this.#recent.loose += amount;
    if (bits & INBRED) this.#recent.inbred += amount;
  }
}
