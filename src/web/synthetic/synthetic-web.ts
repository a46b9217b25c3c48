import type { WebProfile } from "../profile.ts";
import { mix, mixText, unit } from "../seeded-random.ts";
import { ByteCache } from "../serving/byte-cache.ts";
import type { Answer, ServedCounts, WebContent, WebRequest, WebTruth } from "../serving/content.ts";
import { plainResponse } from "../serving/http-head.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { drawFates, FATE } from "./faults.ts";
import { hostOfPage, type LinkGraph } from "./graph.ts";
import { LinkItems } from "./link-items.ts";
import type { PageNames } from "./page-names.ts";
import { latencyOf, pageBytes } from "./page-size.ts";
import { PageWriter } from "./page-writer.ts";
import { type RobotsRules, robotsRules } from "./served-robots.ts";
import { graphTruth } from "./truth.ts";
import { WORDS } from "./word-list.ts";

// Most bytes of an item of the list of links without its host: markup, the longest path, fragment and word.
const ITEM_BYTES = 128;
const CACHE_BYTES = 256 * 1024 * 1024;
const REDIRECTS = [301, 302, 307, 308];

/** A web made from a link graph: what each URL answers follows from the profile alone. */
export class SyntheticContent implements WebContent {
  readonly #profile: WebProfile;
  readonly #graph: LinkGraph;
  readonly #names: PageNames;
  readonly #authorities: readonly string[];
  readonly #robots: RobotsRules[];
  readonly #fates: Uint8Array;
  /** How often a page was requested and how often it was served, counted up to 2. */
  readonly #asked: Uint8Array;
  readonly #given: Uint8Array;
  readonly #writer: PageWriter;
  readonly #items: LinkItems;
  readonly #maxItemBytes: number;
  readonly #kept = new ByteCache<number, Uint8Array>(CACHE_BYTES, (bytes) => bytes.length);
  /** Whether the last answer lies in memory that the next one overwrites. */
  #shared = false;
  readonly #counts: ServedCounts = {
    ...{ pages: 0, repeated: 0, answers: 0 },
    robotsViolations: 0,
  };

  constructor(
    profile: WebProfile,
    graph: LinkGraph,
    names: PageNames,
    authorities: readonly string[],
  ) {
    this.#profile = profile;
    this.#graph = graph;
    this.#names = names;
    this.#authorities = authorities;
    this.#robots = authorities.map((_, host) => robotsRules(profile.robots, names, host));
    this.#fates = drawFates(profile, graph.firstOfHost);
    this.#asked = new Uint8Array(graph.pages);
    this.#given = new Uint8Array(graph.pages);
    this.#writer = new PageWriter(profile.seed, profile.markup);
    this.#items = new LinkItems(graph.pages, (page) => this.#listItem(page, this.#href(page)));
    const longest = authorities.reduce((most, name) => Math.max(most, name.length), 0);
    this.#maxItemBytes = longest + ITEM_BYTES;
  }

  keep(): void {
    if (this.#shared) this.#writer.keep();
  }

  latencyMs(request: WebRequest): number {
    const { latencyMs, seed } = this.#profile;
    if (latencyMs === 0) return 0;
    return latencyOf(latencyMs, seed, mixText(request.target, request.host));
  }

  crawlDelayMs(host: number): number {
    return this.#robots[host]!.crawlDelayMs;
  }

  answer(request: WebRequest): Answer {
    const page = this.#pageAt(request.host, this.#names.local(request.target));
    if (page < 0) return this.#answerOther(request);
    const robots = this.#robots[request.host]!;
    if (!robots.allows(this.#number(page))) this.#counts.robotsViolations++;
    const first = this.#asked[page] === 0;
    this.#asked[page] = 1;
    switch (this.#fates[page]) {
      case FATE.missing:
        return this.#plain(404, "There is no such page.\n", request);
      case FATE.broken:
        return this.#plain(500, "This page always fails.\n", request);
      case FATE.busyOnce:
        if (first) return this.#plain(503, "Busy: ask again.\n", request);
        break;
      case FATE.resetOnce:
        if (first) return { kind: "reset" };
    }
    return { kind: "bytes", bytes: this.#response(page, request) };
  }

  truth(): WebTruth {
    const graph = this.#graph;
    const found = graphTruth(graph, {
      fate: (page) => this.#fates[page]!,
      allows: (host, page) => this.#robots[host]!.allows(this.#number(page)),
      allowsRedirects: (host) => this.#robots[host]!.allowsRedirects,
      byRedirect: (link, page) => this.#byRedirect(link, page),
    });
    return { start: this.start(), hosts: [...this.#authorities], pages: graph.pages, ...found };
  }

  start(): string[] {
    return this.#authorities.map((_, host) => {
      const first = this.#graph.firstOfHost[host]!;
      return this.#url(first, this.#names.path(this.#number(first)));
    });
  }

  served(): ServedCounts {
    return { ...this.#counts };
  }

  /** Number in the page's name: on its host, or over all hosts where the names say so. */
  #number(page: number): number {
    if (this.#names.acrossHosts) return page;
    return page - this.#graph.firstOfHost[hostOfPage(this.#graph, page)]!;
  }

  /** The page with this number if it belongs to the host, else -1. */
  #pageAt(host: number, number: number): number {
    if (number < 0) return -1;
    const first = this.#graph.firstOfHost[host]!;
    const page = this.#names.acrossHosts ? number : first + number;
    return page >= first && page < this.#graph.firstOfHost[host + 1]! ? page : -1;
  }

  #answerOther(request: WebRequest): Answer {
    if (request.target === "/robots.txt") {
      const { text } = this.#robots[request.host]!;
      if (text !== undefined) return this.#plain(200, text, request);
    }
    const front = request.target === "/" ? this.#graph.firstOfHost[request.host]! : -1;
    const aliased = this.#pageAt(request.host, this.#names.aliased(request.target));
    const page = front >= 0 ? front : aliased;
    if (page < 0) return this.#plain(404, "There is no such page.\n", request);
    if (!this.#robots[request.host]!.allowsRedirects) this.#counts.robotsViolations++;
    const status = REDIRECTS[mix(this.#profile.seed, page) % REDIRECTS.length]!;
    const url = this.#url(page, this.#names.path(this.#number(page)));
    return {
      kind: "bytes",
      bytes: plainResponse(status, `Moved to ${url}\n`, request.headOnly, { Location: url }),
    };
  }

  /** A crawl requests a page once, so only pages requested again are cached: benchmarks crawl a web many times. */
  #response(page: number, request: WebRequest): Uint8Array {
    this.#shared = true;
    if (request.headOnly) return this.#page(page, request);
    const key = 2 * page + (request.acceptsGzip ? 1 : 0);
    const again = this.#countGiven(page) > 0;
    const kept = again ? this.#kept.get(key) : undefined;
    if (kept) {
      this.#shared = false;
      return kept;
    }
    const bytes = this.#page(page, request);
    if (!again || !this.#kept.hasRoom(bytes.length)) return bytes;
    this.#shared = false;
    const copy = Uint8Array.prototype.slice.call(bytes);
    this.#kept.set(key, copy);
    return copy;
  }

  #page(page: number, request: WebRequest): Uint8Array {
    const { seed, encodings, chunkedShare } = this.#profile;
    const { offsets, targets } = this.#graph;
    const title = `${WORDS[mix(page, seed) % WORDS.length]} ${WORDS[mix(seed, page) % WORDS.length]}, page ${page} on host ${request.host}`;
    const chunked = chunkedShare > 0 && unit(seed ^ 0xc4c4, page) < chunkedShare;
    const bytes = pageBytes(this.#profile, page);
    const from = offsets[page]!;
    const to = offsets[page + 1]!;
    const maxLinksBytes = (to - from) * this.#maxItemBytes;
    const writeLinks = (out: ByteWriter): void => {
      for (let link = from; link < to; link++) {
        this.#writeItem(request.host, link, targets[link]!, out);
      }
    };
    return this.#writer.write(
      { page, title, writeLinks, maxLinksBytes, bytes, chunked },
      encodings && request.acceptsGzip,
      request.headOnly,
    );
  }

  /** Most links are paths; one in eight is a whole URL, one in sixteen has a fragment. */
  #writeItem(fromHost: number, link: number, target: number, out: ByteWriter): void {
    const first = this.#graph.firstOfHost;
    const whole = target < first[fromHost]! || target >= first[fromHost + 1]!;
    const form = mix(link, this.#profile.seed ^ 0x11a4) & 127;
    const redirect = this.#byRedirect(link, target);
    if (!whole && form >= 24 && !redirect) {
      this.#items.write(target, out);
      return;
    }
    let href = redirect ? this.#names.alias(this.#number(target)) : this.#href(target);
    if (whole || form < 16) href = this.#url(target, href);
    out.ascii(this.#listItem(target, form >= 8 && form < 24 ? `${href}#part-${form}` : href));
  }

  #listItem(target: number, href: string): string {
    const text = WORDS[mix(target, this.#profile.seed) % WORDS.length];
    return `<li><a href="${href}">${text}</a></li>\n`;
  }

  #href(target: number): string {
    return this.#names.path(this.#number(target)).replaceAll("&", "&amp;");
  }

  #url(page: number, path: string): string {
    return `http://${this.#authorities[hostOfPage(this.#graph, page)]}${path}`;
  }

  #byRedirect(link: number, target: number): boolean {
    const { redirectShare, seed } = this.#profile;
    return redirectShare > 0 && unit(seed ^ 0x60, mix(link, target)) < redirectShare;
  }

  /** Counts a page that is served and returns how often it was before, up to 2. */
  #countGiven(page: number): number {
    const before = this.#given[page]!;
    this.#counts.answers++;
    if (before === 0) this.#counts.pages++;
    else if (before === 1) this.#counts.repeated++;
    if (before < 2) this.#given[page] = before + 1;
    return before;
  }

  #plain(status: number, text: string, request: WebRequest): Answer {
    return { kind: "bytes", bytes: plainResponse(status, text, request.headOnly) };
  }
}
