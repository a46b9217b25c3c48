import { crc32 } from "node:zlib";
import { fingerprint, print } from "../../frontier/fingerprint.ts";
import type { Lease } from "../../frontier/frontier.ts";
import type { ParsedPage } from "../../parse/page.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { exactPrint, loosePrint } from "./content-print.ts";
import { type Evidence, Family } from "./family.ts";
import { PrintCache } from "./print-cache.ts";
import { shapeOf, spellingOf, type UrlShape } from "./url-shape.ts";
import {
  familyState,
  QUERY_PARAMETERS,
  spellingReason,
  spellingState,
  type TrapState,
} from "./verdict.ts";

const MAX_HOSTS = 20_000;
const MAX_FAMILIES = 512;
/** Hosts below this many pages cost a counter and nothing else. */
const SMALL_HOST_PAGES = 64;
/** Large hosts whose prints are kept at the same time. */
const MAX_LARGE_HOSTS = 128;
const HOST_PRINTS = 1 << 13;
const COPY_PRINTS = 1 << 18;
const MAX_STATES = 2000;
/** Copies of a whole host, however their URLs are spelled; from then on copies lead nowhere. */
const HOST_COPIES = 3000;
const HOST_SHARE = 0.9;
const FAR_YEARS = 3;
const FIRST_YEAR = 1970;

interface Prints {
  readonly exact: PrintCache;
  readonly loose: PrintCache;
  /** Links that pages of suspicious families lead to. */
  readonly links: PrintCache;
}

interface WatchedHost {
  pages: number;
  /** The evidence of all its families together. */
  readonly all: Family;
  prints: Prints | undefined;
  readonly families: Map<string, Family>;
  readonly states: Map<string, TrapState>;
}

/**
 * Gathers evidence about the hosts of one crawler thread and says which URLs are not worth a visit. A trap is a family
 * of URLs whose pages bring nothing new and lead to more of themselves; the mere size of a host is no evidence.
 * Memory is bounded; what is forgotten has to be shown again.
 */
export class TrapWatch {
  readonly #thisYear: number;
  readonly #hosts = new Map<string, WatchedHost>();
  readonly #large = new Set<WatchedHost>();
  readonly #copies = new PrintCache(COPY_PRINTS);

  constructor(nowMs: number = Date.now()) {
    this.#thisYear = new Date(nowMs).getUTCFullYear();
  }

  /** What is known about the family of a URL that was found on the parent. */
  state(url: CrawlUrl, parent: CrawlUrl | undefined): TrapState {
    const host = this.#hosts.get(hostnameOf(url));
    if (host === undefined || (host.states.size === 0 && host.all.copies < HOST_COPIES)) {
      return mayBeOdd(url) && spellingReason(spellingOf(url)) !== undefined ? "demoted" : "free";
    }
    if (isAllCopies(host.all) && parent !== undefined && this.#copies.has(printOf(parent))) {
      return "trap_same_content";
    }
    const shape = shapeOf(url);
    return host.states.get(familyOf(shape)) ?? (spellingReason(shape) ? "demoted" : "free");
  }

