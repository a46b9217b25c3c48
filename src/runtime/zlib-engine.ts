import type { Transform } from "node:stream";
import zlib from "node:zlib";

/** The inside of `node:zlib` streams, in every version since 10; missing from the type declarations. */
interface Stream {
  readonly _handle?: {
    reset(): void;
    writeSync(
      flush: number,
      from: Uint8Array,
      fromAt: number,
      fromBytes: number,
      into: Uint8Array,
      intoAt: number,
      intoBytes: number,
    ): void;
    onerror: (message: string, errno: number, code: string) => void;
  };
  /** After a write: room left, bytes not read. */
  readonly _writeState?: Uint32Array;
}

/**
 * Runs one body after the other through one zlib engine, into the caller's memory. The public calls make a new engine
 * and a new buffer each time, which for a small page costs more than the coding itself and leaves garbage outside the
 * heap.
 */
export class ZlibEngine {
  readonly #handle: NonNullable<Stream["_handle"]>;
  readonly #state: Uint32Array;
  readonly #isBrotli: boolean;
  /** What tells it that no more input follows. */
  readonly #finish: number;
  #failed = false;

  private constructor(
    handle: NonNullable<Stream["_handle"]>,
    state: Uint32Array,
    isBrotli: boolean,
  ) {
    this.#handle = handle;
    this.#state = state;
    this.#isBrotli = isBrotli;
    const { Z_FINISH, BROTLI_OPERATION_FINISH } = zlib.constants;
    this.#finish = isBrotli ? BROTLI_OPERATION_FINISH : Z_FINISH;
    handle.onerror = () => {
      this.#failed = true;
    };
  }

  /** The engine of a stream that is not used otherwise; undefined when the platform differs. */
  static of(stream: Transform): ZlibEngine | undefined {
    const { _handle, _writeState } = stream as unknown as Stream;
    const isKnown =
      typeof _handle?.writeSync === "function" &&
      typeof _handle.reset === "function" &&
      _writeState instanceof Uint32Array;
    const isBrotli = stream instanceof zlib.BrotliDecompress;
    return isKnown ? new ZlibEngine(_handle, _writeState, isBrotli) : undefined;
  }

  /** Processes a whole body; returns the bytes written, -1 when there are `room` or more, or the body is damaged. */
  run(body: Uint8Array, into: Uint8Array, room: number): number {
    this.reset();
    this.#handle.writeSync(this.#finish, body, 0, body.length, into, 0, room);
    const left = this.#state[0]!;
    // With a byte of room left the stream has ended; without, it might go on.
    return this.#failed || left === 0 ? -1 : room - left;
  }

  /** Another body begins. */
  reset(): void {
    this.#failed = false;
    this.#handle.reset();
  }

  /** Processes a part of a body, empty if it is the last one, writing from `at` on; returns the bytes written, -1 when the part is damaged. */
  push(part: Uint8Array, isLast: boolean, into: Uint8Array, at: number): number {
    this.#failed = false;
    const room = into.length - at;
    const flush = isLast ? this.#finish : zlib.constants.Z_NO_FLUSH;
    this.#handle.writeSync(flush, part, 0, part.length, into, at, room);
    return this.#failed ? -1 : room - this.#state[0]!;
  }

  /** No body can be decoded any more: an engine of Brotli reports an error for ever, whatever is reset. */
  get isSpoilt(): boolean {
    return this.#failed && this.#isBrotli;
  }

  /** Bytes after the end of the stream in the last `run` or `push`. */
  get unread(): number {
    return this.#state[1]!;
  }
}
