import { CapacityError } from "../errors.ts";
import { KEY_BYTES, KeySlots } from "./key-slots.ts";

/**
 * The word of a slot: 0 when nobody has asked, below zero who asks and since when, negated, otherwise where the answer
 * lies. One word, so that nobody sees half of a change.
 */
const UNASKED = 0n;
/** There was no room for the answer: everybody asks for itself. */
const NO_ROOM = 1n;
/** The first byte that an answer may lie at, in units: 0 and 1 mean something else. */
const FIRST_UNIT = 2;
const UNIT_BYTES = 8;
const OWNERS = 4096n;
const WORD_BYTES = 8;
const HEAD_BYTES = 8;
const LENGTH_BYTES = 4;

/** Bytes of shared memory for a table of `slots` keys, a power of two, with `bytes` for their answers. */
export function answerTableBytes(slots: number, bytes: number): number {
  if (slots < 1 || (slots & (slots - 1)) !== 0) {
    throw new CapacityError(`a table of answers needs a power of two, not ${slots}`);
  }
  return HEAD_BYTES + slots * (KEY_BYTES + WORD_BYTES) + Math.ceil(bytes / UNIT_BYTES) * UNIT_BYTES;
}

/** How far the question of a key has got. */
export type Look =
  | { readonly kind: "unasked"; readonly word: bigint }
  /** Some thread asks, or will from `sinceMs` on. */
  | {
      readonly kind: "asking";
      readonly word: bigint;
      readonly owner: number;
      readonly sinceMs: number;
    }
  | { readonly kind: "answered"; readonly word: bigint; readonly bytes: Uint8Array<ArrayBuffer> }
  /** There was no room for the answer. */
  | { readonly kind: "unshared"; readonly word: bigint };

/**
 * What one thread asks for all: the first that needs an answer claims the question, the others wait for it. Answers are
 * only ever added, so whoever has seen one can read it; a claim that somebody judges too old is taken over in one
 * atomic step.
 */
export class AnswerTable {
  readonly #keys: KeySlots;
  readonly #words: BigInt64Array;
  /** Units used so far. */
  readonly #used: Int32Array;
  /** Answers: their length in a word, then their bytes. */
  readonly #lengths: DataView;
  readonly #bytes: Uint8Array;
  readonly #owner: bigint;

  /** The owner is the caller's id, 1 or more. */
  constructor(memory: SharedArrayBuffer, slots: number, owner: number) {
    const wordsAt = HEAD_BYTES + slots * KEY_BYTES;
    const answersAt = wordsAt + slots * WORD_BYTES;
    this.#used = new Int32Array(memory, 0, 1);
    this.#keys = new KeySlots(memory, HEAD_BYTES, slots);
    this.#words = new BigInt64Array(memory, wordsAt, slots);
    this.#lengths = new DataView(memory, answersAt);
    this.#bytes = new Uint8Array(memory, answersAt);
    this.#owner = BigInt(owner);
  }

  /** The slot of a key, by the halves of its fingerprint; -1 when there is no room for another key. */
  slotOf(low: number, high: number): number {
    return this.#keys.of(low, high);
  }

  /** What is known of a question now. */
  look(slot: number): Look {
    const word = Atomics.load(this.#words, slot);
    if (word === UNASKED) return { kind: "unasked", word };
    if (word === NO_ROOM) return { kind: "unshared", word };
    if (word < UNASKED) {
      const owner = Number(-word % OWNERS);
      return { kind: "asking", word, owner, sinceMs: Number(-word / OWNERS) };
    }
    const at = (Number(word) - FIRST_UNIT) * UNIT_BYTES;
    const length = this.#lengths.getInt32(at, true);
    const from = at + LENGTH_BYTES;
    return { kind: "answered", word, bytes: this.#bytes.slice(from, from + length) };
  }

  /** Claims the question from `sinceMs` on; false when something has changed since `seen`. */
  tryClaim(slot: number, seen: Look, sinceMs: number): boolean {
    const mine = -(BigInt(Math.ceil(sinceMs)) * OWNERS + this.#owner);
    return Atomics.compareExchange(this.#words, slot, seen.word, mine) === seen.word;
  }

  /** Nobody asks any more; unless something has changed since `seen`. */
  tryRelease(slot: number, seen: Look): void {
    Atomics.compareExchange(this.#words, slot, seen.word, UNASKED);
  }

  /** An owner is dead: others may ask what it was asking. */
  reclaim(owner: number): void {
    for (let slot = 0; slot < this.#words.length; slot++) {
      const word = Atomics.load(this.#words, slot);
      if (word < UNASKED && -word % OWNERS === BigInt(owner))
        Atomics.compareExchange(this.#words, slot, word, UNASKED);
    }
  }

  /** Gives the answer to all. It is right whoever asked, so a claim that was taken over does not matter. */
  answer(slot: number, bytes: Uint8Array): void {
    const unit = this.#reserve(Math.ceil((LENGTH_BYTES + bytes.length) / UNIT_BYTES));
    if (unit < 0) {
      Atomics.store(this.#words, slot, NO_ROOM);
      return;
    }
    const at = unit * UNIT_BYTES;
    this.#lengths.setInt32(at, bytes.length, true);
    this.#bytes.set(bytes, at + LENGTH_BYTES);
    Atomics.store(this.#words, slot, BigInt(unit + FIRST_UNIT));
  }

  /** The first of so many units that are the caller's from now on; -1 when there are not so many. */
  #reserve(units: number): number {
    for (;;) {
      const used = Atomics.load(this.#used, 0);
      if ((used + units) * UNIT_BYTES > this.#bytes.length) return -1;
      if (Atomics.compareExchange(this.#used, 0, used, used + units) === used) return used;
    }
  }
}