  /** Takes in a page that was fetched, parsed if it was HTML, and its bytes as they came. */
  page(lease: Lease, parsed: ParsedPage | undefined, body: Uint8Array): void {
    const host = this.#host(hostnameOf(lease.url));
    host.pages++;
    const shape = shapeOf(lease.url);
    const odd = spellingReason(shape);
    if (odd === undefined && (parsed === undefined || host.pages < SMALL_HOST_PAGES)) return;
    const key = familyOf(shape);
    const family = this.#family(host, key);
    const evidence = this.#evidence(lease, parsed, body, host, shape, key);
    family.add(evidence);
    if (evidence.looseCopy && this.#isFar(shape.year)) family.strayDates++;
    host.all.add(evidence);
    const state =
      odd === undefined ? familyState(family, shape, lease.depth) : spellingState(family, odd);
    if (state === "free") host.states.delete(key);
    else host.states.set(key, state);
    if (host.states.size > MAX_STATES) dropFirst(host.states);
  }

  #evidence(
    lease: Lease,
    parsed: ParsedPage | undefined,
    body: Uint8Array,
    host: WatchedHost,
    shape: UrlShape,
    key: string,
  ): Evidence {
    if (parsed === undefined) return NO_EVIDENCE;
    const prints = this.#prints(host);
    const isLooseCopy = prints.loose.meet(loosePrint(parsed));
    const hasFilters = shape.parameters >= QUERY_PARAMETERS;
    // Most pages of honest hosts end here.
    if (!isLooseCopy && !hasFilters) return NO_EVIDENCE;
    // The same bytes, or the same but for what the server makes up; both are to be remembered.
    const sameBytes = isLooseCopy && prints.exact.meet(crc32(body));
    const isCopy = (isLooseCopy && prints.exact.meet(exactPrint(parsed))) || sameBytes;
    const { parent } = lease;
    const fromCopy = parent !== undefined && this.#copies.has(printOf(parent));
    if (isLooseCopy) this.#copies.meet(printOf(lease.url));
    const news = newLinks(parsed, prints.links);
    return {
      // A copy that leads nowhere new does no harm, however many there are.
      copy: isCopy && fromCopy && news.length > 0,
      looseCopy: isLooseCopy && fromCopy,
      inbred: hasFilters && isInbred(parent, news, key),
    };
  }

  #isFar(year: number | undefined): boolean {
    return year !== undefined && (year > this.#thisYear + FAR_YEARS || year < FIRST_YEAR);
  }

  #host(name: string): WatchedHost {
    let host = this.#hosts.get(name);
    if (host !== undefined) {
      // The map keeps the order of use, so that the host met least lately goes first.
      this.#hosts.delete(name);
    } else {
      const [families, states] = [new Map<string, Family>(), new Map<string, TrapState>()];
      host = { pages: 0, all: new Family(), prints: undefined, families, states };
    }
    this.#hosts.set(name, host);
    if (this.#hosts.size > MAX_HOSTS) dropFirst(this.#hosts);
    return host;
  }

  #family(host: WatchedHost, key: string): Family {
    const family = host.families.get(key) ?? new Family();
    host.families.delete(key);
    host.families.set(key, family);
    if (host.families.size > MAX_FAMILIES) dropFirst(host.families);
    return family;
  }

  #prints(host: WatchedHost): Prints {
    host.prints ??= {
      exact: new PrintCache(HOST_PRINTS),
      loose: new PrintCache(HOST_PRINTS),
      links: new PrintCache(HOST_PRINTS),
    };
    this.#large.delete(host);
    this.#large.add(host);
    if (this.#large.size > MAX_LARGE_HOSTS) {
      for (const oldest of this.#large) {
        oldest.prints = undefined;
        this.#large.delete(oldest);
        break;
      }
    }
    return host.prints;
  }
}

const NO_EVIDENCE: Evidence = { copy: false, looseCopy: false, inbred: false };

/** The page's links that were not met lately. */
function newLinks(parsed: ParsedPage, met: PrintCache): CrawlUrl[] {
  return parsed.links.filter((link) => !met.meet(printOf(link)));
}

/** Found within its family, and leading to nothing new outside it. */
function isInbred(parent: CrawlUrl | undefined, news: readonly CrawlUrl[], key: string): boolean {
  if (parent === undefined || familyOf(shapeOf(parent)) !== key) return false;
  return news.every((link) => familyOf(shapeOf(link)) === key);
}

/** URLs of odd spelling are one family per reason, whatever else they look like. */
function familyOf(shape: UrlShape): string {
  return spellingReason(shape) ?? shape.pattern;
}

function isAllCopies(all: Family): boolean {
  return all.copies >= HOST_COPIES && all.copyShare >= HOST_SHARE;
}

/** A cheap look first: with fewer slashes, those of the scheme included, no segment follows itself four times. */
function mayBeOdd(url: CrawlUrl): boolean {
  let slashes = 0;
  for (let at = url.indexOf("/"); at >= 0; at = url.indexOf("/", at + 1)) slashes++;
  return slashes >= 6;
}

function dropFirst(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}

function printOf(text: string): number {
  fingerprint(text, 0, 0);
  return print.high;
}
