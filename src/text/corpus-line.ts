import { createHash } from "node:crypto";
import { isHtml } from "../fetch/fetcher.ts";
import { charsetOf, decodeText } from "../parse/charset/charset.ts";
import { wellFormed } from "../parse/page-text.ts";
import { sketchOf, sketchText } from "../report/near/min-hash.ts";
import type { LanguageDetector } from "../report/read/language.ts";
import { contentTypeOf } from "../report/read/visible-text.ts";
import type { ArchivedAnswer } from "../store/export/payload.ts";
import type { PageLine } from "../store/lists/page-line.ts";
import type { TextLibraries } from "./dom.ts";
import { mainContent } from "./main-content.ts";

/** What the corpus says about a page. */
export interface CorpusLine {
  readonly url: string;
  readonly title: string;
  /** ISO 8601; null where the page names none. */
  readonly date: string | null;
  /** Two letters; null when it cannot be told. */
  readonly language: string | null;
  readonly author: string | null;
  readonly text?: string;
  readonly markdown?: string;
  readonly words: number;
  /** sha256 of the plain text in UTF-8. */
  readonly digest: string;
}

/** A line of the file between the two steps: with what tells duplicates apart, the plain text in any case, and the page's id. */
export interface ExtractedLine extends CorpusLine {
  readonly id: string;
  readonly ts: string;
  readonly text: string;
  /** Only of texts that are long enough. */
  readonly sketch?: string;
}

/** A page without a text. */
export interface LeftOutLine {
  readonly id: string;
  readonly url: string;
  readonly leftOut: string;
}

/** What texts are made with. */
export interface TextTools {
  readonly libraries: TextLibraries;
  readonly detector: LanguageDetector;
  readonly isMarkdown: boolean;
}

/** The line of a page, or why it has none. */
export function corpusLine(
  page: PageLine,
  answer: ArchivedAnswer | undefined,
  tools: TextTools,
): ExtractedLine | LeftOutLine {
  const { id, url } = page;
  if (answer === undefined) return { id, url, leftOut: "not_archived" };
  const isPlain = /^text\/(?:plain|markdown)$/.test(page.mime);
  if (!isPlain && page.mime !== "" && !isHtml(page.mime)) return { id, url, leftOut: "not_html" };
  const { body } = answer;
  const source = decodeText(body, page.charset ?? charsetOf(body, contentTypeOf(answer)));
  try {
    const found = isPlain ? plainContent(source) : htmlContent(source, page, tools);
    if (found === undefined || found.text.trim() === "") return { id, url, leftOut: "no_text" };
    return lineOf(page, found, tools);
  } catch (fault) {
    // A page may be too deep for the stack, or have names that the DOM does not take.
    return { id, url, leftOut: fault instanceof RangeError ? "too_deep" : "extractor_failed" };
  }
}

type Found = NonNullable<ReturnType<typeof mainContent>>;

function plainContent(source: string): Found {
  const text = source.replace(/\r\n?/g, "\n").trim();
  return { title: "", author: "", published: "", text, markdown: text };
}

function htmlContent(source: string, { url }: PageLine, tools: TextTools): Found | undefined {
  return mainContent(tools.libraries, source, url, tools.isMarkdown);
}

function lineOf(page: PageLine, found: Found, { detector, isMarkdown }: TextTools): ExtractedLine {
  const text = wellFormed(found.text);
  const sketch = sketchOf(text);
  return {
    id: page.id,
    ts: page.ts,
    url: page.url,
    title: found.title || page.title,
    date: dateOf(found.published),
    language: detector.detect(text) || declared(page.language),
    author: found.author || null,
    text,
    ...(isMarkdown ? { markdown: wellFormed(found.markdown ?? "") } : {}),
    words: text.match(/\S+/g)?.length ?? 0,
    digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
    ...(sketch === undefined ? {} : { sketch: sketchText(sketch) }),
  };
}

/** A date, or a date with its time; what cannot be read is left out. */
function dateOf(published: string): string | null {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(published)?.[0];
  if (day !== undefined && published.length === day.length)
    return Number.isNaN(Date.parse(day)) ? null : day;
  const ms = Date.parse(published);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function declared(language: string | undefined): string | null {
  return /^([a-z]{2})(?:-|$)/i.exec(language ?? "")?.[1]?.toLowerCase() ?? null;
}
