import type { CrawlConfig } from "../../config/schema.ts";
import { productToken } from "../../config/user-agent.ts";
import { type DecodeResult, decodeBody, lendMemory } from "../../fetch/coding/decode.ts";
import { isHtml, mimeOf } from "../../fetch/fetcher.ts";
import { ResponseHead } from "../../fetch/response-head.ts";
import type { RequestHeaders, Response } from "../../fetch/transport.ts";
import type { Via } from "../../frontier/via.ts";
import { pageEngine } from "../../parse/engine/engine-page.ts";
import { headerLicenses, headerPages } from "../../parse/link-header.ts";
import type { Sitemap } from "../../parse/lists/sitemap-reader.ts";
import { parseRefresh } from "../../parse/meta-refresh.ts";
import { type ParsedPage, type ParseOptions, parsePage } from "../../parse/page.ts";
import { headerSignals, type Signals, withPageSignals } from "../../parse/rights/signals.ts";
import type { RobotsDirectives } from "../../parse/robots-meta.ts";
import { robotsTag } from "../../parse/robots-tag.ts";
import { looksLikeHtml } from "../../parse/sniff.ts";
import { giveBackMemory } from "../../runtime/collect-garbage.ts";
import type { EarlierRecord } from "../../store/capture.ts";
import { sha256 } from "../../store/warc/digest.ts";
import type { EarlierCrawl } from "../../store/warc/earlier-crawl.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { ListReader } from "./list-reader.ts";
import { type PageText, textOf } from "./traps/text-shingles.ts";

/** A response after reading its content. */
export interface ReadPage {
  /** A 2xx response that counts as a page; a sitemap does not. */
  readonly isPage: boolean;
  readonly mime: string;
  /** Length of the body without its content coding; undefined where that was not removed. */
  readonly decodedBytes: number | undefined;
  /** Present for HTML. */
  readonly parsed: ParsedPage | undefined;
  /** Its text, when that was asked for. */
  readonly text?: PageText | undefined;
  /** Targets of the headers `Link` and `Refresh`. */
  readonly headerLinks: readonly CrawlUrl[];
  /** What robots meta and X-Robots-Tag ask for, added up. */
  readonly robots: RobotsDirectives;
  /** What is said about the use of its content. */
  readonly signals?: Signals | undefined;
  /** With --obey-tdm: the signal that keeps it from being kept. */
  readonly reserved?: string | undefined;
  /** Present for sitemaps and feeds that were fetched as such. */
  readonly listed: Sitemap | undefined;
  /** Present when the page has not changed since an earlier crawl (304). */
  readonly unchanged?: EarlierRecord;
  /** What was wrong with the body, as a stable code. */
  readonly flag: string | undefined;
  /** Why the body was not received whole. One that is whole and decodes to more than may be read is not truncated. */
  readonly truncated: Response["truncated"];
  /** CPU time that decoding and scanning took, as far as it can be told. */
  readonly costMs: number;
  /** The body without its content coding, borrowed: valid until the event loop turns. */
  readonly decoded?: Buffer | undefined;
  /** What the user's handler wants kept with the page, as JSON. */
  readonly data?: string | undefined;
  /** What it pushed, as `packRows` packs it. */
  readonly rows?: string | undefined;
  /** What it gave to links, where it gave anything. */
  readonly notes?: ReadonlyMap<CrawlUrl, string> | undefined;
  /** Why it does not want the page kept. */
  readonly refusal?: string | undefined;
}

/** Limits of bodies, and how they are parsed. */
export interface ReadRules {
  readonly maxBodyBytes: number;
  readonly maxRatio: number;
  readonly parse: ParseOptions & { readonly agent: string };
  /** False with --no-robots: directives are ignored. */
  readonly obeyDirectives: boolean;
}

/** A body may decode to this many times its size before it counts as a bomb. */
const MAX_RATIO = 200;

