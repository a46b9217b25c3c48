import { fingerprint, lastFingerprint } from "../hash/fingerprint.ts";
import type { SiteTable } from "../sync/site-table.ts";
import { siteOf } from "../url/site.ts";
import type { Lease } from "./host.ts";

/** When all places of a site are reserved, its URLs are looked at again after this long. */
export const BUDGET_RETRY_MS = 20;

/**
 * `--max-pages-per-site`. A place is reserved when a URL is leased and returned by every outcome other than a page, so the
 * limit is reached exactly and never exceeded.
 */
export interface SiteBudget {
  /** Gives the lease its share; false when it has to wait until others have ended. */
  tryReserve(lease: Lease): boolean;
  /** The lease brought no page. */
  giveBack(lease: Lease): void;
  /** The lease became a page. */
  page(lease: Lease): void;
}

/** Names a site by the halves of its fingerprint. */
export function siteKey(low: number, high: number): string {
  return `${low >>> 0} ${high >>> 0}`;
}

/** What the owner of a site needs to count its pages. */
export interface OwnedBudgetParts {
  /** Pages that a site may have; Infinity: nobody counts them. */
  readonly limitOf: (site: string) => number;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Committed pages of the sites of a shard, as its journal knows them. */
  readonly pagesOf: (shard: number) => ReadonlyMap<string, number>;
  /** Journals one more page, in the batch that ends its visit. */
  readonly count: (shard: number, low: number, high: number) => void;
}

/** The budgets of the sites that one thread owns: it alone leases their URLs, also to other threads. */
export class OwnedSiteBudget implements SiteBudget {
  readonly #parts: OwnedBudgetParts;
  readonly #reserved = new Map<string, number>();

  constructor(parts: OwnedBudgetParts) {
    this.#parts = parts;
  }

  tryReserve(lease: Lease): boolean {
    const { limitOf, pagesOf } = this.#parts;
    const limit = limitOf(siteOf(lease.host.name));
    if (limit === Number.POSITIVE_INFINITY) return true;
    const { low, high } = this.#siteOf(lease);
    const key = siteKey(low, high);
    const pages = pagesOf(lease.shard).get(key) ?? 0;
    const reserved = this.#reserved.get(key) ?? 0;
    if (pages >= limit) lease.budget = "spent";
    else if (pages + reserved >= limit) return false;
    else {
      this.#reserved.set(key, reserved + 1);
      lease.budget = "held";
    }
    return true;
  }

  giveBack(lease: Lease): void {
    if (lease.budget === "held") {
      const { low, high } = this.#siteOf(lease);
      this.#free(siteKey(low, high));
    }
    lease.budget = undefined;
  }

  page(lease: Lease): void {
    const isHeld = lease.budget === "held";
    lease.budget = undefined;
    // One that was leased before there was a budget counts all the same.
    if (!isHeld && this.#parts.limitOf(siteOf(lease.host.name)) === Number.POSITIVE_INFINITY)
      return;
    const { low, high } = this.#siteOf(lease);
    if (isHeld) this.#free(siteKey(low, high));
    this.#parts.count(lease.shard, low, high);
  }

  #free(key: string): void {
    const reserved = this.#reserved.get(key)! - 1;
    if (reserved > 0) this.#reserved.set(key, reserved);
    else this.#reserved.delete(key);
  }

  #siteOf({ host }: Lease): { low: number; high: number } {
    fingerprint(siteOf(host.name), this.#parts.seedLow, this.#parts.seedHigh);
    return { low: lastFingerprint.low, high: lastFingerprint.high };
  }
}

/** The budgets of sites without owners, in a table that all threads share. */
export class SharedSiteBudget implements SiteBudget {
  readonly #table: SiteTable;
  readonly #seeds: { readonly seedLow: number; readonly seedHigh: number };

  constructor(table: SiteTable, seeds: { readonly seedLow: number; readonly seedHigh: number }) {
    this.#table = table;
    this.#seeds = seeds;
  }

  tryReserve(lease: Lease): boolean {
    const slot = this.#slotOf(lease);
    if (this.#table.tryReserve(slot)) lease.budget = "held";
    else if (this.#table.isSpent(slot)) lease.budget = "spent";
    else return false;
    return true;
  }

  giveBack(lease: Lease): void {
    if (lease.budget === "held") this.#table.giveBack(this.#slotOf(lease));
    lease.budget = undefined;
  }

  page(lease: Lease): void {
    this.#table.becomePage(this.#slotOf(lease));
    lease.budget = undefined;
  }

  #slotOf({ host }: Lease): number {
    fingerprint(siteOf(host.name), this.#seeds.seedLow, this.#seeds.seedHigh);
    return this.#table.slotOf(lastFingerprint.low, lastFingerprint.high);
  }
}
