/**
 * A buffer with the methods that `write(text, offset, length, "latin1")` and `write(text, offset, "utf8")` call after checks,
 * which cost as much as a short copy. The caller makes sure that there is room.
 */
export type LatinBuffer = Buffer & {
  latin1Write(text: string, offset: number, length: number): number;
  utf8Write(text: string, offset: number): number;
};