/** The seed of a crawl's fingerprints. */
export interface UrlSeed {
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** The rules for reading pages, from the crawl's configuration; fingerprints of links are made with its seed. */
export function readRulesOf(config: CrawlConfig, seed?: UrlSeed): ReadRules {
  return {
    maxBodyBytes: config.maxBodyBytes,
    maxRatio: MAX_RATIO,
    obeyDirectives: config.robots,
    parse: {
      agent: productToken(config.userAgent),
      maxLinks: config.maxLinksPerPage,
      assets: config.archival,
      lazy: config.archival,
      forms: config.forms,
      feeds: config.feeds,
      skipNofollow: config.relNofollow === "skip",
      seedLow: seed?.seedLow,
      seedHigh: seed?.seedHigh,
    },
  };
}

/** CPU time after which the rest of a page is skipped. */
const PARSE_BUDGET_MS = 2000;

/** Scanning is linear: less than this takes no time worth noting. */
const MIN_TIMED_BYTES = 64 * 1024;
/** After a page of this size the garbage is worth collecting. */
const LARGE_PAGE_BYTES = 4 * 1024 * 1024;

const NO_DIRECTIVES: RobotsDirectives = Object.freeze({ noindex: false, nofollow: false });
const NO_LINKS: readonly CrawlUrl[] = [];

/** A page while it is read. */
type Reading = { -readonly [Field in keyof ReadPage]: ReadPage[Field] };

/**
 * Decodes and parses a 2xx HTML response or list; anything else is only classified. `wantsText` asks for its text
 * as well, which takes time. Synchronous unless decoding takes long.
 */
export function readPage(
  url: CrawlUrl,
  via: Via,
  response: Response,
  rules: ReadRules,
  wantsText = false,
): ReadPage | Promise<ReadPage> {
  const { head, body } = response;
  const isOk = head.status >= 200 && head.status <= 299;
  if (isOk && response.tap instanceof ListReader) return readList(response.tap, response);
  const mime = mimeOf(head);
  const coding = codingOf(head);
  const saysMore = isOk && head.maySayMore;
  // Every field from the beginning: one object for a page, and all of one shape.
  const page: Reading = {
    isPage: isOk,
    mime,
    decodedBytes: coding === undefined ? body.length : undefined,
    decoded: undefined,
    parsed: undefined,
    text: undefined,
    headerLinks: saysMore ? headerLinksOf(head, url) : NO_LINKS,
    robots: saysMore ? headerDirectives(head, rules) : NO_DIRECTIVES,
    signals: saysMore ? headSignals(head, url, rules) : undefined,
    listed: undefined,
    flag: response.flag,
    truncated: response.truncated,
    costMs: 0,
  };
  const maybeHtml = via !== "asset" && (mime === "" || isHtml(mime));
  if (!isOk || body.length === 0 || !maybeHtml) return page;
  if (!isLent) lendEngine();
  const { maxBodyBytes: maxBytes, maxRatio } = rules;
  const decoding = decodeBody(body, coding, { maxBytes, maxRatio, borrow: true });
  return decoding instanceof Promise
    ? decoding.then((decoded) => parseDecoded(page, url, head, decoded, rules, wantsText))
    : parseDecoded(page, url, head, decoding, rules, wantsText);
}

let isLent = false;

/** Bodies are decoded where the page engine reads them. */
function lendEngine(): void {
  isLent = true;
  const engine = pageEngine();
  if (engine !== undefined) lendMemory(engine.page);
}

/** The value of Content-Encoding, several lines as one. */
export function codingOf(head: ResponseHead): string | undefined {
  return head.contentCoding;
}

/** Fills in what the body says, if it is HTML. */
function parseDecoded(
  page: Reading,
  url: CrawlUrl,
  head: ResponseHead,
  { bytes, flag, costMs = 0 }: DecodeResult,
  rules: ReadRules,
  wantsText: boolean,
): ReadPage {
  page.flag ??= flag;
  page.costMs = costMs;
  page.decodedBytes = flag === "bad_encoding" ? undefined : bytes.length;
  if (flag === "bad_encoding" || !looksLikeHtml(bytes, page.mime !== "")) {
    page.flag ??= "not_html";
    return page;
  }
  const contentType = head.contentType;
  // The same options as long as servers send the same type, as nearly all do.
  if (latest?.rules !== rules || latest.contentType !== contentType) {
    const options = { ...rules.parse, contentType, budgetMs: PARSE_BUDGET_MS };
    latest = { rules, contentType, options };
  }
  // Looking at the clock costs more than a small page could waste.
  const isTimed = bytes.length >= MIN_TIMED_BYTES;
  const startMs = isTimed ? performance.now() : 0;
  const parsed = parsePage(bytes, url, latest.options);
  if (wantsText) page.text = textOf(bytes, url);
  if (isTimed) page.costMs += performance.now() - startMs;
  if (bytes.length >= LARGE_PAGE_BYTES) giveBackMemory();
  page.parsed = parsed;
  page.decoded = bytes;
  const { noindex, nofollow } = parsed.robots;
  if (rules.obeyDirectives && (noindex || nofollow))
    page.robots = strictest(page.robots, parsed.robots);
  page.signals = withPageSignals(page.signals, parsed);
  if (parsed.cut) page.flag ??= "parse_budget";
  return page;
}

let latest:
  | { rules: ReadRules; contentType: string | undefined; options: ParseOptions }
  | undefined;

function headerDirectives(head: ResponseHead, rules: ReadRules): RobotsDirectives {
  if (!rules.obeyDirectives || head.find("x-robots-tag") < 0) return NO_DIRECTIVES;
  return robotsTag(head.all("x-robots-tag"), rules.parse.agent);
}

/** Hardly any server sends one of these headers. */
function headSignals(head: ResponseHead, url: CrawlUrl, rules: ReadRules): Signals | undefined {
  const hasTag = head.find("x-robots-tag") >= 0;
  const hasLink = head.find("link") >= 0;
  if (!hasTag && !hasLink && head.find("tdm-reservation") < 0) return undefined;
  const tag = hasTag ? head.all("x-robots-tag") : [];
  return headerSignals({
    reservation: head.get("tdm-reservation"),
    policy: head.get("tdm-policy"),
    robotsTag: tag.join(", "),
    directives: hasTag ? robotsTag(tag, rules.parse.agent) : undefined,
    licenses: hasLink ? headerLicenses(head.all("link").join(", "), url) : undefined,
  });
}

function strictest(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  const noindex = a.noindex || b.noindex;
  const nofollow = a.nofollow || b.nofollow;
  return { noindex, nofollow };
}

function headerLinksOf(head: ResponseHead, url: CrawlUrl): readonly CrawlUrl[] {
  if (head.find("link") < 0 && head.find("refresh") < 0) return NO_LINKS;
  const links = headerPages(head.all("link").join(", "), url);
  const refresh = parseRefresh(head.get("refresh") ?? "")?.link;
  const target = refresh === undefined ? undefined : canonicalize(refresh, url);
  return target === undefined || links.includes(target) ? links : [...links, target];
}

/** A sitemap or a feed, which was read while it arrived: no page, but a list of pages and further lists. */
async function readList(reader: ListReader, response: Response): Promise<ReadPage> {
  const { listed, flag, costMs } = await reader.finish();
  return {
    isPage: false,
    mime: mimeOf(response.head),
    decodedBytes: undefined,
    parsed: undefined,
    headerLinks: NO_LINKS,
    robots: NO_DIRECTIVES,
    listed,
    // What could not be decoded is no wonder to be unknown.
    flag: isUnread(listed, flag) ? flag : (listed.error ?? response.flag ?? flag),
    truncated: response.truncated,
    costMs,
  };
}

function isUnread({ error }: Sitemap, flag: string | undefined): boolean {
  return flag === "decode_budget" && error === "sitemap_unknown";
}

const SENDABLE = /^[\x20-\x7e]{1,512}$/;

/** The headers that make a server send a page only if it has changed since the earlier crawl. */
export function validatorsOf(earlier: EarlierCrawl, url: CrawlUrl): RequestHeaders | undefined {
  const head = earlierResponse(earlier, url)?.head;
  const etag = head?.get("etag") ?? "";
  const modified = head?.get("last-modified") ?? "";
  const headers: [string, string][] = [];
  if (SENDABLE.test(etag)) headers.push(["If-None-Match", etag]);
  if (SENDABLE.test(modified)) headers.push(["If-Modified-Since", modified]);
  return headers.length === 0 ? undefined : headers;
}

/** The page as the earlier crawl got it; undefined when it cannot be found any more. */
export function earlierResponse(earlier: EarlierCrawl, url: CrawlUrl) {
  const found = earlier.find(url);
  const head = ResponseHead.parse(found?.head ?? "");
  if (found === undefined || head === undefined) return undefined;
  const { recordId, uri, date, payloadDigest, body } = found;
  return { head, body, record: { recordId, uri, date, payloadDigest } };
}

/**
 * Reads the page behind a 304 from the earlier crawl, because its links still have to be followed. When it cannot be
 * found any more, the response counts as it is: a status without a page.
 */
export async function readUnchanged(
  url: CrawlUrl,
  response: Response,
  earlier: EarlierCrawl,
  rules: ReadRules,
): Promise<ReadPage> {
  const found = earlierResponse(earlier, url);
  if (found === undefined) return readPage(url, "link", response, rules);
  const { head, body, record } = found;
  const unchanged = { ...record, payloadSha256: sha256(body) };
  const page = await readPage(url, "link", { ...response, head, body }, rules);
  return { ...page, isPage: false, unchanged, flag: undefined, truncated: undefined };
}
