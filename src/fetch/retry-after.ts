const MAX_WAIT_MS = 24 * 3_600_000;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(${MONTHS.join("|")})`;
const TIME = "(\\d{2}):(\\d{2}):(\\d{2})";

/** The three date formats of RFC 9110, 5.6.7; the fields stand in the order of the names. */
const DATE_FORMATS = [
  {
    pattern: new RegExp(`^\\w{3}, (\\d{2}) ${MONTH} (\\d{4}) ${TIME} GMT$`, "i"),
    fields: ["day", "month", "year", "hour", "minute", "second"],
  },
  {
    pattern: new RegExp(`^\\w{6,9}, (\\d{2})-${MONTH}-(\\d{2}) ${TIME} GMT$`, "i"),
    fields: ["day", "month", "year", "hour", "minute", "second"],
  },
  {
    pattern: new RegExp(`^\\w{3} ${MONTH} ([ \\d]\\d) ${TIME} (\\d{4})$`, "i"),
    fields: ["month", "day", "hour", "minute", "second", "year"],
  },
] as const;

/** How long a Retry-After header asks us to wait, at most 24 h; undefined when it asks for nothing sensible. */
export function retryAfterMs(value: string | undefined, nowWallMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const waitMs = /^\d+$/.test(text)
    ? Number(text) * 1000
    : (httpDateMs(text, nowWallMs) ?? nowWallMs) - nowWallMs;
  return waitMs > 0 ? Math.min(waitMs, MAX_WAIT_MS) : undefined;
}

function httpDateMs(text: string, nowWallMs: number): number | undefined {
  for (const { pattern, fields } of DATE_FORMATS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const field = (name: (typeof fields)[number]) => match[fields.indexOf(name) + 1]!;
    const month = MONTHS.indexOf(field("month").toLowerCase());
    const day = Number(field("day"));
    const year = fullYear(field("year"), nowWallMs);
    const [hour, minute, second] = [field("hour"), field("minute"), field("second")].map(Number);
    const ms = Date.UTC(year, month, day, hour, minute, second);
    // Date.UTC rolls over: 30 February would become March, 25 o'clock tomorrow. A leap second may.
    const isReal = new Date(ms - (second === 60 ? 1000 : 0)).getUTCDate() === day;
    return isReal && hour! < 24 && minute! < 60 && second! <= 60 ? ms : undefined;
  }
  return undefined;
}

/** A year of two digits is the latest one that is not more than 50 years ahead (RFC 9110, 5.6.7). */
function fullYear(digits: string, nowWallMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowWallMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
