import { crc32 } from "node:zlib";
import type { Lease } from "../../../frontier/frontier.ts";
import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import type { ParsedPage } from "../../../parse/page.ts";
import { keepLatest } from "../../../runtime/keep-latest.ts";
import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { hostnameOf } from "../../../url/url-parts.ts";
import { exactFingerprint, folderFingerprint, looseFingerprint } from "./content-fingerprint.ts";
import { type Evidence, Family } from "./family.ts";
import { FingerprintCache } from "./fingerprint-cache.ts";
import type { KeptVerdict } from "./kept-verdict.ts";
import { SharedEvidence } from "./shared-evidence.ts";
import { SiteTexts } from "./site-texts.ts";
import {
  familyState,
  growthState,
  isStopped,
  QUERY_PARAMETERS,
  spellingReason,
  spellingState,
  type TrapReason,
  type TrapState,
} from "./trap-verdict.ts";
import { shapeOf, spellingOf, type UrlShape } from "./url-shape.ts";

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

interface Fingerprints {
  readonly exact: FingerprintCache;
  readonly loose: FingerprintCache;
  /** Links that pages of suspicious families lead to. */
  readonly links: FingerprintCache;
}

interface WatchedHost {
  readonly name: string;
  /** Mixed into its fingerprints, so that pages of two hosts never look alike. */
  readonly salt: number;
  pages: number;
  /** The evidence of all its families together. */
  readonly all: Family;
  /** That of pages in folders below the page they were found on. */
  readonly growth: Family;
  /** There is evidence against some of its URLs. */
  suspect: boolean;
  /** Whatever grows below a page of it is stopped: known from an earlier run, or told to later ones. */
  isGrowthStopped: boolean;
  readonly families: Map<string, Family>;
  /** The one of the page before, and so the last of the map already. */
  latest: Family | undefined;
  readonly states: Map<string, TrapState>;
}

/** What a page adds to the evidence about its family and about growing paths. */
interface PageEvidence extends Evidence {
  /** It looks like the page it was found on. */
  readonly alike: boolean;
}

/**
 * Gathers evidence about the hosts of one crawler thread and decides which URLs are not worth a visit. A trap is a
 * family of URLs whose pages hold nothing new and lead to more of themselves; the mere size of a host is no evidence.
 * Memory is bounded: evidence that was dropped has to be gathered again.
 */
export class TrapWatch {
  readonly #thisYear: number;
  readonly #hosts = new Map<string, WatchedHost>();
  /** The host of the page before, and so the last of the map already: moving it there again costs more than this look. */
  #latest: WatchedHost | undefined;
  /** Allocated when the first host is large enough. */
  #fingerprints: Fingerprints | undefined;
  readonly #shared: SharedEvidence;
  /** The evidence about whole sites. */
  readonly sites: SiteTexts;
  /** What this thread decided and nobody has taken yet. */
  readonly #verdicts: KeptVerdict[] = [];

  constructor(nowMs: number = Date.now(), shared = new SharedEvidence()) {
    this.#thisYear = new Date(nowMs).getUTCFullYear();
    this.#shared = shared;
    this.sites = new SiteTexts(shared, (site) => this.#decided("trap_same_text", site));
  }

  /** The verdicts since the last call, to be kept with the page that completed the evidence. */
  takeVerdicts(): KeptVerdict[] {
    return this.#verdicts.length === 0 ? NO_VERDICTS : this.#verdicts.splice(0);
  }

  /** Applies a verdict of an earlier run, or of another thread. */
  learn({ reason, place, family }: KeptVerdict): void {
    if (reason === "trap_same_text") this.sites.condemn(place);
    else {
      const host = this.#host(place);
      host.suspect = true;
      if (family === undefined) host.isGrowthStopped = true;
      else keepLatest(host.states, family, reason, MAX_STATES);
    }
  }

  #decided(reason: TrapReason, place: string, family?: string): void {
    this.#verdicts.push({ reason, place, family });
  }

  /** What is known about the family of a URL that was found on the parent. */
  state(url: CrawlUrl, parent: CrawlUrl | undefined): TrapState {
    if (this.sites.refuses(url, parent)) return "trap_same_text";
    const host = this.#hosts.get(hostnameOf(url));
    if (host === undefined || !host.suspect) {
      return mayBeOdd(url) && spellingReason(spellingOf(url)) !== undefined ? "demoted" : "free";
    }
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
    lease: Lease,
    parsed: ParsedPage | undefined,
    body: Uint8Array,
    headerLinks: readonly CrawlUrl[] = [],
  ): void {
    const host = this.#host(hostnameOf(lease.url));
    host.pages++;
    const shape = shapeOf(lease.url);
    const odd = spellingReason(shape);
    if (odd === undefined && (parsed === undefined || host.pages < SMALL_HOST_PAGES)) return;
    const key = familyOf(shape);
    const family = this.#family(host, key);
    const evidence = this.#evidence(lease, parsed, body, host, shape, key, headerLinks);
    family.add(evidence);
    host.all.add(evidence);
    const grows = lease.parent !== undefined && liesBelow(lease.url, lease.parent);
    if (grows) {
      const isSame = evidence.looseCopy === evidence.alike;
      host.growth.add(isSame ? evidence : { ...evidence, looseCopy: evidence.alike });
    }
    const state =
      odd === undefined ? familyState(family, shape, lease.depth) : spellingState(family, odd);
    if (isStopped(state) && host.states.get(key) !== state) this.#decided(state, host.name, key);
    if (state === "free") host.states.delete(key);
    else keepLatest(host.states, key, state, MAX_STATES);
    const growth = growthState(host.growth);
    if (isStopped(growth) && !host.isGrowthStopped) {
      host.isGrowthStopped = true;
      this.#decided(growth, host.name);
    }
    host.suspect =
      host.states.size > 0 || host.isGrowthStopped || isAllCopies(host.all) || growth !== "free";
  }

