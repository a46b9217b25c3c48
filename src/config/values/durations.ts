const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];
const MS_OF = new Map(UNITS);

const EXAMPLES = ["500ms", "3s", "10m", "1h30m"];

/** What a duration may look like, for messages and help. */
export const DURATION_ALLOWED: string = durationAllowed(0);

/** The same for one that must not be shorter than this. */
export function durationAllowed(minMs: number): string {
  const long = EXAMPLES.filter((text) => parseDuration(text)! >= minMs);
  const least = minMs > 1 ? `, at least ${formatDuration(minMs)}` : "";
  return `a duration such as ${long.join(", ")} or 24h${least}`;
}

/** Milliseconds of "500ms", "3s", "1.5h", "1h30m"; undefined for anything else, a bare number included. */
export function parseDuration(text: string): number | undefined {
  const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y;
  let sum = 0;
  let last = Number.POSITIVE_INFINITY;
  while (part.lastIndex < text.length || text === "") {
    const match = part.exec(text);
    if (match === null) return undefined;
    const unit = MS_OF.get(match[2]!)!;
    // Units must get smaller, so that "3m2h" and "1s1s", probably typing errors, are refused.
    if (unit >= last) return undefined;
    last = unit;
    sum += Number(match[1]) * unit;
  }
  const ms = Math.round(sum);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest exact way to write a duration; parseDuration gives the same number back. */
export function formatDuration(ms: number): string {
  const [name, unit] = UNITS.find(([, unit]) => ms !== 0 && ms % unit === 0) ?? ["ms", 1];
  return `${ms / unit}${name}`;
}

/** A duration for people: "0.4 s", "12.3 s", "3 m 05 s", "2 h 04 m"; rounded, not for parsing. */
export function humanDuration(ms: number): string {
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} m`;
}
