import { siteOf } from "../url/site.ts";
import { Site } from "./host.ts";

/** What has just left may be back in a moment, with the links of a page that is being committed: it still counts for so long. */
const LINGER_MS = 2000;
/** Of a site's share of the places; the rest is for the others. */
const SHARE_PERCENT = 25;

/**
 * How many of a thread's places in flight one site may hold: a quarter as long as another site has something to fetch,
 * also if its hosts only wait for their time, and all of them when it is alone. Without this a site with many host names
 * and slow answers would take every place of a thread.
 */
export class SiteShares {
  /** Places that a site may hold beside others. */
  share = 1;
  readonly #lingerMs: number;
  readonly #sites = new Map<string, Site>();
  #active = 0;
  /** Since when there is at most one active site. */
  #aloneMs = Number.NEGATIVE_INFINITY;
  /** The thread's time, as it was told last. */
  nowMs = 0;

  /** `places` is L of the thread; Infinity for no bound. */
  constructor(places: number, lingerMs: number = LINGER_MS) {
    this.#lingerMs = lingerMs;
    this.setPlaces(places);
  }

  /** The thread has so many places from now on. */
  setPlaces(places: number): void {
    this.share = Math.max(1, Math.ceil((places * SHARE_PERCENT) / 100));
  }

  /** Sites that have something to fetch or hold a place. */
  get active(): number {
    return this.#active;
  }

  /** From when on a site may use all places: never as long as another one is active. */
  get aloneFromMs(): number {
    return this.#active > 1 ? Number.POSITIVE_INFINITY : this.#aloneMs + this.#lingerMs;
  }

  /** The site of a host that comes into memory; `release` must follow when it leaves. */
  of(hostname: string): Site {
    const name = siteOf(hostname);
    let site = this.#sites.get(name);
    if (site === undefined) {
      site = new Site(name);
      this.#sites.set(name, site);
    }
    site.hosts++;
    return site;
  }

  /** A host of the site leaves memory. */
  release(site: Site): void {
    site.hosts--;
    this.#forgetIfUnused(site);
  }

  /** One more thing of this site waits: a host, or a URL. */
  waits(site: Site): void {
    site.waiting++;
    this.#noteActive(site);
  }

  /** It waits no longer. */
  waitsNoMore(site: Site): void {
    site.waiting--;
    this.#noteActive(site);
  }

  /** A visit of this site takes a place. */
  hold(site: Site): void {
    site.held++;
    if (!site.isActive) this.#noteActive(site);
  }

  /** The place is free again; true when the site may now hold another one. */
  leave(site: Site): boolean {
    site.held--;
    if (site.held === 0) {
      this.#noteActive(site);
      this.#forgetIfUnused(site);
    }
    return site.held < this.share;
  }

  /** Whether the site has to wait for one of its own places. */
  isFull(site: Site): boolean {
    return site.held >= this.share && this.nowMs < this.aloneFromMs;
  }

  #forgetIfUnused(site: Site): void {
    if (site.hosts === 0 && site.held === 0) this.#sites.delete(site.name);
  }

  #noteActive(site: Site): void {
    const isActive = site.held + site.waiting > 0;
    if (isActive === site.isActive) return;
    site.isActive = isActive;
    this.#active += isActive ? 1 : -1;
    if (!isActive && this.#active === 1) this.#aloneMs = this.nowMs;
  }
}
