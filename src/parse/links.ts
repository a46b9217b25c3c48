import { charsetOf, decodeText } from "./charset/charset.ts";
import { type FoundLink, Harvest, type HarvestOptions } from "./harvest.ts";
import { PageText } from "./page-text.ts";
import { NO_BUDGET, ParseBudget } from "./parse-budget.ts";
import { PASSABLE, quickScan } from "./quick-scan.ts";
import type { RobotsDirectives } from "./robots-meta.ts";
import { TagReader } from "./tag-reader.ts";
import { treeScan } from "./tree-scan.ts";
import { TextCollector } from "./words/text-collector.ts";
import { makeTextRun, type TextRun } from "./words/text-run.ts";
import { MAX_RUN_BYTES } from "./words/text-run-layout.ts";
import { WordCounter } from "./words/word-counter.ts";

/** What to look for besides links. */
export interface ScanOptions extends HarvestOptions {
  /** The Content-Type header, for the charset. */
  contentType?: string | undefined;
  /** Count the words of the visible text. */
  words?: boolean | undefined;
  /** Collect the visible text instead of counting its words. */
  text?: boolean | undefined;
  /** CPU time after which the rest of the page is left unread; without one, all of it is read. */
  budgetMs?: number | undefined;
  /** Always build the tree; for tests and comparisons. */
  exact?: boolean;
}

/** What a page holds, in document order, not yet resolved. */
export interface ScannedPage {
  charset: string;
  links: FoundLink[];
  /** description, keywords and content-language, as far as the page gives them. */
  metas: ReadonlyMap<string, string>;
  robots: RobotsDirectives;
  title: string | undefined;
  language: string | undefined;
  words: number;
  firstWords: string[];
  /** The visible text, when that was asked for. */
  text: string;
  /** Links beyond what is kept. */
  dropped: number;
  /** The page cost more than its budget: only its beginning was read. */
  cut: boolean;
  /** How the page was read: "quick" in one pass, or "tree" because its markup needs it. */
  by: "quick" | "tree";
}

/** In these "<" is not always the byte 3C, so they are turned into UTF-8 before scanning. */
export const NOT_ASCII_COMPATIBLE: ReadonlySet<string> = new Set([
  "utf-16le",
  "utf-16be",
  "iso-2022-jp",
  "replacement",
]);

const NO_BYTES = Buffer.alloc(0);
/** Reused, because one page is scanned at a time; between pages it refers to none. */
const reader = new TagReader(NO_BYTES);

let textRun: TextRun | "none" | undefined;

/** Copies a page into the memory of the word counter; undefined when it is too long or there is no such memory. */
function runOver(buf: Buffer): TextRun | undefined {
  textRun ??= makeTextRun(PASSABLE) ?? "none";
  if (textRun === "none" || buf.length > MAX_RUN_BYTES) return undefined;
  const { page } = textRun;
  page.set(buf);
  page[buf.length] = page[buf.length + 1] = 0;
  return textRun;
}

/** Finds every link of a page with its element, attribute, raw value and rel, as an HTML parser would. */
export function scanLinks(body: Uint8Array, options: ScanOptions = {}): ScannedPage {
  const charset = charsetOf(body, options.contentType);
  let buf: Buffer;
  let scanCharset = charset;
  if (NOT_ASCII_COMPATIBLE.has(charset)) {
    buf = Buffer.from(decodeText(body, charset), "utf8");
    scanCharset = "utf-8";
  } else {
    const mark = charset === "utf-8" && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
    const skip = mark ? 3 : 0;
    buf = Buffer.from(body.buffer, body.byteOffset + skip, body.length - skip);
  }
  const run = options.words === true ? runOver(buf) : undefined;
  if (run !== undefined) buf = run.page.subarray(0, buf.length);
  const text = new PageText(buf, scanCharset);
  reader.open(buf);
  let harvest = new Harvest(reader, text, options);
  const newCounter = () =>
    options.words === true ? new WordCounter(buf, text, scanCharset, run) : undefined;
  const newCollector = () => (options.text === true ? new TextCollector(buf, text) : undefined);
  let counter = newCounter();
  let collector = newCollector();
  let links = harvest.links;
  const budget = options.budgetMs === undefined ? NO_BUDGET : new ParseBudget(options.budgetMs);
  const quick = options.exact !== true && quickScan(reader, harvest, counter ?? collector, budget);
  if (!quick) {
    harvest = new Harvest(reader, text, options);
    counter = newCounter();
    collector = newCollector();
    links = treeScan(reader, harvest, counter ?? collector, budget);
  }
  counter?.endWord();
  reader.open(NO_BYTES);
  return {
    charset,
    links,
    metas: harvest.metas,
    robots: harvest.robots,
    title: harvest.title,
    language: harvest.language,
    words: counter?.words ?? 0,
    firstWords: counter?.first ?? [],
    text: collector?.text ?? "",
    dropped: harvest.dropped,
    cut: budget.exhausted,
    by: quick ? "quick" : "tree",
  };
}
