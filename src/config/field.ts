import type { OptionSpec } from "./option.ts";
import type { Check } from "./values/check.ts";
import type { Kind } from "./values/kinds.ts";

/** The description of a field, without its kind. */
export type About = Omit<OptionSpec, "allowed"> & { readonly allowed?: string };

/** The option of a field, and how its values are written. */
export interface FieldInfo extends OptionSpec {
  readonly show: (value: never) => string;
}

/** A field of the schema: how its value is read, and its option. */
export interface Field<T> {
  readonly check: Check<T>;
  readonly info: FieldInfo;
}

/** A field that is there even when nothing was given. */
export interface FieldWithDefault<T> extends Field<T> {
  readonly makeDefault: () => T;
}

/** A field without a default: absent means "no limit", "ask", or as described. */
export function optional<T>(kind: Kind<T>, about: About): Field<T> {
  return { check: kind.check, info: describe(kind, about) };
}

/** A field with a default; a function is called at each start (number of cores). */
export function withDefault<T>(
  kind: Kind<T>,
  value: T | (() => T),
  about: About,
): FieldWithDefault<T> {
  const makeDefault = typeof value === "function" ? (value as () => T) : () => value;
  const known = typeof value === "function" ? undefined : kind.show(makeDefault());
  const shown = known === "" || known === "false" ? undefined : known;
  const info = describe(kind, { ...(shown && { defaultText: shown }), ...about });
  return { check: kind.check, info, makeDefault };
}

function describe<T>(kind: Kind<T>, about: About): FieldInfo {
  return {
    ...(kind.value !== undefined && { value: kind.value }),
    allowed: kind.allowed,
    ...about,
    show: kind.show,
  };
}
