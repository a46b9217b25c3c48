// Decimal and binary names mean what they say: 1 GB is 10^9 bytes, 1 GiB is 2^30 bytes.
const UNITS: readonly (readonly [name: string, bytes: number])[] = [
  ["TiB", 2 ** 40],
  ["TB", 1e12],
  ["GiB", 2 ** 30],
  ["GB", 1e9],
  ["MiB", 2 ** 20],
  ["MB", 1e6],
  ["KiB", 2 ** 10],
  ["kB", 1e3],
  ["B", 1],
];
// Case does not matter when reading: nobody means bits here, and "10gb" has only one sensible reading.
const BYTES_OF = new Map(UNITS.map(([name, bytes]) => [name.toLowerCase(), bytes]));

/** What a size may look like, for messages and help. */
export const SIZE_ALLOWED =
  "a size such as 500kB, 10MB, 1.5GB (powers of 1000) or 500MiB, 1GiB (powers of 1024)";

/** Bytes of "10GB", "500 MiB", "1.5tb" or a bare number of bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text);
  if (match === null) return undefined;
  const unit = match[2] === "" ? 1 : BYTES_OF.get(match[2]!.toLowerCase());
  if (unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The shortest exact way to write a size; parseSize gives the same number back. */
export function formatSize(bytes: number): string {
  const [name, unit] = UNITS.find(([, unit]) => bytes !== 0 && bytes % unit === 0) ?? ["B", 1];
  return `${bytes / unit}${name}`;
}

/** A size for people: "812 B", "4.2 MB"; rounded, not for parsing. */
export function humanSize(bytes: number): string {
  let value = bytes;
  for (const name of ["B", "kB", "MB", "GB"]) {
    if (value < 999.95)
      return name === "B" ? `${Math.round(value)} B` : `${value.toFixed(1)} ${name}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} TB`;
}
