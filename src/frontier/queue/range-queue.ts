import { DiskFullError } from "../../errors.ts";
import { BLOCK_KEYS, type BlockFile, BlockTable, type Frame } from "./block-table.ts";
import { type Key, Keys } from "./keys.ts";
import { available, type PriorityQueue, whole } from "./priority-queue.ts";
import { PriorityRanges } from "./priority-ranges.ts";

const NONE = -1;
const BITS_PER_OCTAVE = 3;
/** Room for two blocks of every range; 4 KiB each, taken when needed. */
const DEFAULT_FRAMES = 1024;

/** The ranges of the queue: how fine its order is. */
export const QUEUE_RANGES = new PriorityRanges(BITS_PER_OCTAVE);

/*
 *   range 425 | in memory …………………………………………………… |        the best ranges: never written if memory suffices
 *   range 424 | in memory … | on disk ……… | filling |
 *   range 423 | on disk ………………………………………… | filling |        first in, first out within a range
 *
 * A chain is read at its head and filled at its tail; the tail is always in memory. When memory is full, the last
 * block of the lowest range leaves it: the one that will be read latest. So a key is written at most once and read at
 * most once, but for the head of a chain that is pushed out half read, and no call touches more blocks than its keys fill.
 */

/**
 * Priority queue on disk in 426 logarithmic ranges, eight to a power of two, of first-in-first-out chains. It is exact
 * to the range: no key leaves while one of a higher range waits; within a range (an eighth at most) the older one leaves
 * first. It compares nothing, and the longest call is bounded by the keys it moves: the queue that crawls use.
 */
export class RangeQueue implements PriorityQueue {
  readonly comparisons = 0;
  readonly #table: BlockTable;
  readonly #heads = new Int32Array(QUEUE_RANGES.count).fill(NONE);
  readonly #tails = new Int32Array(QUEUE_RANGES.count).fill(NONE);
  /** Keys that have left the head block. */
  readonly #left = new Int32Array(QUEUE_RANGES.count);
  /** Keys in the tail block, those that have left it included. */
  readonly #filled = new Int32Array(QUEUE_RANGES.count);
  readonly #sizes = new Float64Array(QUEUE_RANGES.count);
  readonly #tailFrames: (Frame | undefined)[] = new Array(QUEUE_RANGES.count).fill(undefined);
  /** Blocks in memory that are not being filled, in the order of their chain. */
  readonly #resident: number[][] = Array.from({ length: QUEUE_RANGES.count }, () => []);
  /** No range above has keys. */
  #top = 0;
  #size = 0;

  /** At most `frames` blocks are in memory, but never fewer than one per range in use and two more. */
  constructor(openFile: () => BlockFile, frames: number = DEFAULT_FRAMES) {
    this.#table = new BlockTable(
      openFile,
      Math.max(2, whole(frames, 0, "the number of blocks in memory")),
    );
  }

  get size(): number {
    return this.#size;
  }

  /** Blocks read and written so far. */
  get transfers(): number {
    return this.#table.reads + this.#table.writes;
  }

  /** Blocks in memory now. */
  get residentBlocks(): number {
    return this.#table.resident;
  }

  insertMany(keys: Keys): void {
    keys.check();
    const { priorities, ids, length } = keys;
    for (let i = 0; i < length; i++) {
      this.insert(priorities[i]!, ids[i]!, QUEUE_RANGES.of(priorities[i]!));
    }
  }

  /** Adds one key whose range the caller knows; a batch would save nothing here. */
  insert(priority: number, id: number, range: number): void {
    const frame = this.#tailWithRoom(range);
    const at = this.#filled[range]!++;
    frame.priorities[at] = priority;
    frame.ids[at] = id;
    this.#sizes[range]!++;
    this.#size++;
    if (range > this.#top) this.#top = range;
  }

  /** The range of the best key; -1 when nothing waits. */
  topRange(): number {
    return this.#size === 0 ? -1 : this.#best();
  }

  /** Takes out the key that `extractTop` would take first and returns its id; the queue must not be empty. */
  shift(): number {
    const range = this.#best();
    const frame = this.#headFrame(range);
    const at = this.#left[range]!++;
    this.#sizes[range]!--;
    this.#size--;
    const id = frame.ids[at]!;
    if (at + 1 === this.#headEnd(range)) this.#dropHead(range);
    return id;
  }

  /** Best range first; within a range in the order of insertion. */
  extractTop(count: number, into: Keys = new Keys(available(count, this.#size))): Keys {
    let missing = available(count, this.#size);
    while (missing > 0) {
      const range = this.#best();
      const frame = this.#headFrame(range);
      const from = this.#left[range]!;
      const take = Math.min(missing, this.#headEnd(range) - from);
      into.append(frame, from, take);
      this.#left[range] = from + take;
      this.#sizes[range]! -= take;
      this.#size -= take;
      missing -= take;
      if (from + take === this.#headEnd(range)) this.#dropHead(range);
    }
    return into;
  }

  peek(): Key | undefined {
    if (this.#size === 0) return undefined;
    const range = this.#best();
    const frame = this.#headFrame(range);
    const at = this.#left[range]!;
    return { priority: frame.priorities[at]!, id: frame.ids[at]! };
  }

  #best(): number {
    while (this.#sizes[this.#top] === 0) this.#top--;
    return this.#top;
  }

  #headEnd(range: number): number {
    return this.#heads[range] === this.#tails[range] ? this.#filled[range]! : BLOCK_KEYS;
  }

  #headFrame(range: number): Frame {
    const head = this.#heads[range]!;
    const frame = this.#table.frameOf(head);
    if (frame !== undefined) return frame;
    this.#makeRoom();
    this.#resident[range]!.unshift(head);
    return this.#table.load(head);
  }

  #dropHead(range: number): void {
    const head = this.#heads[range]!;
    if (head === this.#tails[range]) {
      this.#tails[range] = NONE;
      this.#tailFrames[range] = undefined;
    } else {
      this.#resident[range]!.shift();
    }
    this.#heads[range] = this.#table.release(head);
    this.#left[range] = 0;
  }

  #tailWithRoom(range: number): Frame {
    const frame = this.#tailFrames[range];
    if (frame !== undefined && this.#filled[range]! < BLOCK_KEYS) return frame;
    // A full tail may leave memory like any other block from now on.
    const full = this.#tails[range]!;
    if (full !== NONE) this.#resident[range]!.push(full);
    this.#makeRoom();
    const block = this.#table.take();
    if (full === NONE) this.#heads[range] = block;
    else this.#table.link(full, block);
    this.#tails[range] = block;
    this.#filled[range] = 0;
    const fresh = this.#table.frameOf(block)!;
    this.#tailFrames[range] = fresh;
    return fresh;
  }

  /** Unloads a full block if memory is full. Without one all memory is tails, one per range in use: then it grows by a block. */
  #makeRoom(): void {
    if (!this.#table.isFull) return;
    for (let range = 0; range < this.#resident.length; range++) {
      const block = this.#resident[range]!.at(-1);
      if (block === undefined) continue;
      try {
        this.#table.unload(block);
        this.#resident[range]!.pop();
      } catch (fault) {
        // Nothing is lost: the queue costs memory until there is space again.
        if (!(fault instanceof DiskFullError)) throw fault;
      }
      return;
    }
  }
}
