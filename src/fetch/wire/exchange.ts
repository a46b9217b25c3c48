import type { TransportLimits } from "../limits.ts";
import type { Receiver } from "../receiver.ts";
import { ResponseHead } from "../response-head.ts";
import type {
  BodyFlag,
  BodyTap,
  Response,
  TransportRequest,
  TransportResult,
  Truncation,
} from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import type { BodyMemory } from "./body-memory.ts";
import type { LargeBodies } from "./large-bodies.ts";
import type { PlainHead } from "./plain-head.ts";
import { RateWindow } from "./rate-window.ts";
import { ResponseReader } from "./response-reader.ts";

const PROXY_WANTS_PASSWORD = 407;
const EMPTY = Buffer.alloc(0);

/** A response and the kind of its connection. */
export interface WireResponse extends Response {
  readonly reusedConnection: boolean;
}

/** What all exchanges of a client share. */
export interface ExchangeParts {
  readonly limits: TransportLimits;
  /** Reads the heads of all, one after the other. */
  readonly plainHead: PlainHead;
  readonly memory: BodyMemory;
  readonly large: LargeBodies | undefined;
}

/**
 * One request and what becomes of it, whatever connection carries it. It settles exactly once; where it settles with a
 * response it is that response, of which head and body are set by then.
 */
export class Exchange implements WireResponse {
  readonly request: TransportRequest;
  readonly requestText: string;
  readonly tap: BodyTap | undefined;
  readonly #parts: ExchangeParts;
  readonly #receiver: Receiver<TransportResult>;
  readonly #conditional: boolean;
  /** Wall time of the start. */
  readonly date = Date.now();
  readonly startedAtMs: number;
  /** When the current connection was asked for; the connect deadline counts from here. */
  connectingSinceMs: number;
  /** When the request was written, -1 before. */
  sentAtMs = -1;
  /** When the first byte of the response came, -1 before. */
  firstByteMs = -1;
  reusedConnection = false;
  retried = false;
  settled = false;
  /** The call that began it has returned: from now on its receiver may be told. */
  begun = false;
  /** Nothing more is read. */
  done = false;
  /** The connection is at a clean boundary between responses and may be used again. */
  reusable = false;
  /** Bytes came after the end of the response. */
  surplus = false;
  /** Why the certificate of its connection does not verify, where that is tolerated. */
  unverified: TransportError | undefined = undefined;
  head!: ResponseHead;
  body: Buffer = EMPTY;
  address = "";
  tookMs = 0;
  truncated: Truncation | undefined = undefined;
  flag: BodyFlag | undefined = undefined;
  aborted = false;
  /** Reused memory that head and body of a plain response lie in. */
  #piece: Buffer | undefined = undefined;
  /** Undefined where none was needed: the response was plain and came in one piece. */
  #reader: ResponseReader | undefined = undefined;
  #rate: RateWindow | undefined = undefined;
  /** When we stopped reading because there was no room for more of the body, -1 while we read. */
  #heldSinceMs = -1;
  /** Time lost by that, which is not the server's fault. */
  #heldMs = 0;

  constructor(
    request: TransportRequest,
    text: string,
    conditional: boolean,
    parts: ExchangeParts,
    nowMs: number,
    receiver: Receiver<TransportResult>,
  ) {
    this.request = request;
    this.requestText = text;
    this.tap = request.tap;
    this.#conditional = conditional;
    this.#parts = parts;
    this.#receiver = receiver;
    this.startedAtMs = this.connectingSinceMs = nowMs;
  }

