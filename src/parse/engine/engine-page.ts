import type { PackedLinks } from "../../page-engine/packed-links.ts";
import {
  BASE,
  type EngineRecord,
  IS_LANGUAGE_PLAIN,
  IS_TITLE_PLAIN,
  LANGUAGE,
  LANGUAGE_END,
  LINKS_ALL,
  openPageEngine,
  type PageEngine,
  PIECES,
  RECORDS,
  type ResolveRules,
  TITLE,
  TITLE_END,
  WORDS,
} from "../../page-engine/page-engine.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { charsetOf } from "../charset/charset.ts";
import { agentName, type FoundLink, metaLengths, metaName, noteMeta, REFRESH } from "../harvest.ts";
import { LinkTargets, Resolver } from "../link-targets.ts";
import { NOT_ASCII_COMPATIBLE } from "../links.ts";
import { PageText, wellFormed } from "../page-text.ts";
import {
  describe,
  MAX_LINKS,
  type ParsedPage,
  type ParseOptions,
  type RefusedLink,
  titleOf,
} from "../parsed-page.ts";
import type { RobotsDirectives } from "../robots-meta.ts";
import type { AttributeName } from "../tag-reader.ts";
import { T, tagName } from "../tags.ts";
import {
  classesOf,
  FIRST_WORDS,
  MAX_WORD_CHARACTERS,
  SINGLE_BYTE,
  UTF8,
} from "../words/word-counter.ts";
import { ENGINE_TABLES } from "./engine-tables.ts";

/** The engine reads any page that it takes in less time than this, so a larger budget need not be watched. */
const MIN_BUDGET_MS = 1000;

/** A byte order mark of UTF-8. */
const MARK_BYTES = 3;

/** One per thread, opened with the first page. */
let own: PageEngine | undefined;
let isOpened = false;

/** The engine of this thread; undefined where there is none. */
export function pageEngine(): PageEngine | undefined {
  if (!isOpened) own = openPageEngine(ENGINE_TABLES);
  isOpened = true;
  return own;
}

/** Pages that the engine has read, and pages that it left to the reference; for tests and measurements. */
export const engineCounts = { read: 0, left: 0, asked: 0, trapped: 0 };

/** What `parsePage` returns, by the page engine; undefined when the reference must read the page. */
export function parseByEngine(
  body: Uint8Array,
  url: CrawlUrl,
  options: ParseOptions,
  engine: PageEngine | undefined = own ?? pageEngine(),
): ParsedPage | undefined {
  if (options !== rules?.options) rules = rulesOf(options);
  if (!rules.isPlain || engine === undefined || body.length > engine.maxPageBytes) return undefined;
  try {
    const page = read(engine, body, url, rules);
    if (page === undefined) engineCounts.left++;
    else engineCounts.read++;
    return page;
  } catch {
    // A trap leaves nothing behind but what the next page overwrites, and this page has another way.
    engineCounts.trapped++;
    return undefined;
  }
}

/** What options ask of the engine. */
interface EngineRules extends ResolveRules {
  readonly options: ParseOptions;
  /** Nothing is asked for that the engine does not do. */
  readonly isPlain: boolean;
  readonly maxLinks: number;
  readonly agent: string;
}

/** Of the last page: nearly all pages have the same options. */
let rules: EngineRules | undefined;

function rulesOf(options: ParseOptions): EngineRules {
  const { budgetMs = MIN_BUDGET_MS, maxLinks = MAX_LINKS, seedLow = 0, seedHigh = 0 } = options;
  const asksMore = options.assets || options.lazy || options.forms || options.words === false;
  const agent = agentName(options.agent);
  return {
    options,
    isPlain: !asksMore && budgetMs >= MIN_BUDGET_MS,
    maxLinks,
    agent,
    asksRel: options.skipNofollow === true,
    metaLengths: metaLengths(agent),
    seedLow,
    seedHigh,
  };
}

/** How an engine reads pages in a charset: its kind of bytes, below 0 when it cannot. */
interface Coding {
  readonly engine: PageEngine;
  readonly charset: string;
  readonly kind: number;
  readonly text: PageText;
}

/** Of the last page. */
let coding: Coding | undefined;

function codingOf(engine: PageEngine, charset: string): Coding {
  const classes = classesOf(charset);
  const kind = classes === UTF8 ? 0 : classes === SINGLE_BYTE ? 1 : 2;
  const text = new PageText(engine.page, charset);
  return { engine, charset, kind: NOT_ASCII_COMPATIBLE.has(charset) ? -1 : kind, text };
}

