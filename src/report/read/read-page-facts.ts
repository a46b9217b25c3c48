import { parsePage } from "../../parse/page.ts";
import type { ArchivedAnswer } from "../../store/export/payload.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { sketchOf, sketchText } from "../near/min-hash.ts";
import type { LanguageDetector } from "./language.ts";
import type { PageFacts } from "./page-facts.ts";
import type { TokenCounter, Tokens } from "./tokens.ts";
import { contentTypeOf, scanText } from "./visible-text.ts";

const MAX_LANGUAGE_CHARACTERS = 100;

/** What pages are read with. */
export interface ReadingTools {
  readonly tokens: Tokens;
  readonly counter: TokenCounter;
  readonly detector: LanguageDetector;
}

/** The facts of a page: from its line as far as that has them, from its body the rest. */
export function factsOf(
  page: PageLine,
  answer: ArchivedAnswer | undefined,
  { tokens, counter, detector }: ReadingTools,
): PageFacts {
  const words = tokens === "words" ? (page.words ?? 0) : 0;
  const scanned = answer && scanText(page.mime, answer);
  if (answer === undefined || scanned === undefined) {
    const bare: PageFacts = {
      id: page.id,
      decodedBytes: page.decodedBytes ?? answer?.body.length ?? page.bytes,
      tokens: words,
      linksAll: page.linksAll ?? page.links,
      ...languageOf(page.charset, page.language),
    };
    return answer === undefined ? { ...bare, lost: true } : bare;
  }
  const { body } = answer;
  const contentType = contentTypeOf(answer);
  const { text } = scanned;
  const sketch = sketchOf(text);
  return {
    id: page.id,
    decodedBytes: page.decodedBytes ?? body.length,
    tokens: counter === undefined ? words : counter(text),
    linksAll: page.linksAll ?? parsePage(body, page.url as CrawlUrl, { contentType }).linksAll,
    ...languageOf(
      page.charset ?? scanned.charset,
      page.language ?? scanned.language ?? scanned.metas.get("content-language"),
    ),
    detected: detector.detect(text),
    textBytes: Buffer.byteLength(text),
    ...(sketch === undefined ? {} : { sketch: sketchText(sketch) }),
  };
}

function languageOf(charset: string | undefined, language: string | undefined) {
  return {
    ...(charset === undefined ? {} : { charset }),
    ...(language === undefined ? {} : { language: language.slice(0, MAX_LANGUAGE_CHARACTERS) }),
  };
}
