import { hasTooManyCodings } from "../coding/decode.ts";
import type { TransportLimits } from "../limits.ts";
import { ResponseHead } from "../response-head.ts";
import type { BodyFlag, BodyTap, Truncation } from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import { BodyBuffer } from "./body-buffer.ts";
import type { BodyMemory } from "./body-memory.ts";
import { CHUNKS_BAD, CHUNKS_FULL, CHUNKS_MORE, ChunkedDecoder } from "./chunked.ts";
import { type Framing, framingOf } from "./framing.ts";
import { HeadScanner, SCAN_MORE, SCAN_NOT_HTTP, SCAN_TOO_LARGE } from "./head-scanner.ts";

/** What the reader needs of the request. */
export interface ReaderOptions {
  limits: TransportLimits;
  maxBodyBytes: number;
  /** True when the request was conditional, so that 304 is an answer to it. */
  conditional: boolean;
  accept: ((head: ResponseHead) => boolean) | undefined;
  tap?: BodyTap | undefined;
  /** Memory for bodies that will be released. */
  memory?: BodyMemory | undefined;
}

/** How a body ends whose head can be trusted. */
export type ReadFraming = Exclude<Framing, { kind: "bad" }>;

/** Why a final head cannot be trusted, empty when it can. */
function refusalOf(
  head: ResponseHead | undefined,
  framing: Framing | undefined,
  conditional: boolean,
): string {
  if (head === undefined) return "malformed status line";
  if (head.status === 101) return "101 without an upgrade";
  if (head.status < 200 || head.status > 599) return `status ${head.status}`;
  if (head.status === 304 && !conditional) return "304 to an unconditional request";
  return framing?.kind === "bad" ? framing.reason : "";
}

/**
 * Reads one response from bytes in any pieces; knows nothing of sockets or time. Invariant: for the same bytes
 * every cutting into pieces gives the same result, except that bytes after the end count only if they came
 * in the same piece as the end.
 */
