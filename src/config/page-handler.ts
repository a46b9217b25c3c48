/**
 * What a user's module does with pages. Every crawler thread has its own, because functions do not cross threads: what
 * it remembers is the thread's. `--handler` names one; `--priority` is one that only has `priority`.
 * `tests/crawl/visit/page-handler.contract.ts` checks what a handler may rely on; docs/library.md explains it.
 */
export interface PageHandler {
  /** Sees every page between reading it and following its links. */
  readonly page?: PageFunction | undefined;
  /** With --order opic. */
  readonly priority?: PagePriority | undefined;
}

/** Called with every stored page. It may be asynchronous; when it throws, the page is tried again, and then fails. */
export type PageFunction = (context: PageContext) => PageAnswer | Promise<PageAnswer>;

/** What a page is worth beyond its links, in units of what a seed begins with: asked once, when its URL is admitted; above 16 counts as 16. */
export type PagePriority = (url: string, depth: number) => number;

/** Whether a link that is in scope is visited: asked whenever one is found that is not known yet. Seeds are not asked about. */
export type ShouldVisit = (url: string, depth: number) => boolean;

/**
 * Called before every request for a page, whatever server it goes to, with the headers by their names: it may change
 * them, or answer others. Those that the crawl sets itself (Host, User-Agent, Accept-Encoding, conditions) stay.
 */
export type BeforeRequest = (
  headers: Record<string, string>,
  url: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that changes what it is given is the usual one.
) => Readonly<Record<string, string>> | void;

/** A value that JSON can hold, given to a URL when it is enqueued; at most 1,024 characters as JSON. */
export type UserData = Readonly<Record<string, unknown>>;

/** How a URL was asked for. */
export interface PageRequest {
  readonly url: string;
  /** Links from a seed; 0 for seeds. */
  readonly depth: number;
  /** The page it was found on first; undefined for seeds. */
  readonly parent: string | undefined;
  /** How it was found: "seed", "link", "redirect", … */
  readonly via: string;
  /** Tries that failed before this one. */
  readonly attempt: number;
  /** What `enqueue` gave it. */
  readonly label: string | undefined;
  readonly userData: UserData;
}

/** What the server answered. */
export interface PageResponse {
  readonly url: string;
  readonly status: number;
  /** By their names in lower case; several values of one name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Media type in lower case without parameters; "" when there is none. */
  readonly mime: string;
  /** The first value of a header, in any letter case. */
  header(name: string): string | undefined;
}

/** A stored page (status 2xx), or what an unchanged one was when an earlier crawl fetched it. Decoded when asked for. */
export interface Page extends PageResponse {
  /** "" where the page is not HTML. */
  readonly title: string;
  /** The visible text; for other types than HTML the same as `html`. */
  readonly text: string;
  /** The body as a text, in the page's own character encoding. */
  readonly html: string;
  /** The body without its content coding: a copy, which may be kept. */
  readonly bytes: Uint8Array;
  /** Distinct and canonical, in the order of the page; then those of its `Link` and `Refresh` headers. */
  readonly links: readonly string[];
}

/** What is given to URLs that are enqueued. */
export interface EnqueueOptions {
  /** At most 64 characters; `router.on(label, …)` tells pages apart by it. */
  readonly label?: string | undefined;
  readonly userData?: UserData | undefined;
}

/**
 * A page in the hands of its handler. Functions may be taken out of it (`({ page, push }) => …`), and do nothing but
 * throw once the handler has ended.
 */
export interface PageContext {
  readonly request: PageRequest;
  readonly response: PageResponse;
  readonly page: Page;
  /** The links of the page: followed unless `enqueue` is called. */
  readonly links: readonly string[];
  /**
   * Follows these URLs instead of the page's own links; relative ones count from the page. Scope, depth, robots and
   * traps apply as to any link, and what is no http(s) URL is left out. May be called several times.
   */
  readonly enqueue: (urls: string | readonly string[], options?: EnqueueOptions) => void;
  /** Keeps a row in data/NAME.jsonl, committed together with the page: a JSON object of at most 256 KiB. */
  readonly push: (row: object, name?: string) => void;
  /** The page is not kept: no record, no rows, and of its links only those that are enqueued. It ends as refused. */
  readonly skip: (reason?: string) => void;
  /** Tells the program, or standard error. */
  readonly log: (...values: unknown[]) => void;
  /** As in Crawlee: `enqueue` of the given `urls`, or of all links of the page. */
  readonly enqueueLinks: (options?: EnqueueOptions & { readonly urls?: readonly string[] }) => void;
  /** As in Crawlee: `push` of a row, or of several. */
  readonly pushData: (rows: object | readonly object[], name?: string) => void;
}

/** What a handler may answer; most answer nothing. */
export type PageAnswer =
  | {
      /** The same as `enqueue(links)`. */
      readonly links?: readonly string[] | undefined;
      /** A JSON value of at most 8,192 characters; kept in pages.jsonl and in the archive's metadata record. */
      readonly data?: unknown;
    }
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that answers nothing is the usual handler.
  | void;
