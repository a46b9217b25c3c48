import type { PackedLinks } from "../page-engine/packed-links.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { wellFormed } from "./page-text.ts";
import type { RobotsDirectives } from "./robots-meta.ts";

/** What a crawler needs of a page. */
export interface ParsedPage {
  /** Distinct and canonical, in order of first appearance, at most maxLinks. */
  readonly links: readonly CrawlUrl[];
  /** How many those are: asking for them as strings may cost more than the page. */
  linkCount: number;
  /** The same as bytes and fingerprints, where the page engine has read the page. */
  readonly packed?: PackedLinks | undefined;
  /** The same before repeats were left out, and with those beyond maxLinks. */
  linksAll: number;
  /** Links beyond maxLinks, repeats included. */
  linksDropped: number;
  /** The first links that cannot be followed, with the reason. */
  refused: RefusedLink[];
  /** Links left out because they are marked rel=nofollow, repeats included. */
  nofollowed: number;
  /** Images, media, scripts and style sheets, when asked for: distinct, in order, at most maxLinks. */
  assets: CrawlUrl[];
  /** Feeds that the page announces, when asked for. */
  feeds: CrawlUrl[];
  /** The base URL of links, where a base element gives one. */
  base: CrawlUrl | undefined;
  title: string;
  /** Words of the visible text; noscript counts, script, style and template do not. */
  words: number;
  firstWords: string[];
  /** The same with a blank between them, where none has one inside and that is at hand. */
  readonly firstText?: string | undefined;
  /** The WHATWG name of the encoding, in lower case. */
  charset: string;
  language?: string;
  description?: string;
  keywords?: string;
  canonical?: CrawlUrl;
  refresh?: CrawlUrl;
  robots: RobotsDirectives;
  /** Whether the page reserves the rights to text and data mining, as it says it: "1", "0". */
  tdmReservation?: string;
  tdmPolicy?: string;
  /** Targets of its links with rel=license. */
  licenses?: CrawlUrl[];
  /** Only the beginning was read, because the page exceeded its budget. */
  cut: boolean;
}

/** A link that is not followed. */
export interface RefusedLink {
  link: string;
  reason: string;
}

/** How to parse. */
export interface ParseOptions {
  contentType?: string | undefined;
  /** 10,000 when not given. */
  maxLinks?: number | undefined;
  /** Words are counted unless this is false. */
  words?: boolean | undefined;
  /** The crawler's name, which robots meta elements may address. */
  agent?: string | undefined;
  /** Also collect images, media, scripts and style sheets. */
  assets?: boolean | undefined;
  /** Also what scripts would load later: `data-src` and its like. */
  lazy?: boolean | undefined;
  /** Also follow the actions of forms that send by GET. */
  forms?: boolean | undefined;
  /** Also collect announced feeds. */
  feeds?: boolean | undefined;
  /** Leave out links marked rel=nofollow. */
  skipNofollow?: boolean | undefined;
  /** CPU time a page may cost; unlimited when not given. */
  budgetMs?: number | undefined;
  /** The seed of the fingerprints of packed links; 0 when not given. */
  seedLow?: number | undefined;
  seedHigh?: number | undefined;
}

/** When no other limit is given. */
export const MAX_LINKS = 10_000;
const MAX_TITLE_CHARACTERS = 500;
const MAX_META_CHARACTERS = 1000;
const BLANK = 0x20;
/** Above are white space that `trim` knows, and surrogates. */
const LAST_PLAIN = 0x7e;

/** The title as it is reported. */
export function titleOf(text: string | undefined): string {
  return clean(text, MAX_TITLE_CHARACTERS) ?? "";
}

/** Fills in what the root element and meta elements say about a page. */
export function describe(
  page: Pick<ParsedPage, "language" | "description" | "keywords" | "tdmReservation" | "tdmPolicy">,
  root: string | undefined,
  metas: ReadonlyMap<string, string>,
): void {
  if (root === undefined && metas.size === 0) return;
  const meta = (name: string) => clean(metas.get(name), MAX_META_CHARACTERS);
  const language = clean(root, 100) ?? meta("content-language");
  const description = meta("description");
  const keywords = meta("keywords");
  if (language !== undefined) page.language = language;
  if (description !== undefined) page.description = description;
  if (keywords !== undefined) page.keywords = keywords;
  const reservation = meta("tdm-reservation");
  const policy = meta("tdm-policy");
  if (reservation !== undefined) page.tdmReservation = reservation;
  if (policy !== undefined) page.tdmPolicy = policy;
}

/** Nearly every text: single blanks inside, and nothing else that would be changed. */
function isClean(text: string): boolean {
  let before = BLANK;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < BLANK || (code === BLANK && before === BLANK) || code > LAST_PLAIN) return false;
    before = code;
  }
  return text === "" || before !== BLANK;
}

/** Folds white space, repairs lone surrogates and limits the length without splitting a character. */
function clean(text: string | undefined, maxCharacters: number): string | undefined {
  if (text === undefined) return undefined;
  if (text.length <= maxCharacters && isClean(text)) return text;
  const folded = wellFormed(text.replace(/[\t\n\f\r ]+/g, " ").trim());
  if (folded.length <= maxCharacters) return folded;
  const last = folded.charCodeAt(maxCharacters - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return folded.slice(0, splits ? maxCharacters - 1 : maxCharacters);
}
