import type { Transform } from "node:stream";
import type zlib from "node:zlib";

/** One step of a pipeline that takes bytes piece by piece. */
export interface ByteStep {
  /** True while it should get nothing, until `whenReady` calls back. */
  readonly isBehind: boolean;
  /** Takes the next bytes; they may be overwritten as soon as this returns. */
  write(piece: Uint8Array): void;
  /** There are no more bytes. */
  end(): void;
  whenReady(go: () => void): void;
}

/** Limits of the output: `maxBytes` always, and above 1 MiB `maxRatio` times the input. */
export interface StepCaps {
  readonly maxBytes: number;
  readonly maxRatio: number;
}

const RATIO_FREE_BYTES = 1024 * 1024;
/** zlib drops the output of the piece in which it finds an error, so this is the most input that a fault can cost. */
const PIECE_BYTES = 4096;
const CHUNK_BYTES = 64 * 1024;

/** Removes one coding from a stream of bytes and passes the output on at once; it keeps nothing. */
export class DecodeStep implements ByteStep {
  readonly #decoder: Transform;
  readonly #caps: StepCaps;
  readonly #next: ByteStep;
  #waiting: (() => void)[] = [];
  #in = 0;
  #out = 0;
  #over = false;
  /** Why the output is not complete. */
  fault: "encoding_error" | "body_too_large" | undefined;

  constructor(create: (options: zlib.ZlibOptions) => Transform, caps: StepCaps, next: ByteStep) {
    this.#caps = caps;
    this.#next = next;
    this.#decoder = create({ chunkSize: CHUNK_BYTES });
    this.#decoder.on("data", (part: Buffer) => this.#handOn(part));
    this.#decoder.on("drain", () => this.#wake());
    this.#decoder.on("end", () => this.#finish(undefined));
    this.#decoder.on("error", () => this.#finish("encoding_error"));
  }

  get isBehind(): boolean {
    return !this.#over && this.#decoder.writableNeedDrain;
  }

  whenReady(go: () => void): void {
    this.#waiting.push(go);
  }

  write(piece: Uint8Array): void {
    this.#in += piece.length;
    for (let at = 0; at < piece.length && !this.#over; at += PIECE_BYTES) {
      this.#decoder.write(Buffer.from(piece.subarray(at, at + PIECE_BYTES)));
    }
  }

  end(): void {
    if (!this.#over) this.#decoder.end();
  }

  #handOn(part: Buffer): void {
    if (this.#over) return;
    const byRatio = Math.max(RATIO_FREE_BYTES, this.#caps.maxRatio * this.#in);
    const room = Math.min(this.#caps.maxBytes, byRatio) - this.#out;
    this.#out += part.length;
    this.#next.write(part.length > room ? part.subarray(0, room) : part);
    if (part.length > room) this.#finish("body_too_large");
    else if (this.#next.isBehind) {
      this.#decoder.pause();
      this.#next.whenReady(() => this.#decoder.resume());
    }
  }

  #finish(fault: DecodeStep["fault"]): void {
    if (this.#over) return;
    this.#over = true;
    this.fault = fault;
    this.#decoder.destroy();
    this.#next.end();
    this.#wake();
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

const LOOK_BYTES = 2;

/** Chooses the next step by the first two bytes of a stream, however they arrive. */
export class FirstBytes implements ByteStep {
  readonly #choose: (first: Buffer) => ByteStep;
  #first: Buffer = Buffer.alloc(0);
  #chosen: ByteStep | undefined;

  constructor(choose: (first: Buffer) => ByteStep) {
    this.#choose = choose;
  }

  get isBehind(): boolean {
    return this.#chosen?.isBehind === true;
  }

  whenReady(go: () => void): void {
    this.#chosen?.whenReady(go);
  }

  write(piece: Uint8Array): void {
    if (this.#chosen !== undefined) {
      this.#chosen.write(piece);
      return;
    }
    this.#first = Buffer.concat([this.#first, piece]);
    if (this.#first.length >= LOOK_BYTES) this.#decide();
  }

  end(): void {
    if (this.#chosen === undefined) this.#decide();
    this.#chosen?.end();
  }

  #decide(): void {
    const first = this.#first;
    this.#first = Buffer.alloc(0);
    this.#chosen = this.#choose(first);
    if (first.length > 0) this.#chosen.write(first);
  }
}
