import { pathToFileURL } from "node:url";
import type { HandledPage, PagePriority } from "../../config/page-handler.ts";
import { printable } from "../../config/printable.ts";
import { isInline } from "../../config/user-module.ts";
import { UsageError } from "../../errors.ts";
import { jsonLine } from "../../store/files/jsonl.ts";

/** A user's handler after loading: its answers are checked. */
export interface LoadedHandler {
  readonly page?: ((page: HandledPage) => Promise<CheckedAnswer>) | undefined;
  readonly priority?: PagePriority | undefined;
}

/** What a handler answered about a page. */
export interface CheckedAnswer {
  readonly links?: readonly string[] | undefined;
  /** One line of JSON. */
  readonly data?: string | undefined;
}

/** The settings that name modules. */
export interface HandlerModules {
  readonly handler?: string | undefined;
  readonly priority?: string | undefined;
}

/** As much as the archive's metadata record keeps of one field. */
const MAX_DATA_CHARACTERS = 8192;

/**
 * Loads what `--handler` and `--priority` name. Every crawler thread does, because functions do not cross threads. A
 * module that fails, or answers what it may not, stops the crawl with a sentence that names it and the page; `resume`
 * still works once it is repaired.
 */
export async function loadHandler(modules: HandlerModules): Promise<LoadedHandler> {
  const { handler, priority } = modules;
  const page = handler === undefined ? undefined : await load("--handler", handler);
  const worth = priority === undefined ? undefined : await load("--priority", priority);
  return { page: page && checkedPage(page), priority: worth && checkedPriority(worth) };
}

/** Examples for messages. */
const EXAMPLES = {
  "--handler": "(page) => ({ data: page.title.length })",
  "--priority": '(url, depth) => (url.includes("/docs/") ? 1 : 0)',
};

/** A user's function, and how messages name it. */
interface UserFunction {
  readonly name: string;
  readonly run: (...args: unknown[]) => unknown;
}

async function load(option: keyof typeof EXAMPLES, file: string): Promise<UserFunction> {
  const name = `${option} ${isInline(file) ? "(a function)" : printable(file)}`;
  let module: { default?: unknown };
  try {
    module = await import(isInline(file) ? file : pathToFileURL(file).href);
  } catch (cause) {
    throw new UsageError(`${name} cannot be loaded: ${reasonOf(cause)}`, cause);
  }
  const run = module.default;
  if (typeof run === "function") return { name, run: run as UserFunction["run"] };
  throw new UsageError(
    `${name} has no default export that is a function; for example export default ${EXAMPLES[option]}`,
  );
}

/** An invalid priority is an error and not a quiet 0, which would put the page last. */
function checkedPriority({ name, run }: UserFunction): PagePriority {
  return (url, depth) => {
    let worth: unknown;
    try {
      worth = run(url, depth);
    } catch (cause) {
      throw failed(name, url, cause);
    }
    if (typeof worth === "number" && worth >= 0) return worth;
    throw unusable(name, url, worth, "a page is worth a number from 0 on");
  };
}

function checkedPage({ name, run }: UserFunction): NonNullable<LoadedHandler["page"]> {
  return async (page) => {
    let answer: unknown;
    try {
      answer = await run(page);
    } catch (cause) {
      throw failed(name, page.url, cause);
    }
    if (answer === undefined || answer === null) return {};
    if (typeof answer !== "object")
      throw unusable(name, page.url, answer, "it may answer { links, data } or nothing");
    const { links, data } = answer as { links?: unknown; data?: unknown };
    if (links !== undefined && !(Array.isArray(links) && links.every(isText)))
      throw unusable(name, page.url, links, "links are a list of texts");
    return { links, data: data === undefined ? undefined : dataText(name, page.url, data) };
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function dataText(name: string, url: string, data: unknown): string {
  let text: string;
  try {
    text = jsonLine(data as object);
  } catch (cause) {
    throw failed(name, url, cause);
  }
  if (text.length <= MAX_DATA_CHARACTERS) return text;
  throw new UsageError(
    `${name} gave ${text.length} characters of data for ${printable(url)}; at most ${MAX_DATA_CHARACTERS} are kept`,
  );
}

function failed(name: string, url: string, cause: unknown): UsageError {
  return new UsageError(`${name} failed for ${printable(url)}: ${reasonOf(cause)}`, cause);
}

function unusable(name: string, url: string, value: unknown, rule: string): UsageError {
  const what =
    typeof value === "number"
      ? String(value)
      : value instanceof Promise
        ? "a promise"
        : `a value of type ${typeof value}`;
  return new UsageError(`${name} gave ${what} for ${printable(url)}; ${rule}`);
}

function reasonOf(cause: unknown): string {
  return printable(cause instanceof Error ? cause.message : String(cause));
}
