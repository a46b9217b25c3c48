import * as z from "zod";
import type { OptionSpec } from "./option.ts";
import type { Kind } from "./values/kinds.ts";

/** The description of a field, without its kind. */
export type About = Omit<OptionSpec, "allowed"> & { readonly allowed?: string };

/** The option of a field, and how its values are written. */
export interface FieldInfo extends OptionSpec {
  readonly show: (value: never) => string;
}

/** Every field of the schema with its option. */
export const fieldInfo = z.registry<FieldInfo>();

/** A field without a default: absent means "no limit", "ask", or as described. */
export function optional<T>(kind: Kind<T>, about: About): z.ZodOptional<z.ZodType<T>> {
  const schema = z.optional(kind.schema);
  fieldInfo.add(schema, describe(kind, about));
  return schema;
}

/** A field with a default; a function is called at each start (number of cores). */
export function withDefault<T>(
  kind: Kind<T>,
  value: T | (() => T),
  about: About,
): z.ZodDefault<z.ZodType<T>> {
  const make = typeof value === "function" ? (value as () => T) : () => value;
  const schema = z._default(kind.schema, make as () => never);
  const known = typeof value === "function" ? undefined : kind.show(make());
  const shown = known === "" || known === "false" ? undefined : known;
  fieldInfo.add(schema, describe(kind, { ...(shown && { defaultText: shown }), ...about }));
  return schema;
}

function describe<T>(kind: Kind<T>, about: About): FieldInfo {
  return {
    ...(kind.value !== undefined && { value: kind.value }),
    allowed: kind.allowed,
    ...about,
    show: kind.show,
  };
}
