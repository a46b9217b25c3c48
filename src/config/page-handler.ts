/**
 * What a user's module does with pages. Every crawler thread has its own, because functions do not cross threads: what
 * it remembers is the thread's. `--handler` names one; `--priority` is one that only has `priority`.
 * `tests/crawl/visit/page-handler.contract.ts` checks what a handler may rely on.
 */
export interface PageHandler {
  /** Sees every page between reading it and following its links. */
  readonly page?: PageFunction | undefined;
  /** With --order opic. */
  readonly priority?: PagePriority | undefined;
}

/** Answers which links are followed instead of the page's own, and what is kept with it; nothing leaves the page as it is. */
export type PageFunction = (page: HandledPage) => PageAnswer | Promise<PageAnswer>;

/** What a page is worth beyond its links, in units of what a seed begins with: asked once, when its URL is admitted; above 16 counts as 16. */
export type PagePriority = (url: string, depth: number) => number;

/** A stored page (status 2xx), or what an unchanged one was when an earlier crawl fetched it. */
export interface HandledPage {
  readonly url: string;
  readonly depth: number;
  readonly status: number;
  /** Media type in lower case without parameters; "" when there is none. */
  readonly mime: string;
  /** "" where the page is not HTML. */
  readonly title: string;
  /** Distinct and canonical, in the order of the page; then those of its `Link` and `Refresh` headers. */
  readonly links: readonly string[];
  /** The first value of a header, in any letter case. */
  header(name: string): string | undefined;
  /** The body without its content coding. Decoded when asked for, so a handler that does not ask pays nothing. */
  body(): Promise<Uint8Array>;
  /** The body as a text, in the page's own character encoding. */
  text(): Promise<string>;
}

/** What a handler may answer. */
export type PageAnswer =
  | {
      /**
       * Followed instead of the page's own, in this order; relative ones count from the page. Scope, depth, robots and
       * traps apply as to any link, and what is no http(s) URL is left out.
       */
      readonly links?: readonly string[] | undefined;
      /** A JSON value of at most 8,192 characters; kept in pages.jsonl and in the archive's metadata record. */
      readonly data?: unknown;
    }
  | null
  | undefined;
