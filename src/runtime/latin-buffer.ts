/**
 * A buffer with the methods that `write` and `toString` call after checks, which cost as much as a short copy, and which V8
 * optimises for every thread. The caller makes sure that there is room, or that the bytes are there.
 */
export type LatinBuffer = Buffer & {
  latin1Write(text: string, offset: number, length: number): number;
  utf8Write(text: string, offset: number): number;
  latin1Slice(start: number, end: number): string;
};

/** The bytes between two places as text, one character per byte. */
export function latin1Text(bytes: Buffer, start: number, end: number): string {
  return (bytes as LatinBuffer).latin1Slice(start, end);
}
