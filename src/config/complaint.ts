import { UsageError } from "../errors.ts";
import { withoutSecrets } from "./kept-config.ts";
import { nearest } from "./nearest.ts";
import { usageOf } from "./option.ts";
import { printable } from "./printable.ts";
import { type SettingName, settings } from "./schema.ts";
import type { Refusal } from "./values/check.ts";

/** Where a value came from; messages name it as the user wrote it. */
export type Origin =
  | { readonly kind: "flag" }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly file: string; readonly key: string }
  | { readonly kind: "program" };

/** A refused value as a sentence: what is wrong, what is allowed, an example. */
export function complaint(
  name: SettingName,
  { culprit, reason }: Refusal,
  origin: Origin,
): UsageError {
  const subject = subjectOf(name, culprit, origin);
  const fault = reason === undefined ? " is not allowed" : `: ${printable(reason)}`;
  const { allowed } = settings.get(name)!;
  return new UsageError(`${subject}${fault}; use ${allowed}${exampleOf(name, origin)}`);
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

/** A name that no setting has. */
export function unknownSetting(key: string): UsageError {
  const meant = nearest(key, [...settings.keys()]);
  const hint = meant === undefined ? "docs/config.md lists all of them" : `did you mean ${meant}?`;
  return new UsageError(`unknown setting "${printable(key)}"; ${hint}`);
}
