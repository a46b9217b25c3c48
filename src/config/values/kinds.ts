import { type Check, listOf, Refusal, reading, textThat, wholeWithin } from "./check.ts";
import { DURATION_ALLOWED, durationAllowed, formatDuration, parseDuration } from "./durations.ts";
import { formatSize, parseSize, SIZE_ALLOWED } from "./sizes.ts";

/** A kind of value: how it is checked, how it is described, and how it is written on a command line. */
export interface Kind<T> {
  readonly check: Check<T>;
  /** Placeholder in help; a switch has none. */
  readonly value?: string;
  readonly allowed: string;
  /** Exact: reading it back gives the same value. */
  readonly show: (value: T) => string;
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A whole number in a range. */
export function whole(min: number, max: number, why = ""): Kind<number> {
  return {
    check: reading(wholeNumber, wholeWithin(min, max)),
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
  const within = wholeWithin(min, max);
  return {
    check: reading<number | W>(read, (raw) => (raw === word ? word : within(raw))),
    value: `N|${word}`,
    allowed: `${number.allowed}, or ${word}`,
    show: String,
  };
}

const YEAR_MS = 366 * 86_400_000;

/** A duration kept in milliseconds; a bare number is not accepted on the command line. */
export function duration(minMs: number): Kind<number> {
  return {
    check: reading(parseDuration, wholeWithin(minMs, YEAR_MS)),
    value: "TIME",
    allowed: durationAllowed(minMs),
    show: formatDuration,
  };
}

/** A duration for which a bare number means milliseconds. */
export function milliseconds(maxMs: number): Kind<number> {
  const read = (text: string) => wholeNumber(text) ?? parseDuration(text);
  return {
    check: reading(read, wholeWithin(0, maxMs)),
    value: "MS",
    allowed: `milliseconds from 0 to ${maxMs}, or ${DURATION_ALLOWED}`,
    show: String,
  };
}

/** A number of bytes. */
export function size(minBytes: number): Kind<number> {
  return {
    check: reading(parseSize, wholeWithin(minBytes, Number.MAX_SAFE_INTEGER)),
    value: "SIZE",
    allowed: SIZE_ALLOWED + (minBytes > 1 ? `, at least ${formatSize(minBytes)}` : ""),
    show: formatSize,
  };
}

/** One of a few words. */
export function choice<const W extends readonly [string, ...string[]]>(words: W): Kind<W[number]> {
  return {
    check: (raw) => words.find((word) => word === raw) ?? new Refusal(raw),
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
  const isAllowed = (raw: unknown): raw is W[number] | `${string}.mjs` =>
    typeof raw === "string" && (words.includes(raw) || /.\.mjs$/.test(raw));
  return {
    check: (raw) => (isAllowed(raw) ? raw : new Refusal(raw)),
    value: `${words.join("|")}|FILE.mjs`,
    allowed,
    show: String,
  };
}

/** On or off. */
export function toggle(): Kind<boolean> {
  const check: Check<boolean> = (raw) => (typeof raw === "boolean" ? raw : new Refusal(raw));
  return { check, allowed: "true or false", show: String };
}

/** On, off, or a text that must pass a check. */
export function toggleOr(each: Kind<string>): Kind<boolean | string> {
  const words = new Map<unknown, boolean>([
    ["true", true],
    ["false", false],
  ]);
  return {
    check: (raw) => words.get(raw) ?? (typeof raw === "boolean" ? raw : each.check(raw)),
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
  return { check: textThat(refusal), value, allowed, show: (word) => word };
}

/** A list of texts; in a file one text may stand for a list of one. */
export function list(each: Kind<string>): Kind<string[]> {
  return {
    check: listOf(each.check),
    value: each.value ?? "TEXT",
    allowed: each.allowed,
    show: (words) => words.join(" "),
  };
}
