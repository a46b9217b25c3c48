import type * as z from "zod";
import { UsageError } from "../errors.ts";
import { withoutSecrets } from "./kept-config.ts";
import { nearest } from "./nearest.ts";
import { usageOf } from "./option.ts";
import { printable } from "./printable.ts";
import { type SettingName, settings } from "./schema.ts";

/** What zod says when a check of its own gave no reason. */
const NO_REASON = "Invalid input";

/** Where a value came from; messages name it as the user wrote it. */
export type Origin =
  | { readonly kind: "flag" }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly file: string; readonly key: string }
  | { readonly kind: "program" };

/** The first issue of the schema as a sentence: what is wrong, what is allowed, an example. */
export function complaint(
  error: z.ZodError,
  input: Readonly<Record<string, unknown>>,
  originOf: (name: SettingName) => Origin,
): UsageError {
  const issue = error.issues[0]!;
  if (issue.code === "unrecognized_keys") return unknownSetting(issue.keys[0]!);
  const name = issue.path[0] as SettingName;
  const option = settings.get(name)!;
  const origin = originOf(name);
  // In a list the path goes on to the element that is wrong.
  const culprit = issue.path.slice(1).reduce<unknown>((v, key) => (v as never)[key], input[name]);
  const subject = subjectOf(name, culprit, origin);
  const hasReason = issue.code === "custom" && issue.message !== NO_REASON;
  const fault = hasReason ? `: ${printable(issue.message)}` : " is not allowed";
  return new UsageError(`${subject}${fault}; use ${option.allowed}${exampleOf(name, origin)}`);
}

/** Addresses that may have a password in them. */
const SECRET: ReadonlySet<SettingName> = new Set(["engine", "proxies"]);

/** A setting and its value as the user wrote them. */
export function subjectOf(name: SettingName, value: unknown, origin: Origin): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const shown = printable(SECRET.has(name) ? withoutSecrets(text) : text);
  const { flag } = settings.get(name)!;
  if (origin.kind === "flag") return flag === "" ? `"${shown}"` : flagText(name, shown);
  if (origin.kind === "environment") return `${origin.variable}=${shown}`;
  if (origin.kind === "program") return `${name}: ${shown}`;
  return `${printable(origin.file)}: ${origin.key}: ${shown}`;
}

/** Of a switch the name alone. */
function flagText(name: SettingName, shown: string): string {
  const { flag, value } = settings.get(name)!;
  return value === undefined ? `--${flag}` : `--${flag} ${shown || '""'}`;
}

function exampleOf(name: SettingName, origin: Origin): string {
  const option = settings.get(name)!;
  const example = option.examples[0]!;
  const word = usageOf(option).split(" ")[0]!;
  if (origin.kind === "flag") return `, for example ${example}`;
  // For a switch "true or false" is enough.
  if (option.value === undefined) return "";
  return `, for example ${example.replace(`${word} `, "").replace(/^'(.*)'$/, "$1")}`;
}

function unknownSetting(key: string): UsageError {
  const meant = nearest(key, [...settings.keys()]);
  const hint = meant === undefined ? "docs/config.md lists all of them" : `did you mean ${meant}?`;
  return new UsageError(`unknown setting "${printable(key)}"; ${hint}`);
}
