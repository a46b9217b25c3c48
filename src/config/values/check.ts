/** Why a value is not allowed, beside what a field says of itself; with the part of it that is wrong. */
export class Refusal {
  readonly culprit: unknown;
  readonly reason: string | undefined;

  constructor(culprit: unknown, reason?: string) {
    this.culprit = culprit;
    this.reason = reason;
  }
}

/** Reads a value that was given: what it stands for, or why it is not allowed. */
export type Check<T> = (raw: unknown) => T | Refusal;

/** A whole number in a range. */
export function wholeWithin(min: number, max: number): Check<number> {
  return (raw) => {
    const isWithin = Number.isSafeInteger(raw) && (raw as number) >= min && (raw as number) <= max;
    return isWithin ? (raw as number) : new Refusal(raw);
  };
}

/**
 * Flags and the environment give strings, a file gives typed values. Text that cannot be read is passed on as it is: the
 * check then refuses it, and the message can show what was typed.
 */
export function reading<T>(read: (text: string) => T | undefined, check: Check<T>): Check<T> {
  return (raw) => {
    const value = typeof raw === "string" ? read(raw.trim()) : undefined;
    const checked = check(value ?? raw);
    // What was typed, not what it was read as.
    return checked instanceof Refusal ? new Refusal(raw, checked.reason) : checked;
  };
}

/** Text that must pass a test, which returns the reason for a refusal. */
export function textThat(refusal: (text: string) => string | undefined): Check<string> {
  return (raw) => {
    if (typeof raw !== "string") return new Refusal(raw);
    const reason = refusal(raw);
    return reason === undefined ? raw : new Refusal(raw, reason);
  };
}

/** A list of values; one alone may stand for a list of one. The first that is wrong is told of. */
export function listOf<T>(each: Check<T>): Check<T[]> {
  return (raw) => {
    const given: unknown = typeof raw === "string" ? [raw] : raw;
    if (!Array.isArray(given)) return new Refusal(raw);
    const values: T[] = [];
    for (const one of given) {
      const value = each(one);
      if (value instanceof Refusal) return value;
      values.push(value);
    }
    return values;
  };
}
