import { isHtml } from "../../fetch/fetcher.ts";
import { scanLinks } from "../../parse/links.ts";
import { parsePage } from "../../parse/page.ts";
import { looksLikeHtml } from "../../parse/sniff.ts";
import type { ArchivedAnswer } from "../../store/export/payload.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { simHash } from "../near/sim-hash.ts";
import type { LanguageDetector } from "./language.ts";
import type { PageFacts } from "./page-facts.ts";
import type { TokenCounter, Tokens } from "./tokens.ts";

const CONTENT_TYPE = /\ncontent-type[ \t]*:[ \t]*([^\r\n]*)/i;
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
  if (answer === undefined || !isPageOfText(page, answer.body)) {
    const bare: PageFacts = {
      id: page.id,
      decodedBytes: page.decodedBytes ?? answer?.body.length ?? page.bytes,
      tokens: words,
      linksAll: page.linksAll ?? page.links,
      ...languageOf(page.charset, page.language),
    };
    return answer === undefined ? { ...bare, lost: true } : bare;
  }
  const { body, head } = answer;
  const contentType = CONTENT_TYPE.exec(head)?.[1];
  const scanned = scanLinks(body, { contentType, text: true });
  const { text } = scanned;
  const hash = simHash(text);
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
    ...(hash === undefined ? {} : { simHash: hexOf(hash.high) + hexOf(hash.low) }),
  };
}

/** As the crawl decides it. */
function isPageOfText({ mime }: PageLine, body: Uint8Array): boolean {
  return body.length > 0 && (mime === "" || isHtml(mime)) && looksLikeHtml(body, mime !== "");
}

function languageOf(charset: string | undefined, language: string | undefined) {
  return {
    ...(charset === undefined ? {} : { charset }),
    ...(language === undefined ? {} : { language: language.slice(0, MAX_LANGUAGE_CHARACTERS) }),
  };
}

function hexOf(half: number): string {
  return half.toString(16).padStart(8, "0");
}
