/**
 * A buffer with the method that `write(text, offset, length, "latin1")` calls after checks, which cost as much as a
 * short copy. The caller makes sure that there is room.
 */
export type LatinBuffer = Buffer & {
  latin1Write(text: string, offset: number, length: number): number;
};
