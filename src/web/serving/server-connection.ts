import type { Socket } from "node:net";
import type { WebContent, WebRequest } from "./content.ts";
import { plainResponse } from "./http-head.ts";
import type { PolitenessMeter } from "./meter.ts";
import { type BadRequest, isBad, MAX_HEAD_BYTES, readRequestHead } from "./request-head.ts";

/** What all connections of a web share. */
export interface Exchange {
  readonly content: WebContent;
  readonly meter: PolitenessMeter;
  /** Index of the host that a Host header names, or -1. */
  hostIndex(authority: string): number;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

// Beyond this many bytes of pipelined requests reading pauses.
const MAX_PIPELINED_BYTES = 65_536;

/** One client connection: requests are answered in order, one at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #exchange: Exchange;
  #unread: Buffer | undefined;
  #arrivedMs = 0;
  /** An answer is delayed or still being sent: the next request waits. */
  #busy = false;
  /** The kernel has not yet taken all of the last answer. */
  #sending = false;
  #timer: NodeJS.Timeout | undefined;
  /** Host of a request that began and has not ended, or -1. */
  #host = -1;
  #writes = 0;
  #flushes = 0;
  /** No more requests will come: the client has closed its side. */
  #ended = false;
  /** No more requests will be read: the client asked to close, or sent what cannot be understood. */
  #last = false;
  readonly #flushed = (): void => this.#onFlushed();

  constructor(socket: Socket, exchange: Exchange) {
    this.#socket = socket;
    this.#exchange = exchange;
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("end", () => {
      this.#ended = true;
      if (!this.#busy) socket.end();
    });
    socket.on("error", () => {}); // a client may disappear at any time; "close" follows and cleans up
    socket.on("close", () => {
      clearTimeout(this.#timer);
      this.#end(exchange.now());
    });
  }

  #onData(chunk: Buffer): void {
    this.#arrivedMs = this.#exchange.now();
    this.#unread = this.#unread ? Buffer.concat([this.#unread, chunk]) : chunk;
    if (!this.#busy) this.#pump();
    else if (this.#unread.length > MAX_PIPELINED_BYTES) this.#socket.pause();
  }

  /** Answers what has arrived until an answer has to wait. */
  #pump(): void {
    while (!this.#busy && !this.#last && this.#unread && !this.#socket.destroyed) {
      const bytes = this.#unread;
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0 || end > MAX_HEAD_BYTES) {
        if (end > 0 || bytes.length > MAX_HEAD_BYTES) {
          this.#refuse({ status: 431, why: "The request head is too large." });
        }
        break;
      }
      const read = readRequestHead(bytes.toString("latin1", 0, end));
      this.#unread = end + 4 < bytes.length ? bytes.subarray(end + 4) : undefined;
      if (isBad(read)) {
        this.#refuse(read);
        return;
      }
      if (read.bodyBytes > 0) {
        this.#refuse({ status: 413, why: "Send no body." });
        return;
      }
      this.#last = read.close;
      const host = this.#exchange.hostIndex(read.host!);
      const headOnly = read.method === "HEAD";
      if (host < 0) {
        const why = `No host of this web is called ${JSON.stringify(read.host)}.\n`;
        this.#write(plainResponse(421, why, headOnly));
      } else if (read.method !== "GET" && !headOnly) {
        this.#write(plainResponse(405, "This web is only read.\n", false, { Allow: "GET, HEAD" }));
      } else {
        const { target, acceptsGzip, ifNoneMatch, ifModifiedSince } = read;
        this.#serve({ host, target, headOnly, acceptsGzip, ifNoneMatch, ifModifiedSince });
      }
    }
    if (this.#socket.isPaused()) this.#socket.resume();
    if ((this.#last || this.#ended) && !this.#busy && !this.#socket.destroyed) this.#socket.end();
  }

  #serve(request: WebRequest): void {
    this.#host = request.host;
    this.#exchange.meter.begin(request.host, this.#arrivedMs);
    const latencyMs = this.#exchange.content.latencyMs(request);
    if (latencyMs <= 0) {
      this.#answer(request);
      return;
    }
    this.#busy = true;
    this.#timer = setTimeout(() => {
      this.#busy = false;
      this.#answer(request);
      this.#pump();
    }, latencyMs);
  }

  #answer(request: WebRequest): void {
    const answer = this.#exchange.content.answer(request);
    switch (answer.kind) {
      case "bytes":
        this.#write(answer.bytes);
        return;
      case "reset":
        this.#busy = true;
        this.#end(this.#exchange.now());
        this.#socket.resetAndDestroy();
        return;
      case "takeOver":
        this.#busy = true; // for ever: the handler owns the socket until it closes
        answer.run(this.#socket);
    }
  }

  #write(bytes: Uint8Array): void {
    const startedMs = this.#exchange.now();
    this.#writes++;
    this.#socket.write(bytes, this.#flushed);
    // Node tries the kernel at once; nothing left here means that it took the last byte just now.
    if (this.#socket.writableLength === 0) {
      this.#end(startedMs);
      return;
    }
    this.#sending = true;
    this.#busy = true;
    this.#exchange.content.keep();
  }

  #onFlushed(): void {
    this.#flushes++;
    // Writes that were taken at once call back too, late: only the last one frees the connection.
    if (!this.#sending || this.#flushes < this.#writes) return;
    this.#end(this.#exchange.now());
    this.#sending = false;
    this.#busy = false;
    this.#pump();
  }

  #refuse(bad: BadRequest): void {
    // After a bad request it is unclear where the next one starts: close.
    this.#last = true;
    this.#socket.end(plainResponse(bad.status, `${bad.why}\n`, false, { Connection: "close" }));
  }

  #end(nowMs: number): void {
    if (this.#host < 0) return;
    this.#exchange.meter.end(this.#host, nowMs);
    this.#host = -1;
  }
}
