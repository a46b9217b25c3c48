import { crc32 } from "node:zlib";
import type { Lease } from "../../../frontier/frontier.ts";
import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { ParsedPage } from "../../../parse/page.ts";
import { keepLatest } from "../../../runtime/keep-latest.ts";
import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { hostnameOf } from "../../../url/url-parts.ts";
import { exactFingerprint, folderFingerprint, looseFingerprint } from "./content-fingerprint.ts";
import { EVIDENCE, Family } from "./family.ts";
import { familyKey } from "./family-key.ts";
import { FingerprintCache } from "./fingerprint-cache.ts";
import type { KeptVerdict } from "./kept-verdict.ts";
import { SharedEvidence } from "./shared-evidence.ts";
import { SiteTexts } from "./site-texts.ts";
import {
  familyState,
  growthState,
  isStopped,
  MIN_REPEATS,
  mayBeTrap,
  QUERY_PARAMETERS,
  spellingReason,
  spellingState,
  TRAP_REASONS,
  type TrapReason,
  type TrapState,
} from "./trap-verdict.ts";
import { parametersOf, shapeOf, spellingOf, type UrlShape } from "./url-shape.ts";

const MAX_HOSTS = 20_000;
const MAX_FAMILIES = 512;
/** Smaller hosts only cost a counter. */
const SMALL_HOST_PAGES = 64;
/**
 * Fingerprints of each kind, for all larger hosts together. With memory for each host, more hosts than fit would take
 * it from each other, page by page.
 */
const FINGERPRINTS = 1 << 18;
const MAX_STATES = 2000;
/** Copies on a whole host, however their URLs are spelled; after these, links on copies are not followed. */
const HOST_COPIES = 3000;
const HOST_SHARE = 0.9;
const FAR_YEARS = 3;
const FIRST_YEAR = 1970;

/** What is asked of the lease of a page that was read. */
type ReadLease = Pick<Lease, "url" | "parent" | "depth"> & {
  readonly host: { readonly name: string };
};

interface WatchedHost {
  readonly name: string;
  /** Mixed into its fingerprints, so that pages of two hosts never look alike. */
  readonly salt: number;
  pages: number;
  /** The evidence of all its families together. */
  readonly all: Family;
  /** That of pages in folders below the page they were found on. */
  readonly growth: Family;
  /** There is evidence against some of its URLs; then it is among the suspects. */
  isSuspect: boolean;
  /** Whatever grows below a page of it is stopped: known from an earlier run, or told to later ones. */
  isGrowthStopped: boolean;
  /** By the keys of their patterns; those of suspicious spelling by their reasons. */
  readonly families: Map<number, Family>;
  /** The one of the page before, and so the last of the map already. */
  latest: Family | undefined;
  readonly states: Map<string, TrapState>;
}

/**
 * Gathers evidence about the hosts of one crawler thread and decides which URLs are not worth a visit. A trap is a
 * family of URLs whose pages hold nothing new and lead to more of themselves; the mere size of a host is no evidence.
 * Memory is bounded: evidence that was dropped has to be gathered again.
 */
export class TrapWatch {
  readonly #thisYear: number;
  readonly #hosts = new Map<string, WatchedHost>();
  /** Those of them that there is evidence against: nearly always none. */
  readonly #suspects = new Map<string, WatchedHost>();
  /** The host of the page before, and so the last of the map already: moving it there again costs more than this look. */
  #latest: WatchedHost | undefined;
  /** Of the pages of larger hosts, but for numbers. */
  readonly #loose = new FingerprintCache(FINGERPRINTS);
  /** Of the pages and links of suspicious families; allocated for the first of them. */
  #more: { readonly exact: FingerprintCache; readonly links: FingerprintCache } | undefined;
  readonly #shared: SharedEvidence;
  /** The evidence about whole sites. */
  readonly sites: SiteTexts;
  /** What this thread decided and nobody has taken yet, and whether there is any. */
  readonly #verdicts: KeptVerdict[] = [];
  hasVerdicts = false;

