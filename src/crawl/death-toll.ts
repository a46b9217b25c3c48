/** A worker that dies this often without a page in between dies of something that starting it again does not cure. */
export const MAX_DEATHS_WITHOUT_PAGE = 5;

/** Counts the deaths since the last page. */
export class DeathToll {
  #deaths = 0;
  #pages = -1;

  /** One more worker died when this many pages were committed; true when it is time to give up. */
  isTooHigh(pages: number): boolean {
    this.#deaths = pages === this.#pages ? this.#deaths + 1 : 1;
    this.#pages = pages;
    return this.#deaths > MAX_DEATHS_WITHOUT_PAGE;
  }
}
