import { CapacityError } from "../errors.ts";

/*
 * The word of a semaphore:   sign: closed | 9 bits: number of the change | 8 bits: who made it | 14 bits: free permits
 */
const OWNER_SHIFT = 14;
const OWNER_MASK = 0xff;
const NUMBER_SHIFT = 22;

/** Free permits; also the most there can be. */
export const COUNT_MASK = 0x3fff;
/** Changes are numbered modulo this. */
const NUMBER_MASK = 0x1ff;
/** The sign bit. */
export const CLOSED = 0x80000000 | 0;

/** Free permits in a word. */
export function countOf(word: number): number {
  return word & COUNT_MASK;
}

/** Who made the last change; 0 is nobody. */
function ownerOf(word: number): number {
  return (word >>> OWNER_SHIFT) & OWNER_MASK;
}

/** Which of that owner's changes it was. */
function numberOf(word: number): number {
  return (word >>> NUMBER_SHIFT) & NUMBER_MASK;
}

/** The word after a change. */
function stamped(word: number, count: number, owner: number, number: number): number {
  return (word & CLOSED) | (number << NUMBER_SHIFT) | (owner << OWNER_SHIFT) | count;
}

/*
 * Who holds how many permits, so that a thread may die between any two steps.
 *
 *   NOTE[number & 1]   what the owner holds after its change of that number, written before the change
 *   SEEN               the owner's change that somebody has seen made before overwriting its stamp
 *
 * A change is one compare-and-exchange that puts number and owner next to the count. Whoever overwrites the stamp of
 * another thread writes SEEN first. So the newest note is true if and only if its number is in the stamp or in SEEN;
 * if not, the change was never made and the note before it is true. Uncontended this costs one store.
 *
 * Numbers wrap: a thread may not stand still between two of its steps while another one makes 512 changes in a row
 * and then dies. That is the price of one word for everything.
 */
const NOTES = 0;
const SEEN = 2;
const WORDS = 3;
const HELD_SHIFT = 9;

/** The notes of one owner beside the word of its semaphore. */
export class PermitNotes {
  readonly #words: Int32Array;
  readonly #permits: number;
  readonly #all: number;
  readonly #me: number;
  readonly #own: number;

  constructor(words: Int32Array, permits: number, notes: number, ownerId: number) {
    this.#words = words;
    this.#permits = permits;
    this.#all = notes;
    this.#me = ownerId;
    this.#own = notes + (ownerId - 1) * WORDS;
  }

  /** Words for that many owners. */
  static words(owners: number): number {
    return owners * WORDS;
  }

  /** One attempt to change the permits from what was seen; false when somebody was quicker. */
  exchange(seen: number, by: number): boolean {
    const count = countOf(seen) + by;
    if (count > COUNT_MASK) throw new CapacityError(`more than ${COUNT_MASK} permits`);
    this.#acknowledge(seen);
    if (this.#me === 0) {
      const next = stamped(seen, count, 0, 0);
      return Atomics.compareExchange(this.#words, this.#permits, seen, next) === seen;
    }
    const newest = this.#newest();
    const number = (newest + 1) & NUMBER_MASK;
    // A permit beyond what is held is a new one.
    const held = Math.max(0, (newest >>> HELD_SHIFT) - by);
    if (Atomics.load(this.#words, this.#own + SEEN) === number) {
      // Left from 512 changes ago.
      Atomics.store(this.#words, this.#own + SEEN, (number - 1) & NUMBER_MASK);
    }
    Atomics.store(this.#words, this.#own + NOTES + (number & 1), (held << HELD_SHIFT) | number);
    const next = stamped(seen, count, this.#me, number);
    if (Atomics.compareExchange(this.#words, this.#permits, seen, next) === seen) return true;
    this.#forget(number);
    return false;
  }

  /** Permits that this owner holds. */
  held(): number {
    return this.#me === 0 ? 0 : (this.#newest() >>> HELD_SHIFT) & COUNT_MASK;
  }

  /** After the owner's death: drops the note of a change that was never made. */
  settle(): void {
    const number = this.#newest() & NUMBER_MASK;
    const word = Atomics.load(this.#words, this.#permits);
    if (ownerOf(word) === this.#me && numberOf(word) === number) return;
    if (Atomics.load(this.#words, this.#own + SEEN) !== number) this.#forget(number);
  }

  /** Before another thread's stamp is overwritten, it is noted that its change was made. */
  #acknowledge(seen: number): void {
    const other = ownerOf(seen);
    if (other === 0 || other === this.#me) return;
    const at = this.#all + (other - 1) * WORDS + SEEN;
    const before = Atomics.load(this.#words, at);
    if (before === numberOf(seen)) return;
    // While the stamp stands, nobody can have noted a later change: then `before` is an earlier one.
    if (Atomics.load(this.#words, this.#permits) !== seen) return;
    Atomics.compareExchange(this.#words, at, before, numberOf(seen));
  }

  /** The note with the higher number. */
  #newest(): number {
    const even = Atomics.load(this.#words, this.#own + NOTES);
    const odd = Atomics.load(this.#words, this.#own + NOTES + 1);
    return ((even - odd) & NUMBER_MASK) === 1 ? even : odd;
  }

  /** Makes the note of this number older than the one before it. */
  #forget(number: number): void {
    Atomics.store(this.#words, this.#own + NOTES + (number & 1), (number - 2) & NUMBER_MASK);
  }
}