  constructor(nowMs: number = Date.now(), shared = new SharedEvidence()) {
    this.#thisYear = new Date(nowMs).getUTCFullYear();
    this.#shared = shared;
    this.sites = new SiteTexts(shared, (site) => this.#decided("trap_same_text", site));
  }

  /** The verdicts since the last call, to be kept with the page that completed the evidence. */
  takeVerdicts(): KeptVerdict[] {
    this.hasVerdicts = false;
    return this.#verdicts.splice(0);
  }

  /** Applies a verdict of an earlier run, or of another thread. */
  learn({ reason, place, family }: KeptVerdict): void {
    if (reason === "trap_same_text") this.sites.condemn(place);
    else {
      const host = this.#host(place);
      this.#suspect(host, true);
      if (family === undefined) host.isGrowthStopped = true;
      else keepLatest(host.states, family, reason, MAX_STATES);
    }
  }

  #decided(reason: TrapReason, place: string, family?: string): void {
    this.#verdicts.push({ reason, place, family });
    this.hasVerdicts = true;
  }

  /** False in nearly all crawls: no URL is refused, so only those of suspicious spelling are not free. */
  mayRefuse(): boolean {
    return this.#suspects.size > 0 || Atomics.load(this.#shared.verdicts, 0) > 0;
  }

  /** What is known about the family of a URL that was found on the parent. */
  state(url: CrawlUrl, parent: CrawlUrl | undefined): TrapState {
    if (this.mayRefuse()) return this.#stateAmongSuspects(url, parent);
    return oddSpelling(url) === undefined ? "free" : "demoted";
  }

