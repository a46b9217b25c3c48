import zlib from "node:zlib";
import { ZlibEngine } from "../../runtime/zlib-engine.ts";

/** Larger content is compressed by the public call: compared with the work, making an engine costs nothing. */
const MAX_BYTES = 256 * 1024;
// A small engine is made ready for the next record by clearing 16 KB instead of 128, and a record of this size has
// little to gain from a larger window.
const SMALL_BYTES = 16 * 1024;
// glibc maps large pieces one by one, but when it takes one of up to 32 MiB back it keeps pieces of that size from then
// on (mallopt, M_MMAP_THRESHOLD). A larger piece always goes back to the system, and what is not touched costs nothing.
const UNMAPPED_BYTES = 33 * 1024 * 1024;
const LARGE_BYTES = 1024 * 1024;
const SMALL = { windowBits: 13, memLevel: 6 };

/** Makes gzip members of records, one after the other with the same engines. */
export class Compressor {
  readonly #engines = new Map<number, ZlibEngine | undefined>();
  #into = Buffer.alloc(0);

  /** The bytes as one gzip member; valid until the next call. */
  member(bytes: Uint8Array, level: number): Uint8Array {
    const { length } = bytes;
    const engine = length > MAX_BYTES ? undefined : this.#engine(level, length <= SMALL_BYTES);
    // More than zlib ever needs: stored blocks, should nothing else help, and their framing.
    const room = length + (length >> 6) + 128;
    if (engine !== undefined) {
      if (this.#into.length < room) this.#into = Buffer.allocUnsafeSlow(2 * room);
      const written = engine.run(bytes, this.#into, room);
      if (written > 0) return this.#into.subarray(0, written);
    }
    // Room for the whole answer, so that zlib gives it in one piece; of a large piece only what is written to costs memory.
    const chunkSize = length > LARGE_BYTES ? Math.max(room, UNMAPPED_BYTES) : room;
    return zlib.gzipSync(bytes, { level, chunkSize });
  }

  #engine(level: number, isSmall: boolean): ZlibEngine | undefined {
    const key = 2 * level + (isSmall ? 1 : 0);
    if (!this.#engines.has(key)) {
      const stream = zlib.createGzip({ level, ...(isSmall ? SMALL : {}) });
      this.#engines.set(key, ZlibEngine.of(stream));
    }
    return this.#engines.get(key);
  }
}
