import { BYTES_COUNTER } from "../../frontier/fold/shard-state.ts";
import { OUTCOME } from "../../frontier/frontier.ts";
import { decodeEvents } from "../../frontier/journal/event-cursor.ts";
import type { HostNote } from "../../frontier/journal/host-note.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { urlFingerprint } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Plan } from "./plan.ts";
import type { SimDisk } from "./sim-disk.ts";
import { addressOf } from "./sim-web.ts";

/** A promise was broken. */
export class Violation extends Error {}

/** Seeds of the fingerprints of every simulated crawl. */
export const SEED_LOW = 5;
export const SEED_HIGH = 6;

/** What a crawl was asked to keep to. */
type Promises = Pick<Plan, "delayMs" | "maxPages" | "maxPagesPerSite" | "maxBytes">;

/** What the journals say. */
interface Journalled {
  readonly admitted: ReadonlySet<CrawlUrl>;
  readonly done: ReadonlySet<CrawlUrl>;
  readonly pages: number;
  /** Pages of each site, and sites of which something was refused. */
  readonly sites: ReadonlyMap<string, number>;
  readonly refused: ReadonlySet<string>;
  readonly bytes: number;
}

/** Knows the truth, watches every request and every commit, and throws when a promise is broken. */
export class Oracle {
  #truth: ReadonlyMap<CrawlUrl, number> = new Map();
  /** Hosts that were blocked, as the caller was told: no thread that begins later asks them. */
  readonly blocked = new Set<string>();
  /** The caller was told that the crawl is paused. */
  isPaused = false;
  readonly #byPrint = new Map<string, CrawlUrl>();
  readonly #delayMs: number;
  readonly #maxPages: number;
  readonly #maxPagesPerSite: number;
  readonly #maxBytes: number;
  /** Bytes received: what the disk counted when the run began, and those of the run. */
  #bytes = 0;
  /** A thread died in this run, and with it bytes that were not counted. */
  #hasDeaths = false;
  /** Visits that are over and not lost by a crash since. */
  readonly #completed = new Set<CrawlUrl>();
  readonly #inFlight = new Map<CrawlUrl, number>();
  readonly #busyHosts = new Set<string>();
  readonly #endedMs = new Map<string, number>();
  /** When an address was last asked. */
  readonly #startedMs = new Map<string, number>();
  /** What each host asked for: its own delay, and until when it is to be left alone. */
  readonly #asked = new Map<string, { delayMs: number; heldMs: number }>();
  /** Visits that had to be repeated because they were not committed at a crash. */
  repeated = 0;
  requests = 0;