  #stateAmongSuspects(url: CrawlUrl, parent: CrawlUrl | undefined): TrapState {
    if (this.sites.refuses(url, parent)) return "trap_same_text";
    const host = this.#suspects.get(hostnameOf(url));
    if (host === undefined) return oddSpelling(url) === undefined ? "free" : "demoted";
    if (host.isGrowthStopped && parent !== undefined && liesBelow(url, parent))
      return "trap_growing_path";
    if (parent !== undefined && this.#shared.isCopy(fingerprintOf(parent))) {
      if (isAllCopies(host.all)) return "trap_same_content";
      const growth = liesBelow(url, parent) ? growthState(host.growth) : "free";
      if (growth !== "free") return growth;
    }
    const shape = shapeOf(url);
    return host.states.get(familyOf(shape)) ?? (spellingReason(shape) ? "demoted" : "free");
  }

  /** Adds a fetched page to the evidence: parsed if it is HTML, with its bytes as received and the links of its head. */
  page(
    lease: ReadLease,
    parsed: ParsedPage | undefined,
    body: Uint8Array,
    headerLinks: readonly CrawlUrl[] = NO_LINKS,
  ): void {
    // Every page comes here, so this is one long function: V8 optimises each of several on its own, and then all in one.
    const { url, parent } = lease;
    const host = this.#hosts.get(lease.host.name) ?? this.#newHost(lease.host.name);
    // Before the map is half full its order does not matter.
    if (host !== this.#latest && 2 * this.#hosts.size >= MAX_HOSTS) this.#keepHost(host);
    host.pages++;
    const odd = oddSpelling(url);
    if (odd === undefined && (parsed === undefined || host.pages < SMALL_HOST_PAGES)) return;
    const { families } = host;
    const key = odd === undefined ? familyKey(url) : -1 - TRAP_REASONS.indexOf(odd);
    const family = families.get(key) ?? this.#newFamily(host, key, url);
    if (family !== host.latest && 2 * families.size >= MAX_FAMILIES) keepFamily(host, key, family);
    let evidence = 0;
    if (parsed !== undefined) {
      const look = host.salt ^ looseFingerprint(parsed, url, family.hasVariable);
      const isLooseCopy = this.#loose.sawBefore(look);
      const hasFilters = family.countsPages && parametersOf(url) >= QUERY_PARAMETERS;
      // Most pages of honest hosts end here.
      if (isLooseCopy || hasFilters)
        evidence = this.#evidence(lease, parsed, body, host, headerLinks, isLooseCopy, hasFilters);
    }
    const { all, growth } = host;
    family.seen++;
    if (family.isWatched || evidence !== 0) family.add(evidence);
    all.seen++;
    if (all.isWatched || (evidence & OF_ALL) !== 0) all.add(evidence & OF_ALL);
    if (parent !== undefined && liesBelow(url, parent)) {
      const isAlike = (evidence & EVIDENCE.alike) !== 0;
      growth.seen++;
      if (growth.isWatched || isAlike) growth.add(isAlike ? EVIDENCE.looseCopy : 0);
    }
    // Nearly always: such a page makes no verdict about a host that nothing speaks against.
    const mayBe = odd !== undefined || host.isSuspect || (family.hasSuspects && mayBeTrap(family));
    if (evidence !== 0 || mayBe) this.#judge(lease, host, family, odd);
  }

  /** What the evidence about a page's family and its host amounts to. */
  #judge(
    { url, depth }: ReadLease,
    host: WatchedHost,
    family: Family,
    odd: TrapReason | undefined,
  ): void {
    const shape = shapeOf(url);
    const key = familyOf(shape);
    const state =
      odd === undefined ? familyState(family, shape, depth) : spellingState(family, odd);
    if (isStopped(state) && host.states.get(key) !== state) this.#decided(state, host.name, key);
    if (state === "free") host.states.delete(key);
    else keepLatest(host.states, key, state, MAX_STATES);
    const growth = growthState(host.growth);
    if (isStopped(growth) && !host.isGrowthStopped) {
      host.isGrowthStopped = true;
      this.#decided(growth, host.name);
    }
    this.#suspect(
      host,
      host.states.size > 0 || host.isGrowthStopped || isAllCopies(host.all) || growth !== "free",
    );
  }

  #suspect(host: WatchedHost, isSuspect: boolean): void {
    host.isSuspect = isSuspect;
    if (isSuspect) this.#suspects.set(host.name, host);
    else this.#suspects.delete(host.name);
  }

  /** What a page adds that looks like another, or whose URL chooses among filters. */
  #evidence(
    { url, parent }: ReadLease,
    parsed: ParsedPage,
    body: Uint8Array,
    { salt }: WatchedHost,
    headerLinks: readonly CrawlUrl[],
    isLooseCopy: boolean,
    hasFilters: boolean,
  ): number {
    this.#more ??= {
      exact: new FingerprintCache(FINGERPRINTS),
      links: new FingerprintCache(FINGERPRINTS),
    };
    const { exact, links } = this.#more;
    // The same bytes, or the same but for session ids; both have to be remembered.
    const sameBytes = isLooseCopy && exact.sawBefore(salt ^ crc32(body));
    const isCopy = (isLooseCopy && exact.sawBefore(salt ^ exactFingerprint(parsed))) || sameBytes;
    const fromCopy = parent !== undefined && this.#shared.isCopy(fingerprintOf(parent));
    if (isLooseCopy) this.#shared.addCopy(fingerprintOf(url));
    const look = isLooseCopy ? folderFingerprint(parsed, url) : 0;
    if (isLooseCopy) this.#shared.addCopy(fingerprintOf(url, look));
    const fresh = newLinks([...parsed.links, ...headerLinks], links, salt);
    let evidence = 0;
    if (isCopy && fromCopy) evidence |= EVIDENCE.copy;
    if (isCopy && fromCopy && fresh.length > 0) evidence |= EVIDENCE.leads;
    if (isLooseCopy && fromCopy) evidence |= EVIDENCE.looseCopy;
    if (fromCopy && this.#shared.isCopy(fingerprintOf(parent, look))) evidence |= EVIDENCE.alike;
    const shape = shapeOf(url);
    if (hasFilters && isInbred(parent, fresh, familyOf(shape))) evidence |= EVIDENCE.inbred;
    if (isLooseCopy && fromCopy && this.#isFar(shape.year)) evidence |= EVIDENCE.stray;
    return evidence;
  }

  #isFar(year: number | undefined): boolean {
    return year !== undefined && (year > this.#thisYear + FAR_YEARS || year < FIRST_YEAR);
  }

  #host(name: string): WatchedHost {
    const host = this.#hosts.get(name) ?? this.#newHost(name);
    this.#keepHost(host);
    return host;
  }

  #newHost(name: string): WatchedHost {
    const host: WatchedHost = {
      name,
      salt: fingerprintOf(name),
      pages: 0,
      all: new Family(name, " all", this.#shared),
      growth: new Family(name, " growth", this.#shared),
      isSuspect: false,
      isGrowthStopped: false,
      families: new Map(),
      latest: undefined,
      states: new Map(),
    };
    this.#keepHost(host);
    return host;
  }

  #keepHost(host: WatchedHost): void {
    this.#latest = host;
    const dropped = keepLatest(this.#hosts, host.name, host, MAX_HOSTS);
    if (dropped !== undefined) this.#suspects.delete(dropped);
  }

  #newFamily(host: WatchedHost, key: number, url: CrawlUrl): Family {
    const family = new Family(host.name, familyOf(shapeOf(url)), this.#shared);
    keepFamily(host, key, family);
    return family;
  }
}

