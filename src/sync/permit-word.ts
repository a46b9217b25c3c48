/*
 * The word of a semaphore:   sign: closed | 9 bits: number of the change | 8 bits: who made it | 14 bits: free permits
 */
const OWNER_SHIFT = 14;
const OWNER_MASK = 0xff;
const NUMBER_SHIFT = 22;

/** Free permits; also the most there can be. */
export const COUNT_MASK = 0x3fff;
/** Changes are numbered modulo this. */
export const NUMBER_MASK = 0x1ff;
/** The sign bit. */
export const CLOSED = 0x80000000 | 0;

/** Free permits in a word. */
export function countOf(word: number): number {
  return word & COUNT_MASK;
}

/** Who made the last change; 0 is nobody. */
export function ownerOf(word: number): number {
  return (word >>> OWNER_SHIFT) & OWNER_MASK;
}

/** Which of that owner's changes it was. */
export function numberOf(word: number): number {
  return (word >>> NUMBER_SHIFT) & NUMBER_MASK;
}

/** The word after a change. */
export function stamped(word: number, count: number, owner: number, number: number): number {
  return (word & CLOSED) | (number << NUMBER_SHIFT) | (owner << OWNER_SHIFT) | count;
}
