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

/** A response and the kind of its connection. */
export class WireResponse implements Response {
  readonly head: ResponseHead;
  readonly requestText: string;
  readonly body: Buffer;
  readonly address: string;
  readonly date: number;
  readonly tookMs: number;
  readonly truncated: Truncation | undefined;
  readonly flag: BodyFlag | undefined;
  readonly aborted: boolean;
  readonly unverified: TransportError | undefined;
  readonly tap: BodyTap | undefined;
  readonly reusedConnection: boolean;
  readonly #exchange: Exchange;

  /** `reader` is undefined where none was needed. */
  constructor(
    exchange: Exchange,
    head: ResponseHead,
    body: Buffer,
    reader: ResponseReader | undefined,
    endedAtMs: number,
  ) {
    const { request } = exchange;
    const { target } = request;
    this.head = head;
    this.requestText = exchange.text;
    this.body = body;
    this.address = target.proxy === undefined ? target.address : "";
    this.date = exchange.date;
    this.tookMs = endedAtMs - exchange.startedAtMs;
    this.truncated = reader?.truncated ?? (reader?.body?.isCut === true ? "length" : undefined);
    this.flag = reader?.flag;
    this.aborted = reader?.aborted ?? false;
    this.unverified = exchange.unverified;
    this.tap = request.tap;
    this.reusedConnection = exchange.reused;
    this.#exchange = exchange;
  }

  release(): void {
    this.#exchange.releaseBody();
  }
}

/** What all exchanges of a client share. */
export interface ExchangeParts {
  readonly limits: TransportLimits;
  /** Reads the heads of all, one after the other. */
  readonly plainHead: PlainHead;
  readonly memory?: BodyMemory | undefined;
  readonly large?: LargeBodies | undefined;
}

/** One request and what becomes of it, whatever connection carries it. It settles exactly once. */
export class Exchange {
  readonly request: TransportRequest;
  readonly text: string;
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
  reused = false;
  retried = false;
  settled = false;
  /** The call that began it has returned: from now on its receiver may be told. */
  begun = false;
  /** Why the certificate of its connection does not verify, where that is tolerated. */
  unverified: TransportError | undefined = undefined;
  /** Head and body of a plain response that came in one piece; then there is no reader. */
  #head: ResponseHead | undefined = undefined;
  #body: Buffer | undefined = undefined;
  /** The memory that both lie in. */
  #piece: Buffer | undefined = undefined;
  #persistent = false;
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
    this.text = text;
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

