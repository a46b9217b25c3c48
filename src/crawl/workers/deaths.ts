/** After this many deaths without a page in between, starting another thread is no cure. */
export const MAX_DEATHS_WITHOUT_PAGE = 5;

/** Counts the deaths of workers since the last page. */
export class Deaths {
  #deaths = 0;
  #pagesAtDeath = -1;

  /** One more worker died, when there were that many pages; true when it is time to give up. */
  areTooMany(pages: number): boolean {
    this.#deaths = pages === this.#pagesAtDeath ? this.#deaths + 1 : 1;
    this.#pagesAtDeath = pages;
    return this.#deaths > MAX_DEATHS_WITHOUT_PAGE;
  }
}
