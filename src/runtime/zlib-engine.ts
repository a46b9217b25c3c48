import zlib from "node:zlib";

/** What the streams of `node:zlib` are made of, in every version since 10; the typings do not know it. */
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
  /** Left by a write: room left, bytes not read. */
  readonly _writeState?: Uint32Array;
}

/**
 * Runs one whole body after the other through one engine of zlib, into memory of the caller's. The public calls make
 * an engine and a buffer anew each time, which costs a small page more than the coding itself, and leaves garbage
 * outside the heap.
 */
export class ZlibEngine {
  readonly #handle: NonNullable<Stream["_handle"]>;
  readonly #state: Uint32Array;
  #failed = false;

  private constructor(handle: NonNullable<Stream["_handle"]>, state: Uint32Array) {
    this.#handle = handle;
    this.#state = state;
    handle.onerror = () => {
      this.#failed = true;
    };
  }

  /** The engine of a stream that nobody else uses; undefined when this platform is made differently. */
  static of(stream: zlib.Gunzip | zlib.Gzip): ZlibEngine | undefined {
    const { _handle, _writeState } = stream as unknown as Stream;
    const isKnown =
      typeof _handle?.writeSync === "function" &&
      typeof _handle.reset === "function" &&
      _writeState instanceof Uint32Array;
    return isKnown ? new ZlibEngine(_handle, _writeState) : undefined;
  }

  /** Codes a whole body; answers the bytes written, -1 when they do not fit `room` - 1 or the body is damaged. */
  run(body: Uint8Array, into: Uint8Array, room: number): number {
    this.#failed = false;
    this.#handle.reset();
    this.#handle.writeSync(zlib.constants.Z_FINISH, body, 0, body.length, into, 0, room);
    const left = this.#state[0]!;
    // A byte of room left over tells a stream that has ended from one that would go on.
    return this.#failed || left === 0 ? -1 : room - left;
  }

  /** Codes a part of a body into the memory from `at` on; answers the bytes written, -1 when the part is damaged. */
  push(flush: number, part: Uint8Array, into: Uint8Array, at: number): number {
    this.#failed = false;
    const room = into.length - at;
    this.#handle.writeSync(flush, part, 0, part.length, into, at, room);
    return this.#failed ? -1 : room - this.#state[0]!;
  }

  /** Bytes behind the end of the stream that `run` or `push` read last. */
  get unread(): number {
    return this.#state[1]!;
  }
}