  get #memory(): BodyMemory | undefined {
    return this.request.releases === true ? this.#parts.memory : undefined;
  }

  /** Reads whatever is not plain. */
  get reader(): ResponseReader {
    this.#reader ??= new ResponseReader({
      limits: this.#parts.limits,
      maxBodyBytes: this.#maxBodyBytes,
      conditional: this.#conditional,
      accept: this.request.accept,
      tap: this.request.tap,
      memory: this.#memory,
    });
    return this.#reader;
  }

  /** Nothing more is read. */
  get done(): boolean {
    return this.#head !== undefined || this.#reader?.done === true;
  }

  /** The connection is at a clean boundary between responses and may be used again. */
  get reusable(): boolean {
    return this.#head === undefined ? this.#reader?.reusable === true : this.#persistent;
  }

  /** Bytes came after the end of the response. */
  get surplus(): boolean {
    return this.#reader?.surplus === true;
  }

  /** Takes the next piece, which may be overwritten as soon as this returns; look at `done` afterwards. */
  push(piece: Buffer, length: number, nowMs: number): void {
    if (this.firstByteMs < 0) {
      this.firstByteMs = nowMs;
      if (this.#takePlain(piece, length)) return;
    }
    this.reader.push(piece, length);
  }

  /** Takes a plain response that is all there; or its head, for the reader to go on with the body. */
  #takePlain(piece: Buffer, length: number): boolean {
    const { plainHead } = this.#parts;
    const bodyAt = plainHead.read(piece, length);
    if (bodyAt === 0) return false;
    const { bodyBytes, persistent } = plainHead;
    const { accept, tap } = this.request;
    const isWhole = bodyBytes === length - bodyAt && bodyBytes <= this.#maxBodyBytes;
    if (!isWhole || tap !== undefined) {
      // What follows the end is for the reader to judge, with the head that it reads itself.
      if (bodyBytes >= 0 && bodyBytes <= length - bodyAt) return false;
      const own = Buffer.from(piece.subarray(0, bodyAt));
      const head = ResponseHead.plain(own, bodyAt, plainHead);
      const framing =
        bodyBytes < 0
          ? ({ kind: "chunked", persistent } as const)
          : ({ kind: "length", bytes: bodyBytes, persistent } as const);
      this.reader.goOn(head, framing, piece, bodyAt, length);
      return true;
    }
    const own = this.#memory?.take(length) ?? Buffer.allocUnsafe(length);
    // A view of the plainest kind: `copy` and `subarray` make buffers and check what is known.
    own.set(new Uint8Array(piece.buffer, piece.byteOffset, length));
    const head = ResponseHead.plain(own, bodyAt, plainHead);
    this.#piece = own;
    if (accept !== undefined && !accept(head)) {
      this.reader.refuse(head);
      return true;
    }
    this.#head = head;
    this.#body = own.subarray(bodyAt, length);
    this.#persistent = persistent;
    return true;
  }

  /** A request without any byte of an answer may be sent again: GET is idempotent (RFC 9112, 9.3.1). */
  get mayRetry(): boolean {
    return this.reused && !this.retried && this.firstByteMs < 0;
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
    const { body } = this.reader;
    const large = this.#large;
    if (large === undefined || body?.isLarge !== true) return true;
    const piece = large.take();
    if (piece === undefined) large.wait(onFree);
    else body.moveTo(piece);
    return piece !== undefined;
  }

  /** Gives the memory of the body back. */
  releaseBody(): void {
    const own = this.#piece;
    if (own !== undefined) {
      this.#piece = undefined;
      this.#memory?.giveBack(own);
    }
    const piece = this.#reader?.body?.release();
    if (piece !== undefined) this.#large?.giveBack(piece);
  }

  /** Checks the deadlines; `done` is true afterwards when one has passed. */
  checkDeadlines(clockMs: number): void {
    if (this.#heldSinceMs >= 0) return;
    const nowMs = clockMs - this.#heldMs;
    const { reader } = this;
    const { limits } = this.#parts;
    if (nowMs - this.startedAtMs >= limits.totalMs) {
      reader.expire("total_timeout", "total_timeout", `not done after ${limits.totalMs} ms`);
    } else if (this.sentAtMs < 0) {
      if (nowMs - this.connectingSinceMs < limits.connectMs) return;
      reader.expire("connect_timeout", "total_timeout", `no connection in ${limits.connectMs} ms`);
    } else if (!reader.inBody) {
      if (nowMs - this.sentAtMs < limits.firstByteMs) return;
      const error = this.firstByteMs < 0 ? "first_byte_timeout" : "header_timeout";
      reader.expire(error, "total_timeout", `no complete head in ${limits.firstByteMs} ms`);
    } else {
      this.#rate ??= new RateWindow(limits.minRateBytesPerS, limits.minRateWindowMs, nowMs);
      if (!this.#rate.tooSlow(nowMs, reader.bodyBytes)) return;
      reader.expire("bad_response", "too_slow", "body too slow");
    }
  }

  /** Reports what was read. */
  finish(nowMs: number): void {
    const reader = this.#reader;
    const head = this.#head ?? reader?.head;
    if (reader?.error !== undefined || head === undefined) {
      this.fail(reader?.error ?? "bad_response", reader?.message ?? "");
    } else if (head.status === PROXY_WANTS_PASSWORD && this.request.target.proxy !== undefined) {
      this.fail("proxy_refused", `it answered ${head.status}`);
    } else if (!this.settled) {
      const body = this.#body ?? reader!.takeBody();
      const response = new WireResponse(this, head, body, reader, nowMs);
      this.#settle({ kind: "response", response });
    }
  }

  /** Reports a failure. */
  fail(error: TransportError, detail: string): void {
    if (this.settled) return;
    this.releaseBody();
    this.#settle({ kind: "failed", error, detail });
  }

  #settle(result: TransportResult): void {
    this.settled = true;
    if (this.begun) this.#receiver.settled(result);
    else queueMicrotask(() => this.#receiver.settled(result));
  }

  /** Passes on a fault of the caller's own code. */
  reject(fault: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.releaseBody();
    this.#receiver.threw(fault);
  }
}
