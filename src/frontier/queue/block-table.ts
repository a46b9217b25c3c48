import type { KeyColumns } from "./keys.ts";

const NONE = -1;
const KEY_BYTES = 12;

/** Bytes of one block on disk. */
export const BLOCK_BYTES = 4096;
/** Keys of one block on disk. */
export const BLOCK_KEYS = Math.floor(BLOCK_BYTES / KEY_BYTES);

/**
 * Where blocks go that do not fit into memory; what it holds can be built again from the journal, so it is never synced.
 * Calls are synchronous: a queue waits for its own blocks only, and they are few.
 */
export interface BlockFile {
  /** Writes all bytes at an offset; throws DiskFullError when they do not fit. */
  write(bytes: Uint8Array, offset: number): void;
  /** Fills `into` from an offset. */
  read(into: Uint8Array, offset: number): void;
}

/** A block in memory: two columns over the bytes that go to disk. */
export class Frame implements KeyColumns {
  readonly bytes = new Uint8Array(BLOCK_BYTES);
  readonly priorities = new Float64Array(this.bytes.buffer, 0, BLOCK_KEYS);
  readonly ids = new Uint32Array(this.bytes.buffer, 8 * BLOCK_KEYS, BLOCK_KEYS);
}

/**
 * Numbered blocks of keys of which a limited number is in memory. Where each block is stays in memory, too: less than a
 * tenth of a byte per key. The caller decides which block leaves.
 */
export class BlockTable {
  reads = 0;
  writes = 0;
  readonly #openFile: () => BlockFile;
  #file: BlockFile | undefined;
  readonly #maxFrames: number;
  readonly #frames: Frame[] = [];
  readonly #freeFrames: number[] = [];
  /** By block number: the block behind in its chain, or the next free number. */
  readonly #next: number[] = [];
  readonly #frameOf: number[] = [];
  /** True if the file holds what the block holds. */
  readonly #isSaved: boolean[] = [];
  #free = NONE;

  /** The file is opened when memory no longer suffices. */
  constructor(openFile: () => BlockFile, maxFrames: number) {
    this.#openFile = openFile;
    this.#maxFrames = maxFrames;
  }

  /** True when a block in memory must leave before another one can come in. */
  get isFull(): boolean {
    return this.#freeFrames.length === 0 && this.#frames.length >= this.#maxFrames;
  }

  /** Blocks in memory. */
  get resident(): number {
    return this.#frames.length - this.#freeFrames.length;
  }

  /** A new empty block in memory. */
  take(): number {
    const block = this.#free === NONE ? this.#next.length : this.#free;
    if (block === this.#free) this.#free = this.#next[block]!;
    this.#next[block] = NONE;
    this.#isSaved[block] = false;
    this.#frameOf[block] = this.#takeFrame();
    return block;
  }

  /** The memory of a block; undefined while it is on disk only. */
  frameOf(block: number): Frame | undefined {
    return this.#frames[this.#frameOf[block]!];
  }

  /** Brings a block into memory. */
  load(block: number): Frame {
    const number = this.#takeFrame();
    const frame = this.#frames[number]!;
    this.#file!.read(frame.bytes, block * BLOCK_BYTES);
    this.reads++;
    this.#frameOf[block] = number;
    return frame;
  }

  /** Takes a block out of memory; it is written unless the file has it already. */
  unload(block: number): void {
    const frame = this.#frameOf[block]!;
    if (!this.#isSaved[block]) {
      this.#file ??= this.#openFile();
      this.#file.write(this.#frames[frame]!.bytes, block * BLOCK_BYTES);
      this.writes++;
      this.#isSaved[block] = true;
    }
    this.#frameOf[block] = NONE;
    this.#freeFrames.push(frame);
  }

  /** Frees the number and the memory of a block; returns the one behind it, or -1. */
  release(block: number): number {
    const behind = this.#next[block]!;
    const frame = this.#frameOf[block]!;
    if (frame !== NONE) this.#freeFrames.push(frame);
    this.#frameOf[block] = NONE;
    this.#next[block] = this.#free;
    this.#free = block;
    return behind;
  }

  /** Puts a block behind another. */
  link(block: number, behind: number): void {
    this.#next[block] = behind;
  }

  #takeFrame(): number {
    return this.#freeFrames.pop() ?? this.#frames.push(new Frame()) - 1;
  }
}
