import { OUTCOME } from "../../frontier/frontier.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Scope } from "../../url/scope.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Random } from "../../web/seeded-random.ts";

/** Tries after the first; a page that fails more often ends as failed. */
export const RETRIES = 2;

const LATE_SEEDS = 3;

/** The hosts of one site are at one address. */
export function addressOf(url: CrawlUrl): string {
  return siteOf(hostnameOf(url));
}

/** A page of the made-up web. */
interface SimPage {
  readonly url: CrawlUrl;
  readonly links: readonly number[];
  readonly redirects: boolean;
  /** Its first tries fail. */
  readonly failures: number;
}

/** What a request brings. */
export interface Answer {
  readonly outcome: number;
  readonly found: readonly CrawlUrl[];
}

/** A small web of some sites with one or two hosts each: links and redirects over hosts, tries that fail. */
export class SimWeb {
  readonly #pages: SimPage[] = [];
  readonly #byUrl = new Map<string, SimPage>();
  /** Where a crawl begins. */
  readonly seeds: readonly CrawlUrl[];
  /** Pages that nothing leads to, for seeds that are added while a crawl runs. */
  readonly lateSeeds: readonly CrawlUrl[];
  readonly #isScoped: boolean;

  /** With `scoped` a crawl visits the sites of its seeds only; some of them redirect, to pages of any site. */
  constructor(
    random: Random,
    pages: number,
    sites: number,
    scoped?: { readonly seeds: number; readonly random: Random },
  ) {
    for (let page = 0; page < pages; page++) {
      const site = random.below(sites);
      const host = random.below(2) === 0 ? "a" : "b";
      const redirects = random.below(8) === 0;
      const count = redirects ? 1 : random.below(6);
      const links = Array.from({ length: count }, () => random.below(pages));
      // A thread through the web, so that most of it can be reached.
      if (!redirects && page + 1 < pages && random.below(4) > 0) links.push(page + 1);
      const failures = random.below(6) === 0 ? 1 + random.below(RETRIES + 1) : 0;
      const url = `http://${host}.s${site}.test/${page}` as CrawlUrl;
      this.#pages.push({ url, links, redirects, failures });
    }
    for (let seed = 0; seed < (scoped?.seeds ?? 0); seed++) {
      const url = `http://a.s${sites + seed}.test/seed` as CrawlUrl;
      const links = [scoped!.random.below(pages)];
      this.#pages.push({ url, links, redirects: true, failures: 0 });
    }
    this.seeds = [this.#pages[0]!, ...this.#pages.slice(pages)].map(({ url }) => url);
    for (let late = 0; late < LATE_SEEDS; late++) {
      const url = `http://a.s${sites + this.seeds.length + late}.test/late` as CrawlUrl;
      this.#pages.push({ url, links: [(late * 7 + 1) % pages], redirects: false, failures: 0 });
    }
    this.lateSeeds = this.#pages.slice(-LATE_SEEDS).map(({ url }) => url);
    for (const page of this.#pages) this.#byUrl.set(page.url, page);
    this.#isScoped = scoped !== undefined;
  }

  /** The scope of a crawl that begins here. */
  openScope(): Scope {
    const scope = new Scope({ kind: this.#isScoped ? "domain" : "any" });
    for (const url of this.seeds) scope.addSeed(url);
    return scope;
  }

  /** The delay a host asks for; every third site asks for more than the crawl's. */
  delayMs(url: CrawlUrl, leastMs: number): number {
    return this.#site(url) % 3 === 1 ? 3 * leastMs + 7 : leastMs;
  }

  /** How long a host asks to be left alone when a try fails; 0 when it does not. */
  pauseMs(url: CrawlUrl, leastMs: number): number {
    return this.#site(url) % 3 === 2 ? 10 * leastMs + 500 : 0;
  }

  #site(url: CrawlUrl): number {
    return Number(/\.s(\d+)\./.exec(url)![1]);
  }

  /** What try number `attempt`, counted from 0, brings; undefined for a failure worth another try. */
  ask(url: CrawlUrl, attempt: number): Answer | undefined {
    const { links, redirects, failures } = this.#byUrl.get(url)!;
    if (attempt < failures) {
      return attempt < RETRIES ? undefined : { outcome: OUTCOME.failed, found: [] };
    }
    const found = links.map((page) => this.#pages[page]!.url);
    return { outcome: redirects ? OUTCOME.redirect : OUTCOME.page, found };
  }

  /** Every host of this web. */
  get hosts(): readonly string[] {
    return [...new Set(this.#pages.map(({ url }) => hostnameOf(url)))];
  }

  /** Every URL that a crawl must visit to which these seeds were added, with how the visit ends. */
  truth(added: readonly CrawlUrl[] = []): Map<CrawlUrl, number> {
    const scope = this.openScope();
    // What seeds lead to belongs to the scope, however many redirects that takes.
    const targets = new Set([...this.seeds, ...added]);
    for (const url of targets) {
      const { outcome, found } = this.ask(url, RETRIES)!;
      if (outcome === OUTCOME.redirect) for (const target of found) targets.add(target);
    }
    for (const url of targets) scope.addSeed(url);
    const ends = new Map<CrawlUrl, number>([...targets].map((url) => [url, 0]));
    for (const url of ends.keys()) {
      const { outcome, found } = this.ask(url, RETRIES)!;
      ends.set(url, outcome);
      for (const next of found)
        if (!ends.has(next) && scope.refusal(next) === undefined) ends.set(next, 0);
    }
    return ends;
  }
}
