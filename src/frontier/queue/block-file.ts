/** Bytes of one block on disk. */
export const BLOCK_BYTES = 4096;

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
