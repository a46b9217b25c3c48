/** Whether a site's next page may be fetched: yes, not before others have ended, or never again. */
export type BudgetAnswer = "yes" | "wait" | "spent";

/**
 * Counts the pages of the sites that one crawler thread owns. A place is reserved before the fetch and returned by every
 * outcome other than a page, so the limit is reached exactly and never exceeded.
 */
export class SiteBudget {
  readonly #limit: number;
  readonly #pages = new Map<string, number>();
  readonly #reserved = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reserves a place for a page of the site. */
  reserve(site: string): BudgetAnswer {
    const pages = this.#pages.get(site) ?? 0;
    const reserved = this.#reserved.get(site) ?? 0;
    if (pages >= this.#limit) return "spent";
    if (pages + reserved >= this.#limit) return "wait";
    this.#reserved.set(site, reserved + 1);
    return "yes";
  }

  /** Ends a reservation. */
  settle(site: string, isPage: boolean): void {
    const reserved = (this.#reserved.get(site) ?? 0) - 1;
    if (reserved > 0) this.#reserved.set(site, reserved);
    else this.#reserved.delete(site);
    if (isPage) this.#pages.set(site, (this.#pages.get(site) ?? 0) + 1);
  }
}
