import { CapacityError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { whole } from "../../frontier/queue/priority-queue.ts";
import { copyOut, insertIntoChunks } from "./circular-chunks.ts";
import { partition, partitionCost } from "./partition.ts";
import { MAX_PIVOTS } from "./pivot-stack.ts";

/** Keys that a slice takes in one insert phase. */
export const INBOX_KEYS = 4096;
const MAX_KEYS_PER_SLICE = 2 ** 30; // positions run up to twice the capacity and must stay 32-bit integers

// Words of a slice's header. Its owner writes them during a phase, the coordinator between phases.
const HEAD = 0;
const LO = 1;
const HI = 2;
const SPLIT = 3;
const INBOX_LENGTH = 4;
const ENDS = 5;
const WORDS = ENDS + MAX_PIVOTS;

/** Memory of one slice: keys, inbox, header, and a count of comparisons. */
interface SliceColumns {
  readonly priorities: Float64Array;
  readonly ids: Uint32Array;
  readonly inboxPriorities: Float64Array;
  readonly inboxIds: Uint32Array;
  readonly words: Int32Array;
  readonly work: Float64Array;
}

/** Memory of all slices of one queue. Plain data, so it can go to a thread. */
export interface SliceMemory {
  /** Pivots that all slices share, those of the worst keys first. */
  readonly pivots: Float64Array;
  readonly slices: readonly SliceColumns[];
  readonly keysPerSlice: number;
}

/** Makes memory for `capacity` keys in `slices` slices; `shared` for slices that threads work on. */
export function makeSliceMemory(slices: number, capacity: number, shared: boolean): SliceMemory {
  if (!Number.isInteger(slices) || slices < 1) {
    throw new CapacityError(`a queue needs at least 1 slice, not ${slices}`);
  }
  // Batches fill the shortest slices first, so no slice ever holds more than its even share of the capacity.
  const share = Math.ceil(whole(capacity, 0, "the capacity of a queue") / slices);
  const keysPerSlice = Math.max(1, share);
  if (keysPerSlice > MAX_KEYS_PER_SLICE) {
    throw new CapacityError(
      `a slice holds at most ${MAX_KEYS_PER_SLICE} keys, not ${keysPerSlice}`,
    );
  }
  const memory = (bytes: number) =>
    shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  const newSlice = () => ({
    priorities: new Float64Array(memory(8 * keysPerSlice)),
    ids: new Uint32Array(memory(4 * keysPerSlice)),
    inboxPriorities: new Float64Array(memory(8 * INBOX_KEYS)),
    inboxIds: new Uint32Array(memory(4 * INBOX_KEYS)),
    words: new Int32Array(memory(4 * WORDS)),
    work: new Float64Array(memory(8)),
  });
  return {
    pivots: new Float64Array(memory(8 * MAX_PIVOTS)),
    slices: Array.from({ length: slices }, newSlice),
    keysPerSlice,
  };
}

/**
 * One slice of a global-pivot Quickheap, in memory that may be shared: the keys of a circular array, the ends of its
 * chunks, and the part of the first chunk that a running quickselect has narrowed down to, [lo, hi].
 * Methods are plain code: phases of the runner decide who may call them.
 */
export class PivotSlice {
  readonly #columns: SliceColumns;
  readonly #pivots: Float64Array;
  readonly #words: Int32Array;
  readonly #ends: Int32Array;
  readonly #inbox: Keys;

  constructor({ slices, pivots }: SliceMemory, index: number) {
    this.#columns = slices[index]!;
    this.#pivots = pivots;
    this.#words = this.#columns.words;
    this.#ends = this.#words.subarray(ENDS);
    this.#inbox = Keys.over(this.#columns.inboxPriorities, this.#columns.inboxIds, 0);
  }

  get size(): number {
    return this.#ends[0]! - this.#words[HEAD]!;
  }

  get comparisons(): number {
    return this.#columns.work[0]!;
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
    const { priorities, ids, work } = this.#columns;
    const head = this.#words[HEAD]!;
    work[0]! += insertIntoChunks(
      { priorities, ids, head, ends: this.#ends, pivots: this.#pivots, depth },
      this.#inbox,
    );
  }

  /** Phase: splits the active part by a value that is common to all slices. */
  split(pivot: number): void {
    const { priorities, ids, work } = this.#columns;
    const lo = this.#words[LO]!;
    const hi = this.#words[HI]!;
    this.#words[SPLIT] = partition(priorities, ids, lo, hi, pivot);
    if (hi >= lo) work[0]! += partitionCost(lo, hi);
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
    if (this.active === 0 || this.sample(0) !== pivot) return false;
    this.#words[LO]!++;
    return true;
  }

  /** The priority of the active key number `index`. */
  sample(index: number): number {
    const { priorities } = this.#columns;
    return priorities[(this.#words[LO]! + index) % priorities.length]!;
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
    return { priority: this.#columns.priorities[at]!, id: this.#columns.ids[at]! };
  }

  #take(end: number, into: Keys, depth: number): void {
    copyOut(this.#columns, this.#words[HEAD]!, end, into);
    this.#words[HEAD] = end;
    // The head stays below the capacity, so positions stay small; an empty slice begins at 0 again.
    const capacity = this.#columns.priorities.length;
    const back = this.size === 0 ? end : end < capacity ? 0 : capacity;
    if (back === 0) return;
    this.#words[HEAD]! -= back;
    for (let i = 0; i < depth; i++) this.#ends[i]! -= back;
  }
}

/** All slices of a queue. */
export function slicesOf(memory: SliceMemory): PivotSlice[] {
  return memory.slices.map((_, index) => new PivotSlice(memory, index));
}
