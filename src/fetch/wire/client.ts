import type net from "node:net";
import { withoutRootDot } from "../../url/url-parts.ts";
import { DEFAULT_LIMITS, type TransportLimits } from "../limits.ts";
import { promiseOf, type Receiver, tell } from "../receiver.ts";
import type {
  Target,
  Transport,
  TransportFailure,
  TransportOptions,
  TransportRequest,
  TransportResult,
} from "../transport.ts";
import { BodyMemory } from "./body-memory.ts";
import { Connection, type ConnectionParts } from "./connection.ts";
import { CLOSED } from "./dial.ts";
import { Dialer, isTunnel } from "./dialer.ts";
import { Exchange, type ExchangeParts } from "./exchange.ts";
import { LargeBodies } from "./large-bodies.ts";
import { PlainHead } from "./plain-head.ts";
import { Pool } from "./pool.ts";
import { RequestText, type Tail } from "./request-text.ts";
import { SecureOptions } from "./tls-options.ts";

/** Settings that only this transport has. */
export interface WireOptions extends TransportOptions {
  /** How long a connection is kept open without a request. */
  idleMs?: number;
  /** Certificate authorities (PEM) instead of the built-in ones. */
  ca?: string;
}

const MAX_IDLE = 128;
const IDLE_MS = 15_000;
const MAX_TICK_MS = 250;
const LATE_TICKS = 3;

const BAD_REQUEST: TransportFailure = {
  kind: "failed",
  error: "bad_request",
  detail: "a character in host, path or header may not be sent",
};

/** What is known of a target; routes keep their targets. */
interface Place extends Tail {
  readonly key: string;
  /** It has several addresses, or needs a tunnel. */
  readonly needsDialer: boolean;
}

function connectionKey(target: Target): string {
  const through = target.proxy === undefined ? "" : " proxy";
  const key = `${target.address} ${target.connectPort}${through}`;
  // A connection to a proxy serves many hosts.
  if (target.proxy !== undefined && !target.secure) return key;
  // Any other connection serves one host only, not others at the same address: TLS has authenticated that host, and
  // without TLS a response that a server slips in can only be taken for one of its own.
  const name = withoutRootDot(target.hostname);
  return `${key} ${target.secure ? "tls" : "plain"} ${name} ${target.port}`;
}

/** The transport of ordinary crawls: HTTP/1.1 on kept-alive connections. Heads are kept byte by byte, bodies in their content coding; chunk framing, trailers and 1xx answers are read and dropped. */
export class WireClient implements Transport {
  readonly #limits: TransportLimits;
  readonly #idleMs: number;
  readonly #resend: boolean;
  readonly #clock: () => number;
  readonly #pool: Pool;
  readonly #dialer: Dialer;
  readonly #exchangeParts: ExchangeParts;
  readonly #requestText = new RequestText();
  readonly #connections = new Set<Connection>();
  readonly #connectionParts: ConnectionParts;
  readonly #places = new WeakMap<Target, Place>();
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | undefined;
  #armedAtMs = 0;
  readonly #closing = new AbortController();
  #whenEmpty: (() => void) | undefined;

