import { isHtml } from "../../fetch/fetcher.ts";
import { type ScannedPage, scanLinks } from "../../parse/links.ts";
import { looksLikeHtml } from "../../parse/sniff.ts";
import type { ArchivedAnswer } from "../../store/export/payload.ts";

const CONTENT_TYPE = /\ncontent-type[ \t]*:[ \t]*([^\r\n]*)/i;

/** The Content-Type of an archived answer. */
export function contentTypeOf({ head }: ArchivedAnswer): string | undefined {
  return CONTENT_TYPE.exec(head)?.[1];
}

/** An archived page scanned for its visible text; undefined when the crawl did not take it for HTML. */
export function scanText(mime: string, answer: ArchivedAnswer): ScannedPage | undefined {
  const { body } = answer;
  const isPageOfText =
    body.length > 0 && (mime === "" || isHtml(mime)) && looksLikeHtml(body, mime !== "");
  if (!isPageOfText) return undefined;
  return scanLinks(body, { contentType: contentTypeOf(answer), text: true });
}
