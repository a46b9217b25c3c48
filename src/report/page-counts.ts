import type { Signals } from "../parse/rights/signals.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { siteOf } from "../url/site.ts";
import { hostnameOf } from "../url/url-parts.ts";
import type { CorpusReport, TimelineBin } from "./corpus-report.ts";
import { Fingerprints } from "./near/clusters.ts";
import { parseSketch } from "./near/min-hash.ts";
import { NearTexts } from "./near/near-texts.ts";
import { DistributionCounter } from "./numbers/distribution.ts";
import { Tally } from "./numbers/tally.ts";
import { ActiveSeconds } from "./read/active-seconds.ts";
import type { SurveyedPage } from "./read/survey.ts";

const MAX_BINS = 60;
/** Shares are counted in parts of this. */
const PARTS = 10_000;
const NONE = "(none)";

/** The numbers of which a report tells the distribution over all pages, and how a page has them. */
const NUMBERS = {
  pageBytes: ({ facts }: SurveyedPage) => facts.decodedBytes,
  wireBytes: ({ page }: SurveyedPage) => page.bytes,
  tokens: ({ facts }: SurveyedPage) => facts.tokens,
  outLinks: ({ page }: SurveyedPage) => page.links,
  outLinksAll: ({ facts }: SurveyedPage) => facts.linksAll,
  depth: ({ page }: SurveyedPage) => page.depth,
} as const;
const NAMES = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];

/** Everything that is counted page by page, in two passes over all pages. */
export class PageCounts {
  readonly numbers = Object.fromEntries(
    NAMES.map((name) => [name, new DistributionCounter()]),
  ) as Record<keyof typeof NUMBERS, DistributionCounter>;
  readonly textRatio = new DistributionCounter(PARTS);
  readonly hosts = new Tally();
  readonly domains = new Tally();
  readonly status = new Tally();
  readonly mime = new Tally();
  readonly charset = new Tally();
  readonly declared = new Tally();
  readonly detected = new Tally();
  /** What pages say about the use of their content. */
  readonly signals = new Tally();
  readonly active: ActiveSeconds;
  /** Of stored bodies. */
  readonly digests = new Fingerprints();
  /** Of texts. */
  readonly texts = new NearTexts();
  pages = 0;
  unread = 0;
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;
  readonly #bins: { pages: number; bytes: number }[] = [];

  constructor(dir: string) {
    this.active = new ActiveSeconds(dir);
  }

  /** Takes a page in the first pass. */
  add(surveyed: SurveyedPage): void {
    const { page, facts, number } = surveyed;
    this.pages++;
    if (facts.lost) this.unread++;
    for (const name of NAMES) this.numbers[name].add(NUMBERS[name](surveyed));
    if (facts.textBytes !== undefined) this.textRatio.add(textShare(surveyed));
    const host = hostnameOf(page.url as CrawlUrl);
    this.hosts.add(host);
    this.domains.add(siteOf(host));
    this.status.add(String(page.status));
    this.mime.add(page.mime || NONE);
    this.charset.add(facts.charset ?? NONE);
    this.declared.add(primaryTag(facts.language));
    this.detected.add(facts.detected || NONE);
    for (const name of signalNames(page.signals)) this.signals.add(name);
    const timeMs = Date.parse(page.time);
    this.active.add(timeMs);
    if (timeMs < this.#fromMs) this.#fromMs = timeMs;
    if (timeMs > this.#toMs) this.#toMs = timeMs;
    this.#addPrints(number, page.digest, facts.sketch);
  }

  #addPrints(number: number, digest: string, sketch: string | undefined): void {
    // "sha256:" and hexadecimal; "" where no store kept the body.
    const hex = digest.slice(digest.indexOf(":") + 1);
    if (hex.length >= 16) this.digests.add(number, wordOf(hex, 0), wordOf(hex, 8));
    if (sketch !== undefined) this.texts.add(number, parseSketch(sketch));
  }

  /** Takes a page in the second pass. */
  refine(surveyed: SurveyedPage): void {
    for (const name of NAMES) this.numbers[name].refine(NUMBERS[name](surveyed));
    if (surveyed.facts.textBytes !== undefined) this.textRatio.refine(textShare(surveyed));
    const { time, bytes } = surveyed.page;
    const at = Math.floor((Date.parse(time) - this.#fromMs) / this.#binMs);
    if (!Number.isFinite(at)) return;
    this.#bins[at] ??= { pages: 0, bytes: 0 };
    this.#bins[at].pages++;
    this.#bins[at].bytes += bytes;
  }

  /** When pages were fetched, after both passes. */
  timeline(): CorpusReport["timeline"] {
    const bins = Array.from(this.#bins, (bin, i): TimelineBin => {
      const time = new Date(this.#fromMs + i * this.#binMs).toISOString();
      return { time, pages: bin?.pages ?? 0, bytes: bin?.bytes ?? 0 };
    });
    return { secondsPerBin: this.#binMs / 1000, bins };
  }

  /** Whole seconds, at most `MAX_BINS` of them. */
  get #binMs(): number {
    const spanMs = Math.max(0, this.#toMs - this.#fromMs);
    return Math.max(1, Math.ceil((spanMs + 1) / MAX_BINS / 1000)) * 1000;
  }
}

function textShare({ facts }: SurveyedPage): number {
  const { textBytes = 0, decodedBytes } = facts;
  return decodedBytes === 0 ? 0 : Math.min(1, textBytes / decodedBytes) * PARTS;
}

/** "pt-BR" and "PT_br" are both "pt". */
function primaryTag(language: string | undefined): string {
  return (
    language
      ?.trim()
      .toLowerCase()
      .split(/[-_,; ]/, 1)[0] || NONE
  );
}

function wordOf(hex: string, from: number): number {
  return Number.parseInt(hex.slice(from, from + 8), 16);
}

/** The signals of a page as the report names them. */
function signalNames(signals: Signals | undefined): string[] {
  if (signals === undefined) return [];
  const { tdmReservation, noai, noimageai, contentSignal, robotsTag, licenses = [] } = signals;
  return [
    ...(tdmReservation === undefined ? [] : [`tdm-reservation: ${tdmReservation}`]),
    ...(noai ? ["noai"] : []),
    ...(noimageai ? ["noimageai"] : []),
    ...(contentSignal === undefined ? [] : [`Content-Signal: ${contentSignal}`]),
    ...(robotsTag === undefined ? [] : [`X-Robots-Tag: ${robotsTag}`]),
    ...licenses.map((license) => `license: ${license}`),
  ];
}
