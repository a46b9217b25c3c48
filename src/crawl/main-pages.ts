import type { Page } from "../config/page-handler.ts";
import type { CrawlConfig } from "../config/schema.ts";
import { OrbweaverError } from "../errors.ts";
import { ResponseHead } from "../fetch/response-head.ts";
import { HandlerContext } from "./visit/handler-context.ts";
import type { CheckedHandler } from "./visit/load-handler.ts";
import { PageView, type ViewCaps } from "./visit/page-view.ts";
import { codingOf, readRulesOf } from "./visit/read-page.ts";
import { NOT_WANTED, type PageMessage, type PageReply } from "./visit/remote-handler.ts";

/** What is done with pages on the main thread. */
export interface MainPagesParts {
  /** A handler that is a function of the program. */
  readonly handler: CheckedHandler | undefined;
  /** Takes a page; false, or a promise of it, when nobody wants it any more. */
  readonly onPage: (page: Page) => boolean | Promise<boolean>;
  readonly caps: ViewCaps;
  readonly maxLinks: number;
  readonly log: (url: string, text: string) => void;
}

/** The pages of a crawl with this configuration. */
export function openMainPages(
  config: CrawlConfig,
  parts: Omit<MainPagesParts, "caps" | "maxLinks">,
): MainPages {
  const { maxBodyBytes: maxBytes, maxRatio, parse } = readRulesOf(config);
  const maxLinks = parse.maxLinks ?? Number.POSITIVE_INFINITY;
  return new MainPages({ ...parts, caps: { maxBytes, maxRatio }, maxLinks });
}

/** Pages that crawler threads send to the main thread, where functions of the program see them. */
export class MainPages {
  readonly #parts: MainPagesParts;
  readonly #names = new Set<string>();

  constructor(parts: MainPagesParts) {
    this.#parts = parts;
  }

  /** Settles when the page may be committed, or must not be. */
  async take(message: PageMessage): Promise<PageReply> {
    const { id } = message;
    const { handler, onPage, maxLinks, log } = this.#parts;
    const page = this.#viewOf(message);
    const context = new HandlerContext(message, page, { names: this.#names, maxLinks, log });
    let data: string | undefined;
    try {
      const answer = await handler?.(context);
      if (answer?.links !== undefined) context.enqueue(answer.links);
      data = answer?.data;
    } catch (error) {
      const code = error instanceof OrbweaverError ? error.code : "OW_HANDLER";
      const text = error instanceof Error ? error.message : String(error);
      return { id, fault: { code, message: text } };
    } finally {
      context.end();
    }
    const { enqueued, rows, skipped } = context;
    if (skipped === undefined && !(await onPage(page)))
      return { id, fault: { code: NOT_WANTED, message: "the crawl stops" } };
    return { id, enqueued, rows: rows && [...rows], skipped, data };
  }

  #viewOf({ head: text, body, url, mime, title, charset, links }: PageMessage): PageView {
    const head = ResponseHead.parse(text)!;
    const source = { head, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
    const found = { url, mime, title, charset, codings: codingOf(head), links: () => links };
    return new PageView(source, found, this.#parts.caps);
  }
}
