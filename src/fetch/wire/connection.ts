import net from "node:net";
import type { Target } from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import { CLOSED } from "./dial.ts";
import type { Exchange } from "./exchange.ts";
import type { SecureOptions } from "./tls-options.ts";
import { wireErrorOf } from "./wire-error.ts";
import { writeRequest } from "./write-request.ts";

// One receive buffer for all connections of this thread: a callback consumes its bytes before it returns, and no other
// read can happen meanwhile.
const RECEIVE = Buffer.allocUnsafeSlow(128 * 1024);

/** Callbacks of a connection to its client. */
export interface ConnectionOwner {
  now(): number;
  /** Bytes have arrived. */
  received(bytes: number): void;
  /** The connection is open; nothing was sent on it yet. */
  opened(connection: Connection): void;
  /** The server sent bytes that were not asked for. */
  surprised(connection: Connection): void;
  /** The connection is free and clean. */
  released(connection: Connection, nowMs: number): void;
  /** The connection died before the exchange was answered; it needs a fresh one. */
  lost(exchange: Exchange): void;
  /** The process has no file descriptor left. */
  starved(): void;
  /** The connection may not be used any more. */
  leaving(connection: Connection): void;
  /** The socket is gone. */
  closed(connection: Connection): void;
}

/** One socket; carries one exchange at a time. Invariant: bytes reach a reader only after its request was written. */
export class Connection {
  readonly key: string;
  readonly #owner: ConnectionOwner;
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
  /** Neighbours among the idle ones, and whether it is one of them. */
  older: Connection | undefined = undefined;
  newer: Connection | undefined = undefined;
  isIdle = false;

  /** `opened` is an open connection to the target's address. */
  constructor(
    target: Target,
    key: string,
    secure: SecureOptions,
    owner: ConnectionOwner,
    opened?: net.Socket,
  ) {
    this.key = key;
    this.#owner = owner;
    this.#secure = target.secure;
    this.#isPlain = !target.secure && opened === undefined;
    const onread = {
      buffer: RECEIVE,
      callback: (length: number) => this.#onBytes(RECEIVE, length),
    };
    const socket = target.secure
      ? secure.connect(target, key, onread, opened)
      : (opened ?? net.connect({ host: target.address, port: target.connectPort, onread }));
    this.#socket = socket;
    socket.setNoDelay(true);
    if (opened !== undefined) {
      socket.on("data", (piece: Buffer) => {
        if (!this.#onBytes(piece, piece.length)) socket.pause();
      });
      if (opened !== socket) opened.on("error", (error: Error) => this.#onError(error));
      this.#ready = !target.secure;
      if (this.#ready) owner.opened(this);
    }
    socket.on(target.secure ? "secureConnect" : "connect", () => {
      this.#ready = true;
      this.#unverified = secure.fault(socket);
      owner.opened(this);
    });
    socket.on("error", (error: Error) => this.#onError(error));
    socket.on("end", () => this.#onEnd(true, "closed by the server"));
    socket.on("close", () => {
      this.#onEnd(false, "closed");
      owner.closed(this);
    });
  }

  /** Takes on an exchange; it is sent as soon as the connection is ready. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#send();
  }

  /** The rest is over: no byte came unasked, so the next response belongs to the next request. */
  rested(): void {
    this.resting = false;
    this.#send();
  }

  #send(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.sentAtMs >= 0) return;
    if (!this.#ready || this.resting || this.#leaving) return;
    if (exchange.request.maySend?.() === false) {
      this.#onError(new Error("it may not be sent any more"));
      return;
    }
    exchange.sentAtMs = this.#owner.now();
    exchange.unverified = this.#unverified;
    this.#isPlain &&= writeRequest(this.#socket, exchange.text);
    if (!this.#isPlain) this.#socket.write(exchange.text, "latin1");
    exchange.request.onSent?.();
  }

  /** False stops reading until `resume`. */
  #onBytes(piece: Buffer, length: number): boolean {
    const exchange = this.#exchange;
    this.#owner.received(length);
    // Not asked for: late bytes of the response before, or a response to no request.
    if (exchange === undefined || exchange.sentAtMs < 0) {
      this.#owner.surprised(this);
      this.#disown();
      return true;
    }
    const nowMs = this.#owner.now();
    try {
      exchange.push(piece, length, nowMs);
    } catch (fault) {
      this.#drop();
      exchange.reject(fault); // thrown by the caller's accept()
      return true;
    }
    if (exchange.done) this.#finish(exchange, nowMs);
    else return this.#hasRoom(exchange);
    return true;
  }

  #hasRoom(exchange: Exchange): boolean {
    return exchange.makeRoom(this.#owner.now(), () => {
      // The connection may have ended meanwhile; then another one gets the memory.
      if (this.#exchange === exchange && this.#hasRoom(exchange)) this.#socket.resume();
    });
  }

  // In all that follows the connection is settled first: whoever is told of a result may begin the next request.

  /** Settles an exchange that is done, and keeps or closes the connection. */
  #finish(exchange: Exchange, nowMs: number): void {
    this.#exchange = undefined;
    if (exchange.surplus) this.#owner.surprised(this);
    if (exchange.reusable && !this.#leaving) this.#owner.released(this, nowMs);
    else this.#drop();
    exchange.finish(nowMs);
  }

  #onError(error: Error): void {
    const exchange = this.#exchange;
    const code = wireErrorOf(error, this.#secure);
    if (code === "too_many_files") this.#owner.starved();
    if (exchange?.mayRetry === true) {
      this.#disown();
      return;
    }
    this.#drop();
    if (exchange === undefined) return;
    const broken = exchange.sentAtMs >= 0 && (exchange.reader.inBody || code === "reset");
    if (broken) exchange.reader.end(false, error.message);
    if (exchange.done) exchange.finish(this.#owner.now());
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
    exchange.reader.end(clean, message);
    exchange.finish(this.#owner.now());
  }

  /** Closes the connection and gives its unanswered exchange back, for another connection. */
  #disown(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#drop();
    if (exchange !== undefined && !exchange.settled) this.#owner.lost(exchange);
  }

  #drop(): void {
    this.#exchange = undefined;
    if (this.#leaving) return;
    this.#leaving = true;
    this.#owner.leaving(this);
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
