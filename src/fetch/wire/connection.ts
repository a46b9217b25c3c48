import net from "node:net";
import type { Target } from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import { CLOSED } from "./dial.ts";
import type { Exchange } from "./exchange.ts";
import type { Pool } from "./pool.ts";
import type { SecureOptions } from "./tls-options.ts";
import { wireErrorOf } from "./wire-error.ts";
import { writeRequest } from "./write-request.ts";

// One receive buffer for all connections of this thread: a callback consumes its bytes before it returns, and no other
// read can happen meanwhile.
const RECEIVE = Buffer.allocUnsafeSlow(128 * 1024);

/** What all connections of a client share. */
export interface ConnectionParts {
  readonly secure: SecureOptions;
  readonly pool: Pool;
  readonly clock: () => number;
  /** Told how many bytes have arrived. */
  readonly onBytes: (bytes: number) => void;
  /** A connection died before the exchange was answered; it needs a fresh one. */
  lost(exchange: Exchange): void;
  /** The socket is gone. */
  closed(connection: Connection): void;
}

/** One socket; carries one exchange at a time. Invariant: bytes reach a reader only after its request was written. */
export class Connection {
  readonly key: string;
  readonly #parts: ConnectionParts;
  readonly #secure: boolean;
  readonly #socket: net.Socket;
  /** Its handle takes the text of a request as it is. */
  #isPlain: boolean;
  #exchange: Exchange | undefined;
  #ready = false;
  #leaving = false;
  #unverified: TransportError | undefined;
  /** New or released, and not yet through one whole round of the event loop. */
  resting = false;
  idleSinceMs = 0;

  /** `opened` is an open connection to the target's address. */
  constructor(target: Target, key: string, parts: ConnectionParts, opened?: net.Socket) {
    this.key = key;
    this.#parts = parts;
    this.#secure = target.secure;
    this.#isPlain = !target.secure && opened === undefined;
    const { secure, pool } = parts;
    const onread = { buffer: RECEIVE, callback: this.#onBytes };
    const socket = target.secure
      ? secure.connect(target, key, onread, opened)
      : (opened ?? net.connect({ host: target.address, port: target.connectPort, onread }));
    this.#socket = socket;
    socket.setNoDelay(true);
    if (opened !== undefined) {
      socket.on("data", (piece: Buffer) => {
        if (!this.#onBytes(piece.length, piece)) socket.pause();
      });
      if (opened !== socket) opened.on("error", (error: Error) => this.#onError(error));
      this.#ready = !target.secure;
      if (this.#ready) pool.rest(this);
    }
    socket.on(target.secure ? "secureConnect" : "connect", () => {
      this.#ready = true;
      this.#unverified = secure.fault(socket);
      pool.rest(this);
    });
    socket.on("error", (error: Error) => this.#onError(error));
    socket.on("end", () => this.#onEnd(true, "closed by the server"));
    socket.on("close", () => {
      this.#onEnd(false, "closed");
      parts.closed(this);
    });
  }

  /** Takes on an exchange; it is sent as soon as the connection is ready. */
  carry(exchange: Exchange, nowMs: number): void {
    this.#exchange = exchange;
    if (!this.resting) this.send(nowMs);
  }

  /** Sends the request that waits, if there is one. */
  send(nowMs: number): void {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.sentAtMs >= 0) return;
    if (!this.#ready || this.resting || this.#leaving) return;
    const { request, requestText } = exchange;
    if (request.maySend?.() === false) {
      this.#onError(new Error("it may not be sent any more"));
      return;
    }
    exchange.sentAtMs = nowMs;
    exchange.unverified = this.#unverified;
    this.#isPlain &&= writeRequest(this.#socket, requestText);
    if (!this.#isPlain) this.#socket.write(requestText, "latin1");
    request.onSent?.();
  }

  /** False stops reading until `resume`. */
  readonly #onBytes = (length: number, piece: Buffer): boolean => {
    const exchange = this.#exchange;
    const { pool, clock, onBytes } = this.#parts;
    onBytes(length);
    // Not asked for: late bytes of the response before, or a response to no request.
    if (exchange === undefined || exchange.sentAtMs < 0) {
      pool.surprised(this);
      this.#disown();
      return true;
    }
    const nowMs = clock();
    try {
      exchange.push(piece, length, nowMs);
    } catch (fault) {
      this.#drop();
      exchange.reject(fault); // thrown by the caller's accept()
      return true;
    }
    if (!exchange.done) return this.#hasRoom(exchange);
    // The connection is settled first, here as in all that follows: whoever is told of a result may begin the next
    // request.
    this.#exchange = undefined;
    if (exchange.surplus) pool.surprised(this);
    if (exchange.reusable && !this.#leaving) pool.put(this, nowMs);
    else this.#drop();
    exchange.finish(nowMs);
    return true;
  };

  #hasRoom(exchange: Exchange): boolean {
    return exchange.makeRoom(this.#parts.clock(), () => {
      // The connection may have ended meanwhile; then another one gets the memory.
      if (this.#exchange === exchange && this.#hasRoom(exchange)) this.#socket.resume();
    });
  }

  #onError(error: Error): void {
    const exchange = this.#exchange;
    const code = wireErrorOf(error, this.#secure);
    // Close idle sockets to free descriptors; the caller decides about trying again.
    if (code === "too_many_files") this.#parts.pool.closeIdleSince(Number.POSITIVE_INFINITY);
    if (exchange?.mayRetry === true) {
      this.#disown();
      return;
    }
    this.#drop();
    if (exchange === undefined) return;
    const broken = exchange.sentAtMs >= 0 && (exchange.inBody || code === "reset");
    if (broken) exchange.end(false, error.message);
    if (exchange.done) exchange.finish(this.#parts.clock());
    // Before the request, or a handshake that TLS 1.3 reports as refused only after it.
    else exchange.fail(code, error.message);
  }

  #onEnd(clean: boolean, message: string): void {
    const exchange = this.#exchange;
    if (exchange?.mayRetry === true) {
      this.#disown();
      return;
    }
    this.#drop();
    if (exchange === undefined) return;
    exchange.end(clean, message);
    exchange.finish(this.#parts.clock());
  }

  /** Closes the connection and gives its unanswered exchange back, for another connection. */
  #disown(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#drop();
    if (exchange !== undefined && !exchange.settled) this.#parts.lost(exchange);
  }

  #drop(): void {
    this.#exchange = undefined;
    if (this.#leaving) return;
    this.#leaving = true;
    this.#parts.pool.remove(this);
    this.#socket.destroy();
  }

  /** Looks at the deadlines of the exchange under way. */
  checkDeadlines(nowMs: number): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    exchange.checkDeadlines(nowMs);
    if (!exchange.done) return;
    this.#drop();
    exchange.finish(nowMs);
  }

  /** Ends the connection at once; an exchange under way ends as "aborted". */
  destroy(): void {
    const exchange = this.#exchange;
    this.#drop();
    exchange?.fail(CLOSED.error, CLOSED.detail);
  }
}