  #evidence(
    lease: Lease,
    parsed: ParsedPage | undefined,
    body: Uint8Array,
    host: WatchedHost,
    shape: UrlShape,
    key: string,
    headerLinks: readonly CrawlUrl[],
  ): PageEvidence {
    if (parsed === undefined) return NO_EVIDENCE;
    this.#fingerprints ??= {
      exact: new FingerprintCache(FINGERPRINTS),
      loose: new FingerprintCache(FINGERPRINTS),
      links: new FingerprintCache(FINGERPRINTS),
    };
    const { exact, loose, links } = this.#fingerprints;
    const { salt } = host;
    const isLooseCopy = loose.sawBefore(salt ^ looseFingerprint(parsed, lease.url));
    const hasFilters = shape.parameters >= QUERY_PARAMETERS;
    // Most pages of honest hosts end here.
    if (!isLooseCopy && !hasFilters) return NO_EVIDENCE;
    // The same bytes, or the same but for session ids; both have to be remembered.
    const sameBytes = isLooseCopy && exact.sawBefore(salt ^ crc32(body));
    const isCopy = (isLooseCopy && exact.sawBefore(salt ^ exactFingerprint(parsed))) || sameBytes;
    const { parent } = lease;
    const fromCopy = parent !== undefined && this.#shared.isCopy(fingerprintOf(parent));
    if (isLooseCopy) this.#shared.addCopy(fingerprintOf(lease.url));
    const look = isLooseCopy ? folderFingerprint(parsed, lease.url) : 0;
    if (isLooseCopy) this.#shared.addCopy(fingerprintOf(lease.url, look));
    const fresh = newLinks([...parsed.links, ...headerLinks], links, salt);
    return {
      copy: isCopy && fromCopy,
      leads: isCopy && fromCopy && fresh.length > 0,
      looseCopy: isLooseCopy && fromCopy,
      alike: fromCopy && this.#shared.isCopy(fingerprintOf(parent, look)),
      inbred: hasFilters && isInbred(parent, fresh, key),
      stray: isLooseCopy && fromCopy && this.#isFar(shape.year),
    };
  }

  #isFar(year: number | undefined): boolean {
    return year !== undefined && (year > this.#thisYear + FAR_YEARS || year < FIRST_YEAR);
  }

  #host(name: string): WatchedHost {
    if (this.#latest?.name === name) return this.#latest;
    this.#latest = this.#hosts.get(name) ?? {
      name,
      salt: fingerprintOf(name),
      pages: 0,
      all: new Family(`${name} all`, this.#shared),
      growth: new Family(`${name} growth`, this.#shared),
      suspect: false,
      isGrowthStopped: false,
      families: new Map(),
      latest: undefined,
      states: new Map(),
    };
    keepLatest(this.#hosts, name, this.#latest, MAX_HOSTS);
    return this.#latest;
  }

  #family(host: WatchedHost, key: string): Family {
    const known = host.families.get(key);
    if (known !== undefined && known === host.latest) return known;
    const family = known ?? new Family(`${host.name}${key}`, this.#shared);
    keepLatest(host.families, key, family, MAX_FAMILIES);
    host.latest = family;
    return family;
  }
}

const NO_VERDICTS: KeptVerdict[] = [];

const NO_EVIDENCE: PageEvidence = {
  copy: false,
  leads: false,
  looseCopy: false,
  alike: false,
  inbred: false,
  stray: false,
};

/** Links that no page of the same host had lately. */
function newLinks(links: readonly CrawlUrl[], known: FingerprintCache, salt: number): CrawlUrl[] {
  return links.filter((link) => !known.sawBefore(salt ^ fingerprintOf(link)));
}

/** In a folder below that of the page it was found on. */
function liesBelow(url: CrawlUrl, parent: CrawlUrl): boolean {
  const mark = parent.indexOf("?");
  const folder = parent.slice(0, parent.lastIndexOf("/", mark < 0 ? undefined : mark) + 1);
  return url.startsWith(folder) && url.indexOf("/", folder.length) >= 0;
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

/** A cheap test first: with fewer slashes, those of the scheme included, no segment is repeated four times. */
function mayBeOdd(url: CrawlUrl): boolean {
  let slashes = 2;
  for (let at = url.indexOf("/", 8); at >= 0; at = url.indexOf("/", at + 1)) {
    if (++slashes >= 6) return true;
  }
  return false;
}

/** A seed makes another fingerprint of the same text. */
function fingerprintOf(text: string, seed = 0): number {
  fingerprint(text, seed, seed);
  return lastFingerprint.high;
}