export class ResponseReader {
  readonly #options: ReaderOptions;
  readonly #scanner: HeadScanner;
  #pending = "";
  #informational = 0;
  #framing: ReadFraming | undefined;
  #chunks: ChunkedDecoder | undefined;
  #body: BodyBuffer | undefined;
  head: ResponseHead | undefined;
  /** Nothing more is read: either `error` is set or the response is complete. */
  done = false;
  error: TransportError | undefined;
  message = "";
  truncated: Truncation | undefined;
  flag: BodyFlag | undefined;
  aborted = false;
  /** Bytes came after the end of the response. */
  surplus = false;
  /** The connection is at a clean boundary between responses and may be used again. */
  reusable = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#scanner = new HeadScanner(options.limits.maxHeadBytes, options.limits.maxHeadLines);
  }

  get inBody(): boolean {
    return this.#body !== undefined;
  }

  get bodyBytes(): number {
    return this.#body?.length ?? 0;
  }

  /** The body, once there is one; its owner moves large ones to other memory. */
  get body(): BodyBuffer | undefined {
    return this.#body;
  }

  /** The body read so far; called once, when done. */
  takeBody(): Buffer {
    return this.#body?.finish() ?? Buffer.alloc(0);
  }

  /** Takes the next piece; look at `done` afterwards. The piece may be overwritten as soon as this returns. */
  push(piece: Buffer, length: number): void {
    let at = 0;
    while (!this.done && this.#body === undefined) {
      at = this.#readHead(piece, at, length);
      if (at === SCAN_MORE) return;
    }
    if (!this.done) this.#readBody(piece, at, length);
  }

  /** Begins behind a head that was read already, whose body follows from `at` on. */
  goOn(head: ResponseHead, framing: ReadFraming, piece: Buffer, at: number, to: number): void {
    this.head = head;
    this.#startBody(head, framing);
    if (!this.done) this.#readBody(piece, at, to);
  }

  /** Ends with a head whose body is not wanted. */
  refuse(head: ResponseHead): void {
    this.head = head;
    this.aborted = true;
    this.done = true;
  }

  /** Position after the head, or SCAN_MORE when the piece is used up. */
  #readHead(piece: Buffer, from: number, to: number): number {
    const end = this.#scanner.scan(piece, from, to);
    if (end === SCAN_TOO_LARGE) this.#failTooLarge(piece);
    else if (end === SCAN_NOT_HTTP) this.#fail("bad_response", "not an HTTP/1 response");
    const start = this.#scanner.headStart;
    if (end < 0) {
      if (!this.done && start < to) this.#pending += piece.toString("latin1", start, to);
      return SCAN_MORE;
    }
    const text = this.#pending + piece.toString("latin1", start, end);
    this.#pending = "";
    this.#startResponse(ResponseHead.parse(text));
    return end;
  }

  /** Thousands of codings are reported as such, even when they make the head too long. */
  #failTooLarge(piece: Buffer): void {
    const { headStart, tooLargeAt } = this.#scanner;
    const head = ResponseHead.parse(
      this.#pending + piece.toString("latin1", headStart, tooLargeAt),
    );
    if (head !== undefined && hasTooManyCodings(head.all("content-encoding").join(","))) {
      this.#fail("bad_encoding", "more content codings than the head has room for");
    } else this.#fail("headers_too_large", "head over the limit");
  }

  #startResponse(head: ResponseHead | undefined): void {
    const isInformational = head !== undefined && head.status < 200 && head.status !== 101;
    if (isInformational && head.status >= 100) {
      this.#informational++;
      this.#scanner.reset();
      if (this.#informational <= this.#options.limits.maxInformational) return;
      this.#fail("bad_response", "too many informational responses");
      return;
    }
    const framing = head === undefined ? undefined : framingOf(head);
    const refusal = refusalOf(head, framing, this.#options.conditional);
    if (head === undefined || framing === undefined || framing.kind === "bad" || refusal !== "") {
      this.#fail("bad_response", refusal);
      return;
    }
    this.head = head;
    this.#startBody(head, framing);
  }

  #startBody(head: ResponseHead, framing: ReadFraming): void {
    const { accept, limits, maxBodyBytes, tap, memory } = this.#options;
    if (accept !== undefined && !accept(head)) {
      this.refuse(head);
      return;
    }
    this.#framing = framing;
    tap?.begin(head);
    const expected = framing.kind === "length" ? framing.bytes : 0;
    this.#body = new BodyBuffer(maxBodyBytes, expected, tap, memory);
    if (framing.kind === "chunked") {
      this.#chunks = new ChunkedDecoder(limits.maxHeadBytes, limits.maxHeadLines);
    }
  }

  #readBody(piece: Buffer, from: number, to: number): void {
    const framing = this.#framing!;
    const body = this.#body!;
    if (framing.kind === "length") {
      const missing = framing.bytes - body.length;
      const end = Math.min(to, from + missing);
      if (!body.append(piece, from, end)) this.#tooLarge();
      else if (body.length === framing.bytes) this.#complete(piece, end, to);
      else if (body.isFull) this.#tooLarge();
    } else if (framing.kind === "chunked") {
      const end = this.#chunks!.push(piece, from, to, body);
      if (end === CHUNKS_FULL) this.#tooLarge();
      else if (end === CHUNKS_BAD) this.#fail("bad_response", "malformed chunk");
      else if (end !== CHUNKS_MORE) this.#complete(piece, end, to);
    } else if (!body.append(piece, from, to)) {
      this.#tooLarge();
    }
  }

  #complete(piece: Buffer, end: number, to: number): void {
    this.done = true;
    this.reusable = this.#framing!.persistent && end === to;
    // Line ends after a body are an old habit of servers. Anything else means that the declared length is wrong or that
    // a second response is being slipped in: neither response can be trusted.
    let at = end;
    while (at < to && (piece[at] === 0x0a || piece[at] === 0x0d)) at++;
    this.surplus = at < to;
    if (this.surplus) this.#fail("bad_response", "bytes after the end of the response");
  }

  #tooLarge(): void {
    this.#cut("length", "body_too_large");
  }

  #cut(truncated: Truncation, flag: BodyFlag): void {
    this.truncated = truncated;
    this.flag = flag;
    this.done = true;
  }

  #fail(error: TransportError, message: string): void {
    this.error = error;
    this.message = message;
    this.reusable = false;
    this.done = true;
  }

  /** The connection ended (`clean`: by the peer's orderly close). */
  end(clean: boolean, message: string): void {
    if (this.done) return;
    const untilClose = clean && this.#framing?.kind === "until_close";
    if (this.#framing === undefined) this.#fail("reset", message);
    else if (untilClose || this.#chunks?.lastChunkSeen === true) this.done = true;
    else this.#cut("disconnect", "disconnect");
  }

  /** Time is up: a body is cut where it is, anything earlier is a failure. */
  expire(error: TransportError, flag: "too_slow" | "total_timeout", message: string): void {
    if (this.done) return;
    if (this.#framing === undefined) this.#fail(error, message);
    else this.#cut("time", flag);
  }
}
