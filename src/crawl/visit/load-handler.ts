import type { PageContext } from "../../config/page-handler.ts";
import { FUNCTION } from "../../config/user-module.ts";
import { HandlerError } from "../../errors.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import type { HandlerContext } from "./handler-context.ts";
import { type HookModules, type LoadedHooks, loadHooks } from "./hooks/load-hooks.ts";
import { kindOf, loadFunction } from "./hooks/user-function.ts";

/** A user's handler after loading: its answers are checked. */
export interface LoadedHandler extends LoadedHooks {
  readonly page?: CheckedHandler | undefined;
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
export interface HandlerModules extends HookModules {
  readonly handler?: string | undefined;
}

/** Of all settings, those that name modules. */
export function modulesOf(config: HandlerModules): HandlerModules {
  const { handler, priority, shouldVisit, beforeRequest } = config;
  return { handler, priority, shouldVisit, beforeRequest };
}

/** As much as the archive's metadata record keeps of one field. */
const MAX_DATA_CHARACTERS = 8192;

/**
 * Loads what `--handler` and the hooks name. Every crawler thread does, because functions do not cross threads. A module
 * that cannot be loaded stops the crawl with a sentence that names it; a handler that fails costs its page alone.
 */
export async function loadHandler(modules: HandlerModules): Promise<LoadedHandler> {
  const { handler } = modules;
  const isModule = handler !== undefined && handler !== FUNCTION;
  const page = isModule ? await loadFunction("handler", handler) : undefined;
  return { page: page && checkedHandler(page.run), ...(await loadHooks(modules)) };
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
