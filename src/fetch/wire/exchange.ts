import type { TransportLimits } from "../limits.ts";
import type { ResponseHead } from "../response-head.ts";
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

  constructor(exchange: Exchange, head: ResponseHead, endedAtMs: number) {
    const { reader, request } = exchange;
    const { target } = request;
    this.head = head;
    this.requestText = exchange.text;
    this.body = reader.takeBody();
    this.address = target.proxy === undefined ? target.address : "";
    this.date = exchange.date;
    this.tookMs = endedAtMs - exchange.startedAtMs;
    this.truncated = reader.truncated ?? (reader.body?.isCut === true ? "length" : undefined);
    this.flag = reader.flag;
    this.aborted = reader.aborted;
    this.unverified = exchange.unverified;
    this.tap = request.tap;
    this.reusedConnection = exchange.reused;
    this.#exchange = exchange;
  }

  release(): void {
    this.#exchange.releaseBody();
  }
}

/** One request and what becomes of it, whatever connection carries it. It settles exactly once. */
export class Exchange {
  readonly request: TransportRequest;
  readonly text: string;
  readonly reader: ResponseReader;
  /** Wall time of the start. */
  readonly date = Date.now();
  readonly startedAtMs: number;
  readonly #limits: TransportLimits;
  readonly #settle: (result: TransportResult) => void;
  readonly #reject: (fault: unknown) => void;
  /** When the current connection was asked for; the connect deadline counts from here. */
  connectingSinceMs: number;
  /** When the request was written, -1 before. */
  sentAtMs = -1;
  /** When the first byte of the response came, -1 before. */
  firstByteMs = -1;
  reused = false;
  retried = false;
  settled = false;
  /** Why the certificate of its connection does not verify, where that is tolerated. */
  unverified: TransportError | undefined;
  #rate: RateWindow | undefined;
  readonly #large: LargeBodies | undefined;
  /** When we stopped reading because there was no room for more of the body, -1 while we read. */
  #heldSinceMs = -1;
  /** Time lost by that, which is not the server's fault. */
  #heldMs = 0;

  constructor(
    request: TransportRequest,
    text: string,
    conditional: boolean,
    limits: TransportLimits,
    nowMs: number,
    settle: (result: TransportResult) => void,
    reject: (fault: unknown) => void,
    memory?: BodyMemory,
    large?: LargeBodies,
  ) {
    this.request = request;
    this.text = text;
    this.#limits = limits;
    this.startedAtMs = this.connectingSinceMs = nowMs;
    this.#settle = settle;
    this.#reject = reject;
    const maxBodyBytes = request.maxBodyBytes ?? limits.maxBodyBytes;
    // The pieces are as large as the client's own limit.
    if (request.releases === true && maxBodyBytes <= limits.maxBodyBytes) this.#large = large;
    const { accept, tap } = request;
    this.reader = new ResponseReader({
      limits,
      maxBodyBytes,
      conditional,
      accept,
      tap,
      memory: request.releases === true ? memory : undefined,
    });
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
    if (this.#large === undefined || body?.isLarge !== true) return true;
    const piece = this.#large.take();
    if (piece === undefined) this.#large.wait(onFree);
    else body.moveTo(piece);
    return piece !== undefined;
  }

  /** Gives the memory of the body back. */
  releaseBody(): void {
    const piece = this.reader.body?.release();
    if (piece !== undefined) this.#large?.giveBack(piece);
  }

  /** Checks the deadlines; `reader.done` is true afterwards when one has passed. */
  checkDeadlines(clockMs: number): void {
    if (this.#heldSinceMs >= 0) return;
    const nowMs = clockMs - this.#heldMs;
    const { reader } = this;
    const limits = this.#limits;
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

  /** Reports what the reader found. */
  finish(nowMs: number): void {
    const { reader } = this;
    const { head } = reader;
    if (reader.error !== undefined || head === undefined) {
      this.fail(reader.error ?? "bad_response", reader.message);
    } else if (head.status === PROXY_WANTS_PASSWORD && this.request.target.proxy !== undefined) {
      this.fail("proxy_refused", `it answered ${head.status}`);
    } else if (!this.settled) {
      this.settled = true;
      this.#settle({ kind: "response", response: new WireResponse(this, head, nowMs) });
    }
  }

  /** Reports a failure. */
  fail(error: TransportError, detail: string): void {
    if (this.settled) return;
    this.settled = true;
    this.releaseBody();
    this.#settle({ kind: "failed", error, detail });
  }

  /** Passes on a fault of the caller's own code. */
  reject(fault: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.releaseBody();
    this.#reject(fault);
  }
}