function read(
  engine: PageEngine,
  body: Uint8Array,
  url: CrawlUrl,
  rules: EngineRules,
): ParsedPage | undefined {
  const { options } = rules;
  const charset = charsetOf(body, options.contentType);
  if (charset !== coding?.charset || engine !== coding.engine) coding = codingOf(engine, charset);
  const { kind, text } = coding;
  if (kind < 0) return undefined;
  const isMarked = charset === "utf-8" && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  // Most bodies were decoded right here.
  const isInPlace =
    body.buffer === engine.page.buffer && body.byteOffset === engine.page.byteOffset;
  if (!isInPlace) engine.page.set(body);
  if (!engine.scan(isMarked ? MARK_BYTES : 0, body.length, kind)) return undefined;
  const { found } = engine;
  if (found[RECORDS]! > rules.maxLinks) return undefined;
  // Few pages have a base element, or anything to ask about.
  let resolver: Resolver | undefined;
  let targets: LinkTargets | undefined;
  const baseAt = found[BASE]!;
  if (baseAt >= 0) resolver = new Resolver(url, contentOf(text, engine.record(baseAt)));
  if (resolver?.isForeign) return undefined;
  const page = new EnginePage(charset, resolver?.base);
  if (metas.size > 0) metas.clear();
  const links = engine.resolve(page.base ?? url, rules, (record) => {
    engineCounts.asked++;
    if (record.tag === T.base) return undefined;
    const name = record.tag === T.meta ? metaNameOf(text, record) : REFRESH;
    if (name === REFRESH) {
      resolver ??= new Resolver(url, undefined);
      targets ??= new LinkTargets(page, resolver, options);
      return targets.of(linkOf(text, record), false);
    }
    noteMeta({ metas, robots: page.robots }, name, rules.agent, () => contentOf(text, record));
    return undefined;
  });
  if (links === undefined) return undefined;
  page.packed = links;
  page.linkCount = links.length;
  page.linksAll = found[LINKS_ALL]!;
  page.words = found[WORDS]!;
  page.firstText = engine.firstText();
  if (page.firstText === undefined) page.foundWords = firstWords(engine, text);
  const titleFrom = found[TITLE]!;
  const titleTo = found[TITLE_END]!;
  if (found[IS_TITLE_PLAIN] === 1) page.title = engine.page.latin1Slice(titleFrom, titleTo);
  else if (titleFrom >= 0) page.title = titleOf(text.text(titleFrom, titleTo));
  const languageFrom = found[LANGUAGE]!;
  const languageTo = found[LANGUAGE_END]!;
  if (found[IS_LANGUAGE_PLAIN] === 1 && metas.size === 0)
    page.language = engine.page.latin1Slice(languageFrom, languageTo);
  else
    describe(page, languageFrom < 0 ? undefined : text.attribute(languageFrom, languageTo), metas);
  return page;
}

/** The meta elements of the page that is read. */
const metas = new Map<string, string>();

/**
 * A page as the engine read it: its links become strings when somebody asks for them. Its fields are assigned in the
 * constructor, because V8 calls another function for fields of a class.
 */
class EnginePage implements ParsedPage {
  declare packed: PackedLinks | undefined;
  declare linkCount: number;
  declare linksAll: number;
  declare linksDropped: number;
  declare refused: RefusedLink[];
  declare nofollowed: number;
  declare assets: CrawlUrl[];
  declare feeds: CrawlUrl[];
  declare base: CrawlUrl | undefined;
  declare title: string;
  declare words: number;
  declare firstText: string | undefined;
  /** The first words where they are no plain text. */
  declare foundWords?: string[];
  declare charset: string;
  declare language?: string;
  declare description?: string;
  declare keywords?: string;
  declare canonical?: CrawlUrl;
  declare refresh?: CrawlUrl;
  declare tdmReservation?: string;
  declare tdmPolicy?: string;
  declare licenses?: CrawlUrl[];
  declare robots: RobotsDirectives;
  declare cut: boolean;

  constructor(charset: string, base: CrawlUrl | undefined) {
    this.packed = undefined;
    this.linkCount = 0;
    this.linksAll = 0;
    this.linksDropped = 0;
    this.refused = [];
    this.nofollowed = 0;
    this.assets = [];
    this.feeds = [];
    this.base = base;
    this.title = "";
    this.words = 0;
    this.firstText = undefined;
    this.charset = charset;
    this.robots = { noindex: false, nofollow: false };
    this.cut = false;
  }

  get firstWords(): string[] {
    return this.foundWords ?? (this.firstText ? this.firstText.split(" ") : []);
  }

  get links(): readonly CrawlUrl[] {
    return (this.packed?.urls() ?? []) as CrawlUrl[];
  }
}

function contentOf(text: PageText, { from, to }: EngineRecord): string {
  return text.attribute(from, to);
}

/** The names of a record's attribute. */
const NAMES: readonly AttributeName[] = [
  ...(["href", "src", "rel", "content", "http-equiv", "name", "lang", "type"] as const),
  "xlink:href",
];

/** A record in the form that the reference gives it. */
function linkOf(text: PageText, record: EngineRecord): FoundLink {
  const { tag, attribute, secondFrom, secondTo, thirdFrom, thirdTo } = record;
  const isMeta = tag === T.meta;
  const hasType = tag === T.link && thirdFrom >= 0;
  return {
    element: tagName(tag),
    attribute: NAMES[attribute]!,
    value: contentOf(text, record),
    rel: isMeta || secondFrom < 0 ? "" : text.attribute(secondFrom, secondTo),
    type: hasType ? text.attribute(thirdFrom, thirdTo) : "",
  };
}

function metaNameOf(text: PageText, record: EngineRecord): string {
  const { secondFrom, secondTo, thirdFrom, thirdTo } = record;
  if (secondFrom >= 0) return metaName(text.attribute(secondFrom, secondTo), undefined);
  return metaName(undefined, thirdFrom < 0 ? undefined : text.attribute(thirdFrom, thirdTo));
}

/** The first words, of the pieces that the engine found: as `WordCounter` puts them together. */
function firstWords(engine: PageEngine, text: PageText): string[] {
  const { pieceEnds } = engine;
  const pieces = engine.found[PIECES]!;
  const first: string[] = [];
  let opened = "";
  for (let i = 0; i < 2 * pieces; i += 2) {
    const to = pieceEnds[i + 1]!;
    if (to >= 0) {
      const from = pieceEnds[i]!;
      if (first.length < FIRST_WORDS && opened.length < MAX_WORD_CHARACTERS)
        opened += text.text(from, Math.min(to, from + 4 * MAX_WORD_CHARACTERS));
    } else {
      if (first.length < FIRST_WORDS) first.push(wellFormed(opened.slice(0, MAX_WORD_CHARACTERS)));
      opened = "";
    }
  }
  return first;
}
