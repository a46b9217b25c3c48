import type { Page } from "../../config/page-handler.ts";
import { decodeNow } from "../../fetch/coding/decode.ts";
import { isHtml } from "../../fetch/fetcher.ts";
import type { ResponseHead } from "../../fetch/response-head.ts";
import { decodeText } from "../../parse/charset/charset.ts";
import { scanLinks } from "../../parse/links.ts";

/** What a page was read from: the response, or the record of an earlier crawl. */
export interface PageSource {
  readonly head: ResponseHead;
  /** As received, with its content coding. */
  readonly body: Buffer;
}

/** What reading has found out about a page. */
export interface PageFindings {
  readonly url: string;
  readonly mime: string;
  readonly title: string;
  readonly charset: string;
  readonly codings: string | undefined;
  readonly links: () => readonly string[];
}

/** How far a body may grow. */
export interface ViewCaps {
  readonly maxBytes: number;
  readonly maxRatio: number;
}

/** CPU time after which the rest of a text is left out. */
const TEXT_BUDGET_MS = 2000;

/**
 * A page as its handler sees it. Nothing is decoded before it is asked for. The decoded body of a page that was just
 * read is borrowed: it is there until the event loop turns, and decoded again when it is asked for later.
 */
export class PageView implements Page {
  readonly #source: PageSource;
  readonly #found: PageFindings;
  readonly #caps: ViewCaps;
  #borrowed: Buffer | undefined;
  #decoded: Buffer | undefined;
  #links: readonly string[] | undefined;
  #html: string | undefined;
  #text: string | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  #isClosed = false;

  constructor(source: PageSource, found: PageFindings, caps: ViewCaps, borrowed?: Buffer) {
    this.#source = source;
    this.#found = found;
    this.#caps = caps;
    this.#borrowed = borrowed;
  }

  get url(): string {
    return this.#found.url;
  }

  get status(): number {
    return this.#source.head.status;
  }

  get mime(): string {
    return this.#found.mime;
  }

  get title(): string {
    return this.#found.title;
  }

  get links(): readonly string[] {
    this.#links ??= this.#found.links();
    return this.#links;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= headersOf(this.#source.head);
    return this.#headers;
  }

  get bytes(): Buffer {
    return Buffer.from(this.#body());
  }

  get html(): string {
    this.#html ??= decodeText(this.#body(), this.#found.charset);
    return this.#html;
  }

  get text(): string {
    this.#text ??= this.#visibleText();
    return this.#text;
  }

  header(name: string): string | undefined {
    return this.#source.head.get(name.toLowerCase());
  }

  /** The event loop turns: what was borrowed may be overwritten. */
  giveBack(): void {
    this.#borrowed = undefined;
  }

  /** The memory of the response is used for other pages from now on. */
  close(): void {
    this.#isClosed = true;
    this.#borrowed = undefined;
    this.#decoded = undefined;
  }

  /** Everything that another view of the page needs, in memory of its own. */
  contents() {
    const { head, body } = this.#source;
    const { mime, title, charset } = this.#found;
    return { head: head.text, body: new Uint8Array(body), mime, title, charset, links: this.links };
  }

  #visibleText(): string {
    const { mime } = this.#found;
    if (mime !== "" && !isHtml(mime)) return this.html;
    const contentType = this.#source.head.get("content-type");
    return scanLinks(this.#body(), { contentType, text: true, budgetMs: TEXT_BUDGET_MS }).text;
  }

  #body(): Buffer {
    if (this.#borrowed !== undefined) return this.#borrowed;
    if (this.#isClosed) throw new Error(`the handler of ${this.url} has ended: its page is gone`);
    this.#decoded ??= decodeNow(this.#source.body, this.#found.codings, this.#caps);
    return this.#decoded;
  }
}

/** Names in lower case; a name that objects have of their own is a field like others. */
function headersOf(head: ResponseHead): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of head.lines()) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return headers;
}