  constructor(options: WireOptions = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#resend = options.resend ?? true;
    this.#clock = options.clock ?? (() => performance.now());
    this.#pool = new Pool(options.maxIdle ?? MAX_IDLE, this.#clock);
    this.#connectionParts = {
      secure: new SecureOptions(options.insecure ?? false, options.ca),
      pool: this.#pool,
      clock: this.#clock,
      onBytes: options.onBytes ?? (() => {}),
      lost: (exchange) => this.#resendLost(exchange),
      closed: (connection) => this.#forget(connection),
    };
    const holds = (target: Target) => this.#pool.has(this.#placeOf(target).key);
    this.#dialer = new Dialer(holds, this.#limits.connectMs, this.#closing.signal);
    const limits = this.#limits;
    const { maxHeadBytes, maxHeadLines, maxBodyBytes } = limits;
    this.#exchangeParts = {
      limits,
      plainHead: new PlainHead(maxHeadBytes, maxHeadLines),
      memory: new BodyMemory(),
      large:
        options.largeBodies === undefined
          ? undefined
          : new LargeBodies(options.largeBodies, maxBodyBytes),
    };
    const { connectMs, firstByteMs, totalMs, minRateWindowMs } = limits;
    const shortestMs = Math.min(connectMs, firstByteMs, totalMs, minRateWindowMs, this.#idleMs);
    this.#tickMs = Math.max(2, Math.min(MAX_TICK_MS, shortestMs / 40));
  }

  /** Sockets open now, idle ones included. */
  get openSockets(): number {
    return this.#connections.size;
  }

  #placeOf(target: Target): Place {
    let place = this.#places.get(target);
    if (place === undefined) {
      const needsDialer = target.addresses !== undefined || isTunnel(target);
      place = { key: connectionKey(target), needsDialer, headers: undefined, tail: "" };
      this.#places.set(target, place);
    }
    return place;
  }

  request(request: TransportRequest): Promise<TransportResult> {
    return promiseOf((receiver) => {
      this.send(request, receiver);
      return undefined;
    });
  }

  /** Most hosts have one address and no proxy: their requests need no dialer. */
  send(request: TransportRequest, receiver: Receiver<TransportResult>): void {
    const place = this.#places.get(request.target) ?? this.#placeOf(request.target);
    if (place.needsDialer) tell(this.#dialAndSend(request), receiver);
    else this.#begin(request, place, receiver);
  }

  async #dialAndSend(request: TransportRequest): Promise<TransportResult> {
    const opened = await this.#dialer.open(request.target, request.dial);
    if (opened.kind === "failed") return opened;
    const { target, socket } = opened;
    const result = await promiseOf<TransportResult>((receiver) => {
      this.#begin({ ...request, target }, this.#placeOf(target), receiver, socket);
      return undefined;
    });
    if (result.kind === "failed") this.#dialer.failed(request.target, result.error);
    return result;
  }

  /** `socket` is a connection to the target that was opened for this request; it is used or destroyed. */
  #begin(
    request: TransportRequest,
    place: Place,
    receiver: Receiver<TransportResult>,
    socket?: net.Socket,
  ): void {
    const text = this.#requestText.write(request.target, place, request.path, request.headers);
    if (text === undefined) {
      socket?.destroy();
      queueMicrotask(() => receiver.settled(BAD_REQUEST));
      return;
    }
    const { conditional } = this.#requestText;
    const nowMs = this.#clock();
    const exchange = new Exchange(request, text, conditional, this.#exchangeParts, nowMs, receiver);
    const connection = this.#pool.take(place.key);
    if (connection === undefined) this.#connect(exchange, socket);
    else {
      socket?.on("error", () => {}).destroy();
      exchange.reusedConnection = true;
      connection.carry(exchange, nowMs);
    }
    exchange.begun = true;
  }

  /** Opens a connection for an exchange, unless that was done before. */
  #connect(exchange: Exchange, opened?: net.Socket): void {
    if (this.#closing.signal.aborted) {
      exchange.fail(CLOSED.error, CLOSED.detail);
      opened?.destroy();
      return;
    }
    const { target } = exchange.request;
    // Only the dialer opens tunnels.
    if (isTunnel(target) && opened === undefined) {
      exchange.fail("connection_lost", "the kept tunnel was closed before an answer");
      return;
    }
    const { key } = this.#placeOf(target);
    const connection = new Connection(target, key, this.#connectionParts, opened);
    this.#connections.add(connection);
    this.#arm();
    connection.carry(exchange, this.#clock());
  }

  #resendLost(exchange: Exchange): void {
    const { resend = this.#resend, target } = exchange.request;
    if ((exchange.sentAtMs >= 0 && !resend) || isTunnel(target)) {
      exchange.fail("connection_lost", "the kept connection was closed before an answer");
      return;
    }
    exchange.retried = true;
    exchange.reusedConnection = false;
    exchange.sentAtMs = -1;
    exchange.connectingSinceMs = this.#clock();
    this.#connect(exchange);
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#whenEmpty?.();
  }

  /** One coarse timer for all deadlines of all connections; it never keeps the process alive. */
  #arm(): void {
    if (this.#timer !== undefined) return;
    this.#armedAtMs = this.#clock();
    this.#timer = setTimeout(this.#tick, this.#tickMs).unref();
  }

  /** When this thread was busy for long, let it read first what waits in the kernel, before any deadline is judged. */
  readonly #tick = (): void => {
    this.#timer = undefined;
    if (this.#clock() - this.#armedAtMs > LATE_TICKS * this.#tickMs) setImmediate(this.#check);
    else this.#check();
  };

  readonly #check = (): void => {
    // A timer that fires early does no harm: the deadlines are judged by the clock.
    const now = this.#clock();
    for (const connection of this.#connections) connection.checkDeadlines(now);
    this.#pool.closeIdleSince(now - this.#idleMs);
    if (this.#connections.size > 0) this.#arm();
  };

  /** Destroys all sockets and resolves when the last one is gone; requests under way end as "aborted". */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#pool.close();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const connection of this.#connections) connection.destroy();
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
  }
}
