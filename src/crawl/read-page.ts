import { isHtml, mimeOf } from "../fetch/fetcher.ts";
import type { Capture } from "../fetch/outcome.ts";
import { decodeBody } from "../fetch/wire/decode.ts";
import { beginsLikeFile } from "../parse/file-signatures.ts";
import { type ParsedPage, parsePage } from "../parse/page.ts";
import { giveBackMemory } from "../sync/give-back-memory.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";

/** A response after a look inside. */
export interface ReadPage {
  /** A 2xx response: what counts as a page. */
  readonly isPage: boolean;
  readonly mime: string;
  /** Present for HTML. */
  readonly parsed: ParsedPage | undefined;
  /** What was wrong with the body, as a stable code. */
  readonly flag: string | undefined;
  readonly truncated: Capture["truncated"];
}

/** Caps for bodies, from the configuration. */
export interface ReadLimits {
  readonly maxBodyBytes: number;
  readonly maxRatio: number;
  readonly maxLinks: number;
}

/** CPU time after which the rest of a page is left unread. */
const PARSE_BUDGET_MS = 2000;

/** After a page like this there is enough garbage to be worth collecting. */
const LARGE_PAGE_BYTES = 4 * 1024 * 1024;

/** Decodes and parses a 2xx HTML response; anything else is only classified. */
export async function readPage(
  url: CrawlUrl,
  capture: Capture,
  limits: ReadLimits,
): Promise<ReadPage> {
  const { head } = capture;
  const isPage = head.status >= 200 && head.status <= 299;
  const mime = mimeOf(head);
  let { flag, truncated } = capture;
  if (!isPage || capture.body.length === 0 || !(mime === "" || isHtml(mime))) {
    return { isPage, mime, parsed: undefined, flag, truncated };
  }
  const decoding = decodeBody(capture.body, head.all("content-encoding").join(", "), {
    maxBytes: limits.maxBodyBytes,
    maxRatio: limits.maxRatio,
    borrow: true,
  });
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  flag ??= decoded.flag;
  truncated ??= decoded.truncated;
  if (decoded.flag === "bad_encoding" || !looksLikeMarkup(mime, decoded.bytes)) {
    return { isPage, mime, parsed: undefined, flag: flag ?? "not_html", truncated };
  }
  const contentType = head.get("content-type");
  const parsed = parsePage(decoded.bytes, url, {
    maxLinks: limits.maxLinks,
    budgetMs: PARSE_BUDGET_MS,
    ...(contentType === undefined ? {} : { contentType }),
  });
  if (decoded.bytes.length >= LARGE_PAGE_BYTES) giveBackMemory();
  flag ??= parsed.cut ? "parse_budget" : undefined;
  return { isPage, mime, parsed, flag, truncated };
}

/** A body that claims to be HTML but starts like a picture, video or zip file is kept and not parsed. */
function looksLikeMarkup(mime: string, bytes: Buffer): boolean {
  if (beginsLikeFile(bytes)) return false;
  return mime !== "" || /^(?:\u00ef\u00bb\u00bf)?\s*</.test(bytes.toString("latin1", 0, 512));
}
