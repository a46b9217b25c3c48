import * as z from "zod";
import { DURATION_ALLOWED, durationAllowed, formatDuration, parseDuration } from "./durations.ts";
import { formatSize, parseSize, SIZE_ALLOWED } from "./sizes.ts";

/** A kind of value: how it is checked, how it is described, and how it is written on a command line. */
export interface Kind<T> {
  readonly schema: z.ZodType<T>;
  /** Placeholder in help; a switch has none. */
  readonly value?: string;
  readonly allowed: string;
  /** Exact: reading it back gives the same value. */
  readonly show: (value: T) => string;
}

// Flags and the environment give strings, a file gives typed values. Text that cannot be parsed is passed on as it is:
// the schema then refuses it, and the message can show what was typed.
function reading<T>(read: (text: string) => T | undefined, schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((raw) => (typeof raw === "string" ? (read(raw.trim()) ?? raw) : raw), schema);
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A whole number in a range. */
export function whole(min: number, max: number, why = ""): Kind<number> {
  return {
    schema: reading(wholeNumber, z.int().min(min).max(max)),
    value: "N",
    allowed:
      max === Number.MAX_SAFE_INTEGER
        ? `a whole number, ${min} or more`
        : `a whole number from ${min} to ${max}${why === "" ? "" : ` (${why})`}`,
    show: String,
  };
}

/** A whole number in a range, or a word. */
export function wholeOr<const W extends string>(
  min: number,
  max: number,
  word: W,
): Kind<number | W> {
  const number = whole(min, max);
  const read = (text: string) => (text === word ? word : wholeNumber(text));
  const schema = z.union([z.int().min(min).max(max), z.literal(word)]);
  return {
    schema: reading(read, schema) as z.ZodType<number | W>,
    value: `N|${word}`,
    allowed: `${number.allowed}, or ${word}`,
    show: String,
  };
}

const YEAR_MS = 366 * 86_400_000;

/** A duration kept in milliseconds; a bare number is not accepted on the command line. */
export function duration(minMs: number): Kind<number> {
  return {
    schema: reading(parseDuration, z.int().min(minMs).max(YEAR_MS)),
    value: "TIME",
    allowed: durationAllowed(minMs),
    show: formatDuration,
  };
}

/** A duration for which a bare number means milliseconds. */
export function milliseconds(maxMs: number): Kind<number> {
  const read = (text: string) => wholeNumber(text) ?? parseDuration(text);
  return {
    schema: reading(read, z.int().min(0).max(maxMs)),
    value: "MS",
    allowed: `milliseconds from 0 to ${maxMs}, or ${DURATION_ALLOWED}`,
    show: String,
  };
}

/** A number of bytes. */
export function size(minBytes: number): Kind<number> {
  return {
    schema: reading(parseSize, z.int().min(minBytes)),
    value: "SIZE",
    allowed: SIZE_ALLOWED + (minBytes > 1 ? `, at least ${formatSize(minBytes)}` : ""),
    show: formatSize,
  };
}

/** One of a few words. */
export function choice<const W extends readonly [string, ...string[]]>(words: W): Kind<W[number]> {
  return {
    schema: z.enum(words) as unknown as z.ZodType<W[number]>,
    value: words.join("|"),
    allowed: `one of ${words.join(", ")}`,
    show: String,
  };
}

/** One of a few words, or the name of a module. */
export function choiceOrModule<const W extends readonly [string, ...string[]]>(
  words: W,
): Kind<W[number] | `${string}.mjs`> {
  const allowed = `one of ${words.join(", ")}, or a module, such as ./mine.mjs`;
  const schema = z.string().refine((word) => words.includes(word) || /.\.mjs$/.test(word));
  return {
    schema: schema as unknown as z.ZodType<W[number] | `${string}.mjs`>,
    value: `${words.join("|")}|FILE.mjs`,
    allowed,
    show: String,
  };
}

/** On or off. */
export function toggle(): Kind<boolean> {
  return { schema: z.boolean(), allowed: "true or false", show: String };
}

/** On, off, or a text that must pass a check. */
export function toggleOr(each: Kind<string>): Kind<boolean | string> {
  const words = new Map<unknown, boolean>([
    ["true", true],
    ["false", false],
  ]);
  return {
    schema: z.preprocess((raw) => words.get(raw) ?? raw, z.union([z.boolean(), each.schema])),
    value: each.value!,
    allowed: `true, false, or ${each.allowed}`,
    show: String,
  };
}

/** Text that must pass a check, which returns the reason for a refusal. */
export function text(
  value: string,
  allowed: string,
  refusal: (text: string) => string | undefined,
): Kind<string> {
  const schema = z.string().superRefine((word, context) => {
    const message = refusal(word);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
  return { schema, value, allowed, show: (word) => word };
}

/** A list of texts; in a file one text may stand for a list of one. */
export function list(each: Kind<string>): Kind<string[]> {
  return {
    schema: z.preprocess((raw) => (typeof raw === "string" ? [raw] : raw), z.array(each.schema)),
    value: each.value ?? "TEXT",
    allowed: each.allowed,
    show: (words) => words.join(" "),
  };
}