function keepFamily(host: WatchedHost, key: number, family: Family): void {
  keepLatest(host.families, key, family, MAX_FAMILIES);
  host.latest = family;
}

/** What is evidence about a host as a whole. */
const OF_ALL = EVIDENCE.copy | EVIDENCE.leads;

const NO_LINKS: readonly CrawlUrl[] = [];
/** Links that no page of the same host had lately. */
function newLinks(links: readonly CrawlUrl[], known: FingerprintCache, salt: number): CrawlUrl[] {
  return links.filter((link) => !known.sawBefore(salt ^ fingerprintOf(link)));
}

const SLASH = 47;

/** In a folder below that of the page it was found on. */
function liesBelow(url: CrawlUrl, parent: CrawlUrl): boolean {
  const mark = parent.indexOf("?");
  let folder = mark < 0 ? parent.length : mark;
  while (folder > 0 && parent.charCodeAt(folder - 1) !== SLASH) folder--;
  return url.indexOf("/", folder) >= 0 && url.startsWith(parent.slice(0, folder));
}

/** Found within its family, and leading to nothing new outside it. */
function isInbred(parent: CrawlUrl | undefined, fresh: readonly CrawlUrl[], key: string): boolean {
  if (parent === undefined || familyOf(shapeOf(parent)) !== key) return false;
  return fresh.every((link) => familyOf(shapeOf(link)) === key);
}

/** URLs of odd spelling are one family per reason, whatever else they look like. */
function familyOf(shape: UrlShape): string {
  return spellingReason(shape) ?? shape.pattern;
}

function isAllCopies(all: Family): boolean {
  return all.copies >= HOST_COPIES && all.copyShare >= HOST_SHARE;
}

/** Why the spelling of a URL is suspicious; nearly always undefined. */
function oddSpelling(url: CrawlUrl): TrapReason | undefined {
  // A cheap test first: with fewer slashes no segment is repeated so often.
  let slash = 7;
  for (let segments = 0; segments < MIN_REPEATS; segments++) {
    slash = url.indexOf("/", slash + 1);
    if (slash < 0) return undefined;
  }
  return spellingReason(spellingOf(url));
}

/** A seed makes another fingerprint of the same text. */
function fingerprintOf(text: string, seed = 0): number {
  fingerprint(text, seed, seed);
  return lastFingerprint.high;
}
