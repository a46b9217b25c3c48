import type { PackedLinks } from "../../page-engine/packed-links.ts";
import {
  type EngineRecord,
  openPageEngine,
  type PageEngine,
} from "../../page-engine/page-engine.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { charsetOf } from "../charset/charset.ts";
import { agentName, type FoundLink, metaLengths, metaName, noteMeta, REFRESH } from "../harvest.ts";
import { LinkTargets, Resolver } from "../link-targets.ts";
import { NOT_ASCII_COMPATIBLE } from "../links.ts";
import { PageText, type SliceableBuffer, wellFormed } from "../page-text.ts";
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
let own: PageEngine | "none" | undefined;

/** The engine of this thread; undefined where there is none. */
export function pageEngine(): PageEngine | undefined {
  own ??= openPageEngine(ENGINE_TABLES) ?? "none";
  return own === "none" ? undefined : own;
}

/** Pages that the engine has read, and pages that it left to the reference; for tests and measurements. */
export const engineCounts = { read: 0, left: 0, asked: 0, trapped: 0 };

/** What `parsePage` returns, by the page engine; undefined when the reference must read the page. */
export function parseByEngine(
  body: Uint8Array,
  url: CrawlUrl,
  options: ParseOptions,
  engine: PageEngine | undefined = pageEngine(),
): ParsedPage | undefined {
  const { budgetMs = MIN_BUDGET_MS } = options;
  const isPlain = !options.assets && !options.lazy && !options.forms && options.words !== false;
  if (!isPlain || budgetMs < MIN_BUDGET_MS) return undefined;
  if (engine === undefined || body.length > engine.maxPageBytes) return undefined;
  try {
    const page = read(engine, body, url, options);
    if (page === undefined) engineCounts.left++;
    else engineCounts.read++;
    return page;
  } catch {
    // A trap leaves nothing behind but what the next page overwrites, and this page has another way.
    engineCounts.trapped++;
    return undefined;
  }
}

function read(
  engine: PageEngine,
  body: Uint8Array,
  url: CrawlUrl,
  options: ParseOptions,
): ParsedPage | undefined {
  const charset = charsetOf(body, options.contentType);
  if (NOT_ASCII_COMPATIBLE.has(charset)) return undefined;
  const isMarked = charset === "utf-8" && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  engine.begin();
  // Most bodies were decoded right here.
  const isInPlace =
    body.buffer === engine.page.buffer && body.byteOffset === engine.page.byteOffset;
  if (!isInPlace) engine.page.set(body);
  const classes = classesOf(charset);
  const kind = classes === UTF8 ? 0 : classes === SINGLE_BYTE ? 1 : 2;
  if (!engine.scan(isMarked ? MARK_BYTES : 0, body.length, kind)) return undefined;
  const { maxLinks = MAX_LINKS } = options;
  if (engine.records > maxLinks) return undefined;
  const text = new PageText(engine.page, charset);
  const baseAt = engine.firstOf(T.base);
  const base = baseAt < 0 ? undefined : contentOf(text, engine.record(baseAt));
  const resolver = new Resolver(url, base);
  if (resolver.isForeign) return undefined;
  const page = new EnginePage(charset, resolver.base);
  const agent = agentName(options.agent);
  // Few pages have anything to ask about.
  let targets: LinkTargets | undefined;
  if (metas.size > 0) metas.clear();
  const resolved = engine.resolve(resolver.base ?? resolver.page, {
    ask: (record) => {
      engineCounts.asked++;
      if (record.tag === T.base) return undefined;
      const name = record.tag === T.meta ? metaNameOf(text, record) : REFRESH;
      if (name === REFRESH) {
        targets ??= new LinkTargets(page, resolver, options);
        return targets.of(linkOf(text, record), false);
      }
      noteMeta({ metas, robots: page.robots }, name, agent, () => contentOf(text, record));
      return undefined;
    },
    asksRel: options.skipNofollow === true,
    metaLengths: lengthsOf(agent),
    seedLow: options.seedLow ?? 0,
    seedHigh: options.seedHigh ?? 0,
  });
  if (resolved === undefined) return undefined;
  page.packed = resolved.links;
  page.linkCount = resolved.links.length;
  page.linksAll = resolved.all;
  page.words = engine.words;
  page.firstText = firstText(engine);
  if (page.firstText === undefined) page.firstWords = firstWords(engine, text);
  const { titleFrom, languageFrom } = engine;
  page.title = titleFrom < 0 ? "" : titleOf(text.text(titleFrom, engine.titleTo));
  const isTold = languageFrom >= 0;
  describe(page, isTold ? text.attribute(languageFrom, engine.languageTo) : undefined, metas);
  return page;
}

