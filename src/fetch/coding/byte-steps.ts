import type { Transform } from "node:stream";
import type zlib from "node:zlib";
import { ZlibEngine } from "../../runtime/zlib-engine.ts";
import type { DecodeBudget } from "./decode-budget.ts";
import { afterTurn } from "./decode-slices.ts";

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
const EMPTY: Buffer = Buffer.alloc(0);
/** After so long, with what the next steps do, the event loop turns. */
const SLICE_MS = 10;

/**
 * Removes one coding from a stream of bytes and passes the output on at once; it keeps nothing but the input of a
 * moment. When that costs much it pauses, so that the event loop turns, and gives up when its budget is spent.
 */
export class DecodeStep implements ByteStep {
  readonly #decoder: Transform;
  readonly #engine: ZlibEngine;
  readonly #caps: StepCaps;
  readonly #budget: DecodeBudget;
  readonly #next: ByteStep;
  readonly #room = Buffer.allocUnsafe(CHUNK_BYTES);
  #input: Buffer = EMPTY;
  #waiting: (() => void)[] = [];
  #in = 0;
  #out = 0;
  #startMs = 0;
  #isPaused = false;
  #hasAll = false;
  #over = false;
  /** Why the output is not complete. */
  fault: "encoding_error" | "body_too_large" | "decode_budget" | undefined;

  /** The budget is that of the whole body, which may have several codings. */
  constructor(
    create: (options: zlib.ZlibOptions) => Transform,
    caps: StepCaps,
    budget: DecodeBudget,
    next: ByteStep,
  ) {
    this.#caps = caps;
    this.#budget = budget;
    this.#next = next;
    this.#decoder = create({});
    this.#engine = ZlibEngine.of(this.#decoder)!;
  }

  get isBehind(): boolean {
    return this.#isPaused && !this.#over;
  }

  whenReady(go: () => void): void {
    this.#waiting.push(go);
  }

  write(piece: Uint8Array): void {
    if (this.#over) return;
    this.#in += piece.length;
    this.#input =
      this.#input.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#input, piece]);
    this.#run();
  }

  end(): void {
    this.#hasAll = true;
    this.#run();
  }

  /** Decodes what there is, until it is time for a pause. */
  #run(): void {
    this.#startMs = performance.now();
    while (!this.#isPaused && !this.#over) {
      const piece = this.#input.subarray(0, PIECE_BYTES);
      const isLast = piece.length === 0;
      if (isLast && !this.#hasAll) return;
      this.#budget.start();
      const written = this.#engine.push(piece, isLast, this.#room, 0);
      this.#budget.stop(written);
      if (written < 0) this.#finish("encoding_error");
      else this.#decoded(piece.length - this.#engine.unread, written, isLast);
    }
  }

  #decoded(read: number, written: number, isLast: boolean): void {
    this.#input = this.#input.subarray(read);
    if (written > 0) this.#handOn(this.#room.subarray(0, written));
    // With room left it has given all it has; what it did not read follows the end of the stream.
    const hasGivenAll = written < CHUNK_BYTES;
    if (hasGivenAll && (isLast || this.#engine.unread > 0)) this.#finish(undefined);
    else if (this.#budget.isSpent) this.#finish("decode_budget");
    else if (this.#next.isBehind) this.#pause((go) => this.#next.whenReady(go));
    else if (performance.now() - this.#startMs > SLICE_MS) this.#pause(afterTurn);
  }

  #handOn(part: Buffer): void {
    const byRatio = Math.max(RATIO_FREE_BYTES, this.#caps.maxRatio * this.#in);
    const room = Math.min(this.#caps.maxBytes, byRatio) - this.#out;
    this.#out += part.length;
    this.#next.write(part.length > room ? part.subarray(0, room) : part);
    if (part.length > room) this.#finish("body_too_large");
  }

  #pause(until: (go: () => void) => void): void {
    if (this.#over) return;
    this.#isPaused = true;
    until(() => {
      this.#isPaused = false;
      this.#run();
      if (!this.#isPaused) this.#wake();
    });
  }

  #finish(fault: DecodeStep["fault"]): void {
    if (this.#over) return;
    this.#over = true;
    this.fault = fault;
    this.#input = EMPTY;
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
