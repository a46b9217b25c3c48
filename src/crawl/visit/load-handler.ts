import { pathToFileURL } from "node:url";
import type { PageContext, PagePriority } from "../../config/page-handler.ts";
import { printable } from "../../config/printable.ts";
import { FUNCTION, isInline } from "../../config/user-module.ts";
import { HandlerError, UsageError } from "../../errors.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import type { HandlerContext } from "./handler-context.ts";

/** A user's handler after loading: its answers are checked. */
export interface LoadedHandler {
  readonly page?: CheckedHandler | undefined;
  readonly priority?: PagePriority | undefined;
}

/** Answers at once if the handler does; throws or rejects with what the handler does. */
export type CheckedHandler = (context: HandlerContext) => CheckedAnswer | Promise<CheckedAnswer>;

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
 * module that cannot be loaded, or a priority that is none, stops the crawl with a sentence that names it; a handler that
 * fails costs its page alone.
 */
export async function loadHandler(modules: HandlerModules): Promise<LoadedHandler> {
  const { handler, priority } = modules;
  const isModule = handler !== undefined && handler !== FUNCTION;
  const page = isModule ? await load("--handler", handler) : undefined;
  const worth = priority === undefined ? undefined : await load("--priority", priority);
  return { page: page && checkedHandler(page.run), priority: worth && checkedPriority(worth) };
}

/** Examples for messages. */
const EXAMPLES = {
  "--handler": "({ page, push }) => push({ url: page.url, title: page.title })",
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

const NOTHING: CheckedAnswer = {};

/** Checks what a handler answers. */
export function checkedHandler(run: (context: PageContext) => unknown): CheckedHandler {
  return (context) => {
    const answer = run(context);
    if (answer === undefined || answer === null) return NOTHING;
    if (typeof (answer as { then?: unknown }).then === "function")
      return Promise.resolve(answer).then(checkedAnswer);
    return checkedAnswer(answer);
  };
}

function checkedAnswer(answer: unknown): CheckedAnswer {
  if (answer === undefined || answer === null) return NOTHING;
  if (typeof answer !== "object")
    throw new HandlerError(
      `it answered ${kindOf(answer)}; it may answer { links, data } or nothing`,
    );
  const { links, data } = answer as { links?: unknown; data?: unknown };
  if (links !== undefined && !(Array.isArray(links) && links.every(isText)))
    throw new HandlerError(`it answered ${kindOf(links)} as links; links are a list of texts`);
  return { links, data: data === undefined ? undefined : dataText(data) };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function dataText(data: unknown): string {
  const text = jsonLine(data as object);
  if (text.length <= MAX_DATA_CHARACTERS) return text;
  throw new HandlerError(
    `it answered ${text.length} characters of data; at most ${MAX_DATA_CHARACTERS} are kept`,
  );
}

function failed(name: string, url: string, cause: unknown): UsageError {
  return new UsageError(`${name} failed for ${printable(url)}: ${reasonOf(cause)}`, cause);
}

function unusable(name: string, url: string, value: unknown, rule: string): UsageError {
  return new UsageError(`${name} gave ${kindOf(value)} for ${printable(url)}; ${rule}`);
}

function kindOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  return value instanceof Promise ? "a promise" : `a value of type ${typeof value}`;
}

function reasonOf(cause: unknown): string {
  return printable(cause instanceof Error ? cause.message : String(cause));
}
