import zlib from "node:zlib";

/** What the streams of `node:zlib` are made of, in every version since 10; the typings do not know it. */
interface Engine {
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

/** What came out of a stream: a view of memory that the next call writes to. */
export interface Inflated {
  readonly bytes: Buffer;
  /** Whether something follows the end of the stream. */
  readonly surplus: boolean;
}

/**
 * Inflates one whole stream after the other with one engine and into one piece of memory. The public calls make both
 * anew each time, which costs a small page more than inflating it, and leaves garbage outside the heap.
 */
export class Inflater {
  readonly #engine: Engine;
  readonly #into: Buffer;
  #failed = false;

  private constructor(engine: Engine, into: Buffer) {
    this.#engine = engine;
    this.#into = into;
    engine._handle!.onerror = () => {
      this.#failed = true;
    };
  }

  /** Inflates what the given stream would into `into`; undefined when this platform is made differently. */
  static of(stream: zlib.Gunzip | zlib.Inflate, into: Buffer): Inflater | undefined {
    const engine = stream as unknown as Engine;
    const isKnown =
      typeof engine._handle?.writeSync === "function" &&
      typeof engine._handle.reset === "function" &&
      engine._writeState instanceof Uint32Array;
    return isKnown ? new Inflater(engine, into) : undefined;
  }

  /** The whole stream, if it is undamaged and grows to `maxBytes` at most. */
  inflate(body: Uint8Array, maxBytes: number): Inflated | undefined {
    const handle = this.#engine._handle!;
    // One byte more tells a stream that ends there from one that goes on.
    const room = Math.min(maxBytes + 1, this.#into.length);
    this.#failed = false;
    handle.reset();
    handle.writeSync(zlib.constants.Z_FINISH, body, 0, body.length, this.#into, 0, room);
    const [roomLeft, unread] = this.#engine._writeState as unknown as [number, number];
    if (this.#failed || roomLeft === 0) return undefined;
    return { bytes: this.#into.subarray(0, room - roomLeft), surplus: unread > 0 };
  }
}
