import type { PagePriority, ShouldVisit } from "../../../config/page-handler.ts";
import { printable } from "../../../config/printable.ts";
import { mayChangeHeader, mayHaveValue } from "../../../config/values/credential-value.ts";
import { UsageError } from "../../../errors.ts";
import type { RequestHeaders } from "../../../fetch/transport.ts";
import { kindOf, loadFunction, reasonOf, type UserFunction } from "./user-function.ts";

/** The settings that name hooks. */
export interface HookModules {
  readonly priority?: string | undefined;
  readonly shouldVisit?: string | undefined;
  readonly beforeRequest?: string | undefined;
}

/** A user's hooks after loading: their answers are checked. */
export interface LoadedHooks {
  readonly priority?: PagePriority | undefined;
  readonly shouldVisit?: ShouldVisit | undefined;
  readonly beforeRequest?: ((headers: RequestHeaders, url: string) => RequestHeaders) | undefined;
}

/**
 * Loads the hooks, in every crawler thread, because functions do not cross threads. Each is asked about very many URLs and
 * decides what the crawl is: so an error in one, or an answer that is none, stops the crawl with a sentence that names the
 * URL, instead of a crawl that quietly lacks something.
 */
export async function loadHooks(modules: HookModules): Promise<LoadedHooks> {
  const { priority, shouldVisit, beforeRequest } = modules;
  return {
    priority: priority && checkedPriority(await loadFunction("priority", priority)),
    shouldVisit: shouldVisit && checkedVisit(await loadFunction("shouldVisit", shouldVisit)),
    beforeRequest:
      beforeRequest && checkedRequest(await loadFunction("beforeRequest", beforeRequest)),
  } as LoadedHooks;
}

/** An invalid priority is an error and not a quiet 0, which would put the page last. */
function checkedPriority(hook: UserFunction): PagePriority {
  return (url, depth) => {
    const worth = called(hook, url, url, depth);
    if (typeof worth === "number" && worth >= 0) return worth;
    throw unusable(hook, url, worth, "a page is worth a number from 0 on");
  };
}

function checkedVisit(hook: UserFunction): ShouldVisit {
  return (url, depth) => {
    const answer = called(hook, url, url, depth);
    if (typeof answer === "boolean") return answer;
    throw unusable(hook, url, answer, "it says true or false, at once");
  };
}

function checkedRequest(hook: UserFunction): LoadedHooks["beforeRequest"] {
  return (given, url) => {
    const headers: Record<string, string> = Object.fromEntries(given);
    const answer = called(hook, url, headers, url) ?? headers;
    if (typeof answer !== "object" || answer instanceof Promise)
      throw unusable(hook, url, answer, "it changes the headers, or answers others, at once");
    const changed = Object.entries(answer).filter(([, value]) => value !== undefined);
    for (const [name, value] of changed) {
      if (headers !== answer || !given.some(([known, was]) => known === name && was === value))
        requireSendable(hook, url, name, value, given);
    }
    return withOurs(given, changed);
  };
}

function requireSendable(
  hook: UserFunction,
  url: string,
  name: string,
  value: unknown,
  given: RequestHeaders,
): void {
  const was = given.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  if (was === value) return;
  if (!mayChangeHeader(name)) throw unusable(hook, url, name, "the crawl sets that header itself");
  if (typeof value === "string" && mayHaveValue(value)) return;
  // Not the value: it may be a secret.
  throw unusable(hook, url, `a value of ${printable(name)}`, "that cannot be sent in a header");
}

/** Headers that the crawl sets itself cannot be left out either. */
function withOurs(given: RequestHeaders, changed: readonly [string, string][]): RequestHeaders {
  const names = new Set(changed.map(([name]) => name.toLowerCase()));
  const kept = given.filter(([name]) => !mayChangeHeader(name) && !names.has(name.toLowerCase()));
  return [...kept, ...changed];
}

function called(hook: UserFunction, url: string, ...args: readonly unknown[]): unknown {
  try {
    return hook.run(...args);
  } catch (cause) {
    throw new UsageError(`${hook.name} failed for ${printable(url)}: ${reasonOf(cause)}`, cause);
  }
}

function unusable(hook: UserFunction, url: string, value: unknown, rule: string): UsageError {
  return new UsageError(`${hook.name} gave ${kindOf(value)} for ${printable(url)}; ${rule}`);
}