/** The meta elements of the page that is read. */
const metas = new Map<string, string>();

let latest = { agent: "", lengths: metaLengths("") };

/** The lengths of names of meta elements that count; a crawl has one name. */
function lengthsOf(agent: string): number {
  if (agent !== latest.agent) latest = { agent, lengths: metaLengths(agent) };
  return latest.lengths;
}

/** A page as the engine read it: its links become strings when somebody asks for them. */
class EnginePage implements ParsedPage {
  packed: PackedLinks | undefined = undefined;
  linkCount = 0;
  linksAll = 0;
  linksDropped = 0;
  refused: RefusedLink[] = [];
  nofollowed = 0;
  assets: CrawlUrl[] = [];
  feeds: CrawlUrl[] = [];
  base: CrawlUrl | undefined;
  title = "";
  words = 0;
  firstText: string | undefined;
  charset: string;
  declare language?: string;
  declare description?: string;
  declare keywords?: string;
  declare canonical?: CrawlUrl;
  declare refresh?: CrawlUrl;
  declare tdmReservation?: string;
  declare tdmPolicy?: string;
  declare licenses?: CrawlUrl[];
  robots: RobotsDirectives = { noindex: false, nofollow: false };
  cut = false;
  #firstWords: string[] | undefined;

  constructor(charset: string, base: CrawlUrl | undefined) {
    this.charset = charset;
    this.base = base;
  }

  get firstWords(): string[] {
    this.#firstWords ??= this.firstText ? this.firstText.split(" ") : [];
    return this.#firstWords;
  }

  set firstWords(words: string[]) {
    this.#firstWords = words;
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

const FIRST_BYTES = FIRST_WORDS * (MAX_WORD_CHARACTERS + 1);
const firstBytes = Buffer.allocUnsafeSlow(FIRST_BYTES) as SliceableBuffer;
const AMPERSAND = 0x26;

/** The first words with a blank between them; undefined when one is long, or not plain ASCII. */
function firstText(engine: PageEngine): string | undefined {
  const { pieces, pieceEnds, page } = engine;
  const last = 2 * pieces - 1;
  if (pieces > 0 && pieceEnds[last]! >= 0) return undefined;
  let at = 0;
  let wordAt = 0;
  for (let i = 0; i < last; i += 2) {
    const to = pieceEnds[i + 1]!;
    if (to < 0) {
      firstBytes[at++] = 0x20;
      wordAt = at;
    } else {
      const from = pieceEnds[i]!;
      if (at - wordAt + to - from > MAX_WORD_CHARACTERS) return undefined;
      for (let p = from; p < to; p++) {
        const byte = page[p]!;
        if (byte <= 0x20 || byte >= 0x7f || byte === AMPERSAND) return undefined;
        firstBytes[at++] = byte;
      }
    }
  }
  return at === 0 ? "" : firstBytes.latin1Slice(0, at - 1);
}

/** The first words, of the pieces that the engine found: as `WordCounter` puts them together. */
function firstWords(engine: PageEngine, text: PageText): string[] {
  const { pieces, pieceEnds } = engine;
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
