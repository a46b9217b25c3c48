import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { type Chunks, insertIntoChunks } from "./chunk-insert.ts";
import { copyOut } from "./circular.ts";
import { partitionCircular, partitionCost } from "./partition.ts";

/** Pivots that all slices share; room for the deepest stack that pruning leaves and one quickselect on top of it. */
export const MAX_PIVOTS = 192;
/** Keys that a slice takes in one insert phase. */
export const INBOX_KEYS = 4096;

// Words of a slice's header. Its owner writes them during a phase, the coordinator between phases.
const HEAD = 0;
const LO = 1;
const HI = 2;
const SPLIT = 3;
const INBOX_LENGTH = 4;
const ENDS = 5;
const WORDS = ENDS + MAX_PIVOTS;

const ALIGNMENT = 8;
const align = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Bytes of memory for a slice of `capacity` keys. */
export function sliceBytes(capacity: number): number {
  const columns = 8 * (capacity + INBOX_KEYS) + align(4 * (capacity + INBOX_KEYS));
  return 8 + columns + align(4 * WORDS);
}

/**
 * One slice of a global-pivot Quickheap, in memory that may be shared: the keys of a circular array, the ends of its
 * chunks, and the part of the first chunk that a running quickselect has narrowed down to, [lo, hi].
 * Methods are plain code: phases of the runner decide who may call them.
 */
export class PivotSlice {
  readonly #pivots: Float64Array;
  readonly #work: Float64Array;
  readonly #words: Int32Array;
  readonly #ends: Int32Array;
  readonly #priorities: Float64Array;
  readonly #ids: Uint32Array;
  readonly #inbox: Keys;

  constructor(memory: ArrayBufferLike, byteOffset: number, capacity: number, pivots: Float64Array) {
    let at = byteOffset;
    const doubles = (length: number) => {
      const view = new Float64Array(memory, at, length);
      at += 8 * length;
      return view;
    };
    const numbers = (length: number) => {
      const view = new Uint32Array(memory, at, length);
      at += align(4 * length);
      return view;
    };
    this.#pivots = pivots;
    this.#work = doubles(1);
    this.#priorities = doubles(capacity);
    const inboxPriorities = doubles(INBOX_KEYS);
    const ids = numbers(capacity + INBOX_KEYS);
    this.#ids = ids.subarray(0, capacity);
    this.#inbox = Keys.over(inboxPriorities, ids.subarray(capacity), 0);
    this.#words = new Int32Array(memory, at, WORDS);
    this.#ends = this.#words.subarray(ENDS);
  }

  get size(): number {
    return this.#ends[0]! - this.#words[HEAD]!;
  }

  get comparisons(): number {
    return this.#work[0]!;
  }

  /** Keys the quickselect still looks at. */
  get active(): number {
    return this.#words[HI]! - this.#words[LO]! + 1;
  }

  /** Keys of the active part that the last split put to the left. */
  get left(): number {
    return this.#words[SPLIT]! - this.#words[LO]!;
  }

  /** Keys before the end of chunk `index`. */
  prefix(index: number): number {
    return this.#ends[index]! - this.#words[HEAD]!;
  }

  /** Coordinator: hands a key over for the next insert phase. */
  give(priority: number, id: number): void {
    const at = this.#words[INBOX_LENGTH]!++;
    this.#inbox.priorities[at] = priority;
    this.#inbox.ids[at] = id;
  }

  /** Phase: puts the keys of the inbox into their chunks. */
  insertInbox(depth: number): void {
    this.#inbox.length = this.#words[INBOX_LENGTH]!;
    this.#words[INBOX_LENGTH] = 0;
    const chunks: Chunks = {
      priorities: this.#priorities,
      ids: this.#ids,
      head: this.#words[HEAD]!,
      ends: this.#ends,
      pivots: this.#pivots,
      depth,
    };
    this.#work[0]! += insertIntoChunks(chunks, this.#inbox);
  }

  /** Phase: splits the active part by a value that is common to all slices. */
  split(pivot: number): void {
    const lo = this.#words[LO]!;
    const hi = this.#words[HI]!;
    this.#words[SPLIT] = partitionCircular(this.#priorities, this.#ids, lo, hi, pivot);
    if (hi >= lo) this.#work[0]! += partitionCost(lo, hi);
  }

  /** Coordinator: makes the first chunk the active part. */
  open(depth: number): void {
    this.#words[LO] = this.#words[HEAD]!;
    this.#words[HI] = this.#ends[depth - 1]! - 1;
  }

  /** Coordinator: the boundary just found becomes chunk end `index`, and what lies before it the active part. */
  keepLeft(index: number): void {
    this.#ends[index] = this.#words[SPLIT]!;
    this.#words[HI] = this.#words[SPLIT]! - 1;
  }

  keepRight(): void {
    this.#words[LO] = this.#words[SPLIT]!;
  }

  /** Coordinator: passes over all active keys. */
  passActive(): void {
    this.#words[LO] = this.#words[HI]! + 1;
  }

  /** Coordinator: passes over one key; true if it equals the pivot, otherwise nothing happens. */
  skipEqual(pivot: number): boolean {
    if (this.active === 0 || this.#at(this.#words[LO]!) !== pivot) return false;
    this.#words[LO]!++;
    return true;
  }

  /** The priority of the active key number `index`. */
  sample(index: number): number {
    return this.#at(this.#words[LO]! + index);
  }

  /** Coordinator: takes out all keys before the active part. */
  takeBeforeActive(into: Keys, depth: number): void {
    this.#take(this.#words[LO]!, into, depth);
  }

  /** Coordinator: takes out the first chunk. */
  takeChunk(into: Keys, depth: number): void {
    this.#take(this.#ends[depth - 1]!, into, depth);
  }

  /** Coordinator: the boundary `from` becomes number `to`. */
  renumber(from: number, to: number): void {
    this.#ends[to] = this.#ends[from]!;
  }

  /** Keys that `takeBeforeActive` would take. */
  get beforeActive(): number {
    return this.#words[LO]! - this.#words[HEAD]!;
  }

  /** The first key. */
  get head(): Key {
    const at = this.#words[HEAD]!;
    return { priority: this.#priorities[at]!, id: this.#ids[at]! };
  }

  #at(position: number): number {
    const capacity = this.#priorities.length;
    return this.#priorities[position < capacity ? position : position - capacity]!;
  }

  #take(end: number, into: Keys, depth: number): void {
    copyOut(this.#priorities, this.#ids, this.#words[HEAD]!, end, into);
    this.#words[HEAD] = end;
    const back =
      this.size === 0 ? end : end < this.#priorities.length ? 0 : this.#priorities.length;
    if (back === 0) return;
    this.#words[HEAD]! -= back;
    for (let i = 0; i < depth; i++) this.#ends[i]! -= back;
  }
}
