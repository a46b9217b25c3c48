import { pathToFileURL } from "node:url";
import { printable } from "../../../config/printable.ts";
import { isInline } from "../../../config/user-module.ts";
import { UsageError } from "../../../errors.ts";

/** The settings that name modules, each with its option and an example for messages. */
const SETTINGS = {
  handler: ["--handler", "({ page, push }) => push({ url: page.url, title: page.title })"],
  priority: ["--priority", '(url, depth) => (url.includes("/docs/") ? 1 : 0)'],
  shouldVisit: ["--should-visit", '(url, depth) => !url.includes("/login")'],
  beforeRequest: ["--before-request", '(headers, url) => { headers["Accept-Language"] = "de"; }'],
} as const;

/** A user's function, and how messages name it. */
export interface UserFunction {
  readonly name: string;
  readonly run: (...args: unknown[]) => unknown;
}

/** Loads the function that a setting names: the export of the setting's name, so that one module may hold several, or the default export. */
export async function loadFunction(
  setting: keyof typeof SETTINGS,
  file: string,
): Promise<UserFunction> {
  const [option, example] = SETTINGS[setting];
  const name = `${option} ${isInline(file) ? "(a function)" : printable(file)}`;
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(isInline(file) ? file : pathToFileURL(file).href);
  } catch (cause) {
    throw new UsageError(`${name} cannot be loaded: ${reasonOf(cause)}`, cause);
  }
  const run = module[setting] ?? module.default;
  if (typeof run === "function") return { name, run: run as UserFunction["run"] };
  throw new UsageError(
    `${name} has no default export that is a function; for example export default ${example}`,
  );
}

/** What a value is, for messages. */
export function kindOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  return value instanceof Promise ? "a promise" : `a value of type ${typeof value}`;
}

/** Why something was thrown, for messages. */
export function reasonOf(cause: unknown): string {
  return printable(cause instanceof Error ? cause.message : String(cause));
}
