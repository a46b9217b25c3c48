import { inspect } from "node:util";
import type {
  EnqueueOptions,
  PageContext,
  PageRequest,
  PageResponse,
  UserData,
} from "../../config/page-handler.ts";
import { HandlerError } from "../../errors.ts";
import { linkNote, noteOf } from "../../frontier/link/link-note.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import type { PageView } from "./page-view.ts";
import type { PageMessage } from "./remote-handler.ts";

/** Bounds of what a handler may leave behind for one page. */
const MAX_ROW_CHARACTERS = 256 * 1024;
const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;
const MAX_REASON_CHARACTERS = 200;
const MAX_LOG_CHARACTERS = 2000;
/** Names of rows that one thread may use: each becomes a file. */
const MAX_NAMES = 64;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const DEFAULT_NAME = "data";

/** A URL as a handler gave it, with the text of its label and data. */
export interface Enqueued {
  readonly url: string;
  readonly note: string | undefined;
}

/** What a page was asked for with. */
export interface ContextRequest extends Pick<PageRequest, "url" | "depth" | "parent" | "via"> {
  readonly attempt: number;
  readonly note?: string | undefined;
}

/** What the contexts of a thread share. */
export interface ContextRules {
  /** Names of rows in use. */
  readonly names: Set<string>;
  readonly maxLinks: number;
  readonly log: (url: string, text: string) => void;
}

/**
 * A page in the hands of its handler, and what the handler leaves. Everything is made when it is asked for, because most
 * handlers use little of it.
 */
export class HandlerContext implements PageContext {
  readonly page: PageView;
  readonly #asked: ContextRequest;
  readonly #rules: ContextRules;
  #request: PageRequest | undefined;
  #isClosed = false;
  #characters = 0;

  /** What is followed instead of the page's links; undefined when the handler has not said so. */
  enqueued: Enqueued[] | undefined;
  /** Lines by name; undefined when nothing was pushed. */
  rows: Map<string, string[]> | undefined;
  /** Why the page is not kept; undefined when it is. */
  skipped: string | undefined;

  constructor(asked: ContextRequest, page: PageView, rules: ContextRules) {
    this.#asked = asked;
    this.page = page;
    this.#rules = rules;
  }

  get request(): PageRequest {
    if (this.#request === undefined) {
      const { url, depth, parent, via, attempt, note } = this.#asked;
      const { label, userData = {} } = noteOf(note);
      this.#request = { url, depth, parent, via, attempt, label, userData };
    }
    return this.#request;
  }

  get response(): PageResponse {
    return this.page;
  }

  get links(): readonly string[] {
    return this.page.links;
  }

  // Functions and not methods, so that they can be taken out of the context.

  get enqueue(): PageContext["enqueue"] {
    return (urls, options) =>
      this.#enqueue(typeof urls === "string" ? [urls] : urls, options, "enqueue");
  }

  get enqueueLinks(): PageContext["enqueueLinks"] {
    return ({ urls = this.links, ...options } = {}) => this.#enqueue(urls, options, "enqueueLinks");
  }

  get push(): PageContext["push"] {
    return (row, name) => this.#push(row, name);
  }

  get pushData(): PageContext["pushData"] {
    return (rows, name) => {
      for (const row of Array.isArray(rows) ? (rows as readonly object[]) : [rows])
        this.#push(row, name);
    };
  }

  get skip(): PageContext["skip"] {
    return (reason = "") => {
      this.#requireOpen("skip");
      this.skipped = String(reason).slice(0, MAX_REASON_CHARACTERS);
    };
  }

  get log(): PageContext["log"] {
    return (...values) => {
      const text = values.map((value) => (typeof value === "string" ? value : inspect(value)));
      this.#rules.log(this.#asked.url, text.join(" ").slice(0, MAX_LOG_CHARACTERS));
    };
  }

  /** The handler has ended, or its time: what it does from now on has no effect. */
  end(): void {
    this.#isClosed = true;
  }

  /** The same, and the memory of the page is used for others. */
  close(): void {
    this.end();
    this.page.close();
  }

  /** The page for another thread. */
  messageOf(id: number): PageMessage {
    const { url, depth, parent, via, attempt, note } = this.#asked;
    return { id, url, depth, parent, via, attempt, note, ...this.page.contents() };
  }

  #requireOpen(name: string): void {
    if (this.#isClosed)
      throw new HandlerError(
        `${name} was called for ${this.#asked.url} when its handler had ended`,
      );
  }

  #enqueue(urls: readonly string[], options: EnqueueOptions | undefined, name: string): void {
    this.#requireOpen(name);
    if (!Array.isArray(urls) || !urls.every((url) => typeof url === "string"))
      throw new HandlerError(`${name} takes a URL or a list of URLs, all of them texts`);
    const note = noteText(options);
    this.enqueued ??= [];
    const room = this.#rules.maxLinks - this.enqueued.length;
    for (const url of urls.slice(0, Math.max(0, room))) this.enqueued.push({ url, note });
  }

  #push(row: object, name: string = DEFAULT_NAME): void {
    this.#requireOpen("push");
    const { names } = this.#rules;
    if (typeof name !== "string" || !NAME.test(name))
      throw new HandlerError(
        `push: rows cannot be kept under the name ${inspect(name).slice(0, 80)}; a name has 1 to 64 of a-z, 0-9, _ and -, and does not begin with _ or -`,
      );
    if (!names.has(name) && names.size >= MAX_NAMES)
      throw new HandlerError(`push: rows have at most ${MAX_NAMES} names; keep ${name} in a field`);
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new HandlerError("push: a row is an object");
    const line = jsonLine(row);
    if (line === undefined || !line.startsWith("{"))
      throw new HandlerError("push: a row is an object that JSON can hold");
    this.#characters += line.length;
    if (line.length > MAX_ROW_CHARACTERS)
      throw tooLarge(`a row has ${line.length} characters as JSON; at most ${MAX_ROW_CHARACTERS}`);
    if (this.#characters > MAX_PAGE_CHARACTERS)
      throw tooLarge(`the rows of a page have at most ${MAX_PAGE_CHARACTERS} characters as JSON`);
    names.add(name);
    this.rows ??= new Map();
    const lines = this.rows.get(name);
    if (lines === undefined) this.rows.set(name, [line]);
    else lines.push(line);
  }
}

function tooLarge(message: string): HandlerError {
  return new HandlerError(`push: ${message}`, "OW_ROW_TOO_LARGE");
}

function noteText(options: EnqueueOptions | undefined): string | undefined {
  const { label, userData } = options ?? {};
  if (label === undefined && userData === undefined) return undefined;
  const problem = noteProblem(label, userData);
  if (problem !== undefined) throw new HandlerError(problem);
  return linkNote(label, userData);
}

const MAX_LABEL_CHARACTERS = 64;
const MAX_USER_DATA_CHARACTERS = 1024;

/** What is wrong with a label or data; undefined when nothing is. */
export function noteProblem(
  label: string | undefined,
  userData: UserData | undefined,
): string | undefined {
  if (label !== undefined && (typeof label !== "string" || label.length > MAX_LABEL_CHARACTERS))
    return `a label is a text of at most ${MAX_LABEL_CHARACTERS} characters`;
  if (userData === undefined) return undefined;
  if (typeof userData !== "object" || userData === null || Array.isArray(userData))
    return "userData is an object";
  const { length } = linkNote(undefined, userData);
  return length > MAX_USER_DATA_CHARACTERS
    ? `userData has ${length} characters as JSON; at most ${MAX_USER_DATA_CHARACTERS} are kept with a URL`
    : undefined;
}