  constructor(truth: ReadonlyMap<CrawlUrl, number>, plan: Promises) {
    this.learn(truth);
    this.#delayMs = plan.delayMs;
    this.#maxPages = plan.maxPages ?? Number.POSITIVE_INFINITY;
    this.#maxPagesPerSite = plan.maxPagesPerSite ?? Number.POSITIVE_INFINITY;
    this.#maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** What a crawl must visit from now on: seeds were added. */
  learn(truth: ReadonlyMap<CrawlUrl, number>): void {
    this.#truth = truth;
    for (const url of truth.keys()) {
      urlFingerprint(url, SEED_LOW, SEED_HIGH);
      this.#byPrint.set(`${lastFingerprint.low} ${lastFingerprint.high}`, url);
    }
  }

  /** Requests that are under way. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** A request goes out; answers its number. One for an owner that died meanwhile has to be polite, no more. */
  asked(url: CrawlUrl, host: string, nowMs: number, isOrphan: boolean): number {
    this.requests++;
    if (!this.#truth.has(url)) throw new Violation(`${url} cannot be reached`);
    if (this.isPaused) throw new Violation(`${url} is asked for while the crawl is paused`);
    if (this.#bytes >= this.#maxBytes)
      throw new Violation(`${url} is asked for after ${this.#bytes} of ${this.#maxBytes} bytes`);
    if (!isOrphan && this.#completed.has(url)) {
      throw new Violation(`${url} is fetched again without need`);
    }
    if (!isOrphan && this.#inFlight.has(url))
      throw new Violation(`${url} is fetched twice at once`);
    if (this.#busyHosts.has(host)) throw new Violation(`${host} is asked twice at once`);
    const gapMs = nowMs - (this.#endedMs.get(host) ?? Number.NEGATIVE_INFINITY);
    const { delayMs, heldMs } = this.#asked.get(host) ?? { delayMs: this.#delayMs, heldMs: 0 };
    if (gapMs < delayMs) {
      throw new Violation(`${host} is asked after ${gapMs} ms, not ${delayMs} ms`);
    }
    if (nowMs < heldMs) throw new Violation(`${host} is asked ${heldMs - nowMs} ms too early`);
    this.#startAt(addressOf(url), nowMs);
    if (!isOrphan) this.#inFlight.set(url, this.requests);
    this.#busyHosts.add(host);
    return this.requests;
  }

  /** Hosts of one address are spaced by a tenth of the delay, from start to start. */
  #startAt(address: string, nowMs: number): void {
    const gapMs = nowMs - (this.#startedMs.get(address) ?? Number.NEGATIVE_INFINITY);
    if (gapMs < this.#delayMs / 10) {
      throw new Violation(`the address of ${address} is asked again after ${gapMs} ms`);
    }
    this.#startedMs.set(address, nowMs);
  }

  /** The request is over, by an answer or because its thread died. False when nobody waits for it any more. */
  answered(url: CrawlUrl, host: string, nowMs: number, request: number): boolean {
    const isWanted = this.#inFlight.get(url) === request;
    if (isWanted) this.#inFlight.delete(url);
    this.#busyHosts.delete(host);
    this.#endedMs.set(host, nowMs);
    return isWanted;
  }

  /** A host tells its own delay, and maybe until when it wants to be left alone. */
  heard(host: string, delayMs: number, untilMs: number): void {
    const heldMs = Math.max(untilMs, this.#asked.get(host)?.heldMs ?? 0);
    this.#asked.set(host, { delayMs, heldMs });
  }

  /**
   * A thread begins anew: of the hosts that `concerns` it knows what is durable. A pause is kept in wall time, so one
   * that was noted before the wall clock jumped may be shorter.
   */
  recalled(disk: SimDisk, wallAheadMs: number, concerns: (url: CrawlUrl) => boolean): void {
    if (this.#asked.size === 0) return;
    const notes = new Map<string, HostNote>();
    for (const shard of disk.journals.keys()) {
      for (const batch of disk.batches(shard)) {
        for (const event of decodeEvents(batch))
          if (event.kind === "host") notes.set(`${event.low} ${event.high}`, event);
      }
    }
    for (const url of this.#truth.keys()) {
      const name = hostnameOf(url);
      const asked = this.#asked.get(name);
      if (asked === undefined || !concerns(url)) continue;
      fingerprint(name, SEED_LOW, SEED_HIGH);
      const note = notes.get(`${lastFingerprint.low} ${lastFingerprint.high}`);
      const delayMs = note?.delayMs ?? this.#delayMs;
      const heldMs = Math.min(asked.heldMs, (note?.untilWallMs ?? 0) - wallAheadMs);
      this.#asked.set(name, { delayMs, heldMs });
    }
  }

  /** A run begins with what is on disk. */
  begun(disk: SimDisk): void {
    this.#bytes = this.#read(disk).bytes;
    this.#hasDeaths = false;
  }

  /** Bytes have arrived. */
  received(bytes: number): void {
    this.#bytes += bytes;
  }

  /** A thread has died. */
  died(): void {
    this.#hasDeaths = true;
  }

  /** The visit is over. */
  completed(url: CrawlUrl): void {
    this.#completed.add(url);
  }

  /** A crash or a death took what was not on disk: of the URLs that `concerns` only what is done there stays over. */
  lost(disk: SimDisk, concerns: (url: CrawlUrl) => boolean, most: number): void {
    const done = this.#read(disk).done;
    // What another thread fetches for a dead owner has no effect.
    for (const url of this.#inFlight.keys()) if (concerns(url)) this.#inFlight.delete(url);
    let lost = 0;
    for (const url of this.#completed) {
      if (done.has(url) || !concerns(url)) continue;
      this.#completed.delete(url);
      this.repeated++;
      lost++;
    }
    if (lost > most) throw new Violation(`${lost} visits are lost, more than ${most}`);
  }

  /** A crawl is resumed of which only the disk is known: what is done there is over. */
  resumed(disk: SimDisk): void {
    for (const url of this.#read(disk).done) this.#completed.add(url);
  }

  /** After a clean stop nothing may have to be repeated. */
  stopped(disk: SimDisk): void {
    const { done, bytes } = this.#read(disk);
    for (const url of this.#completed) {
      if (!done.has(url)) throw new Violation(`${url} is not committed after a clean stop`);
    }
    if (!this.#hasDeaths && bytes !== this.#bytes)
      throw new Violation(`${bytes} of ${this.#bytes} bytes are counted after a clean stop`);
  }

  /** What is durable must be right at any time. */
  check(disk: SimDisk): void {
    this.#read(disk.after(disk.safe));
  }

  /** The crawl says that it has ended. */
  ended(disk: SimDisk, reason: string): void {
    const { admitted, done, pages, sites, refused } = this.#read(disk.after(disk.safe));
    const all = [...this.#truth.values()].filter((outcome) => outcome === OUTCOME.page).length;
    if (reason === "limit") {
      if (pages !== this.#maxPages && this.#bytes < this.#maxBytes)
        throw new Violation(`the limit is ${this.#maxPages}, not ${pages}`);
      return;
    }
    if (this.blocked.size > 0) {
      // What is visited depends on how far the crawl was when a host was blocked.
      for (const url of admitted)
        if (!done.has(url)) throw new Violation(`it ended without ${url}`);
      return;
    }
    if (this.#maxPagesPerSite !== Number.POSITIVE_INFINITY) {
      // Which pages a site may have depends on the order, and so does what they link to.
      for (const url of [...admitted])
        if (!done.has(url)) throw new Violation(`it ended without ${url}`);
      for (const site of refused)
        if (sites.get(site) !== this.#maxPagesPerSite)
          throw new Violation(`${site} has ${sites.get(site)} pages and something was refused`);
      return;
    }
    if (all > this.#maxPages) throw new Violation("it finished although there is a limit to reach");
    for (const url of this.#truth.keys()) {
      if (!done.has(url)) throw new Violation(`it ended without ${url}`);
    }
  }

  #read(disk: SimDisk): Journalled {
    const admitted = new Set<CrawlUrl>();
    const done = new Set<CrawlUrl>();
    const sites = new Map<string, number>();
    const refused = new Set<string>();
    let pages = 0;
    let bytes = 0;
    for (const shard of disk.journals.keys()) {
      for (const batch of disk.batches(shard)) {
        for (const event of decodeEvents(batch)) {
          if (event.kind === "admit") {
            for (const { url } of event.found) {
              if (admitted.has(url)) throw new Violation(`${url} is admitted twice`);
              admitted.add(url);
            }
          } else if (event.kind === "done") {
            const url = this.#byPrint.get(`${event.low} ${event.high}`)!;
            if (done.has(url)) throw new Violation(`${url} is done twice`);
            const site = addressOf(url);
            const isRefused = event.outcome === OUTCOME.refused;
            if (isRefused) refused.add(site);
            const mayRefuse = this.#maxPagesPerSite !== Number.POSITIVE_INFINITY;
            if (isRefused && !mayRefuse && !this.blocked.has(hostnameOf(url)))
              throw new Violation(`${url} is refused without a reason`);
            if (!isRefused && event.outcome !== this.#truth.get(url))
              throw new Violation(`${url} ended wrongly`);
            const { where } = event;
            if (where !== undefined && disk.records[where.offset] !== url) {
              throw new Violation(`${url} is done without its record in the archive`);
            }
            done.add(url);
            if (event.outcome !== OUTCOME.page) continue;
            pages++;
            sites.set(site, (sites.get(site) ?? 0) + 1);
            if (sites.get(site)! > this.#maxPagesPerSite)
              throw new Violation(`${site} has more than ${this.#maxPagesPerSite} pages`);
          } else if (event.kind === "counted" && event.counter === BYTES_COUNTER)
            bytes += event.amount;
        }
      }
    }
    if (pages > this.#maxPages)
      throw new Violation(`${pages} pages, the limit is ${this.#maxPages}`);
    for (const url of done)
      if (!admitted.has(url)) throw new Violation(`${url} was never admitted`);
    return { admitted, done, pages, sites, refused, bytes };
  }
}