  get #maxBodyBytes(): number {
    return this.request.maxBodyBytes ?? this.#parts.limits.maxBodyBytes;
  }

  /** Where large bodies go: the pieces are as large as the client's own limit. */
  get #large(): LargeBodies | undefined {
    const { limits, large } = this.#parts;
    const { releases } = this.request;
    return releases === true && this.#maxBodyBytes <= limits.maxBodyBytes ? large : undefined;
  }

  /** Reads whatever is not plain. */
  #startReader(): ResponseReader {
    const { accept, tap, releases } = this.request;
    const { limits, memory } = this.#parts;
    this.#reader = new ResponseReader({
      limits,
      maxBodyBytes: this.#maxBodyBytes,
      conditional: this.#conditional,
      accept,
      tap,
      memory: releases === true ? memory : undefined,
    });
    return this.#reader;
  }

  /** The head of the response is complete, and its body has begun. */
  get inBody(): boolean {
    return this.#reader?.inBody === true;
  }

  /** Takes the next piece, which may be overwritten as soon as this returns; look at `done` afterwards. */
  push(piece: Buffer, length: number, nowMs: number): void {
    if (this.firstByteMs >= 0) {
      this.#read(piece, length, 0);
      return;
    }
    this.firstByteMs = nowMs;
    const { plainHead, limits, memory } = this.#parts;
    const { accept, tap, releases, maxBodyBytes = limits.maxBodyBytes } = this.request;
    const bodyAt = plainHead.read(piece, length);
    const { bodyBytes } = plainHead;
    if (bodyAt === 0 || bodyBytes !== length - bodyAt || bodyBytes > maxBodyBytes || tap) {
      this.#read(piece, length, bodyAt);
      return;
    }
    // A plain response that is all there.
    const own = releases === true ? memory.take(length) : Buffer.allocUnsafe(length);
    if (releases === true) this.#piece = own;
    // A view of the plainest kind: `copy` and `subarray` make buffers and check what is known.
    own.set(new Uint8Array(piece.buffer, piece.byteOffset, length));
    this.head = new ResponseHead(plainHead, own, bodyAt);
    this.done = true;
    if (accept !== undefined && !accept(this.head)) this.aborted = true;
    else {
      this.body = own.subarray(bodyAt, length);
      this.reusable = plainHead.persistent;
    }
  }

  /** Has the reader read a piece; behind `bodyAt`, if not 0, because its head was plain. */
  #read(piece: Buffer, length: number, bodyAt: number): void {
    const reader = this.#reader ?? this.#startReader();
    const { bodyBytes, persistent } = this.#parts.plainHead;
    // What follows the end is for the reader to judge, with the head that it reads itself.
    if (bodyAt === 0 || (bodyBytes >= 0 && bodyBytes <= length - bodyAt)) {
      reader.push(piece, length);
    } else {
      const own = Buffer.from(piece.subarray(0, bodyAt));
      const head = new ResponseHead(this.#parts.plainHead, own, bodyAt);
      const framing =
        bodyBytes < 0
          ? ({ kind: "chunked", persistent } as const)
          : ({ kind: "length", bytes: bodyBytes, persistent } as const);
      reader.goOn(head, framing, piece, bodyAt, length);
    }
    this.done = reader.done;
    this.reusable = reader.reusable;
    this.surplus = reader.surplus;
  }

  /** A request without any byte of an answer may be sent again: GET is idempotent (RFC 9112, 9.3.1). */
  get mayRetry(): boolean {
    return this.reusedConnection && !this.retried && this.firstByteMs < 0;
  }

  /** Makes room for more of the body. False means stop reading; `onRoom` is called when there is room. */
  makeRoom(nowMs: number, onRoom: () => void): boolean {
    const { tap } = this.request;
    const behind = tap?.isBehind === true;
    if (behind || !this.#findPiece(onRoom)) {
      if (behind) tap.whenReady(onRoom);
      if (this.#heldSinceMs < 0) this.#heldSinceMs = nowMs;
      return false;
    }
    if (this.#heldSinceMs >= 0) this.#heldMs += nowMs - this.#heldSinceMs;
    this.#heldSinceMs = -1;
    return true;
  }

  /** Moves a body that has become large to a piece of memory; false when all are in use. */
  #findPiece(onFree: () => void): boolean {
    const body = this.#reader?.body;
    const large = this.#large;
    if (large === undefined || body?.isLarge !== true) return true;
    const piece = large.take();
    if (piece === undefined) large.wait(onFree);
    else body.moveTo(piece);
    return piece !== undefined;
  }

  release(): void {
    const own = this.#piece;
    if (own !== undefined) {
      this.#piece = undefined;
      this.#parts.memory.giveBack(own);
    }
    const piece = this.#reader?.body?.release();
    if (piece !== undefined) this.#large?.giveBack(piece);
  }

  /** Checks the deadlines; `done` is true afterwards when one has passed. */
  checkDeadlines(clockMs: number): void {
    if (this.#heldSinceMs >= 0) return;
    const nowMs = clockMs - this.#heldMs;
    const { limits } = this.#parts;
    if (nowMs - this.startedAtMs >= limits.totalMs) {
      this.#expire("total_timeout", "total_timeout", `not done after ${limits.totalMs} ms`);
    } else if (this.sentAtMs < 0) {
      if (nowMs - this.connectingSinceMs < limits.connectMs) return;
      this.#expire("connect_timeout", "total_timeout", `no connection in ${limits.connectMs} ms`);
    } else if (!this.inBody) {
      if (nowMs - this.sentAtMs < limits.firstByteMs) return;
      const error = this.firstByteMs < 0 ? "first_byte_timeout" : "header_timeout";
      this.#expire(error, "total_timeout", `no complete head in ${limits.firstByteMs} ms`);
    } else {
      this.#rate ??= new RateWindow(limits.minRateBytesPerS, limits.minRateWindowMs, nowMs);
      if (!this.#rate.tooSlow(nowMs, this.#reader!.bodyBytes)) return;
      this.#expire("bad_response", "too_slow", "body too slow");
    }
  }

  #expire(error: TransportError, flag: "too_slow" | "total_timeout", message: string): void {
    const reader = this.#reader ?? this.#startReader();
    reader.expire(error, flag, message);
    this.done = reader.done;
  }

  /** The connection ended (`clean`: by the peer's orderly close). */
  end(clean: boolean, message: string): void {
    const reader = this.#reader ?? this.#startReader();
    reader.end(clean, message);
    this.done = reader.done;
  }

  /** Reports what was read. */
  finish(nowMs: number): void {
    if (this.settled || (this.#reader !== undefined && !this.#takeFrom(this.#reader))) return;
    const { target } = this.request;
    if (target.proxy !== undefined && this.head.status === PROXY_WANTS_PASSWORD) {
      this.fail("proxy_refused", `it answered ${this.head.status}`);
    } else {
      if (target.proxy === undefined) this.address = target.address;
      this.tookMs = nowMs - this.startedAtMs;
      this.settled = true;
      // There is a response, so the call that began it has returned.
      this.#receiver.settled({ kind: "response", response: this });
    }
  }

  /** False when the reader has no response. */
  #takeFrom(reader: ResponseReader): boolean {
    const { head, error } = reader;
    if (error !== undefined || head === undefined) {
      this.fail(error ?? "bad_response", reader.message);
      return false;
    }
    this.head = head;
    this.body = reader.takeBody();
    this.truncated = reader.truncated ?? (reader.body?.isCut === true ? "length" : undefined);
    this.flag = reader.flag;
    this.aborted = reader.aborted;
    return true;
  }

  /** Reports a failure. */
  fail(error: TransportError, detail: string): void {
    if (this.settled) return;
    this.release();
    this.settled = true;
    const failure = { kind: "failed", error, detail } as const;
    if (this.begun) this.#receiver.settled(failure);
    else queueMicrotask(() => this.#receiver.settled(failure));
  }

  /** Passes on a fault of the caller's own code. */
  reject(fault: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.release();
    this.#receiver.threw(fault);
  }
}
