/**
 * A buffer with what `write(text, offset, length, "latin1")` calls after checks that cost as much as a short copy. The
 * caller sees to it that there is room.
 */
export type LatinBuffer = Buffer & {
  latin1Write(text: string, offset: number, length: number): number;
};
