import type { TransportLimits } from "./limits.ts";
import type { Receiver } from "./receiver.ts";
import type { ResponseHead } from "./response-head.ts";
import type { TransportError } from "./transport-error.ts";

/**
 * Carries requests to servers. Everything polite happens before: robots.txt, the address check, the gate. HTTP/1.1 on
 * sockets is in `wire/`; a browser or HTTP/2 would be another one, chosen in `open-transport.ts`.
 * `tests/fetch/transport.contract.ts` checks what every transport promises.
 */
export interface Transport {
  /**
   * Sends one GET and follows no redirect. Resolves to a value whatever the server does; rejects only if the caller's
   * `accept` or `tap` throws.
   */
  request(request: TransportRequest): Promise<TransportResult>;
  /** The same without a promise. */
  send(request: TransportRequest, receiver: Receiver<TransportResult>): void;
  /** Ends everything: requests under way and later ones fail as "aborted". Resolves when no handle is left. */
  close(): Promise<void>;
}

/** Settings of a transport, all optional. */
export interface TransportOptions {
  limits?: Partial<TransportLimits>;
  /** Connections kept open without a request, over all hosts. */
  maxIdle?: number;
  /**
   * Send a request again at once when a kept connection dies before it answers. Off, that is "connection_lost":
   * the server may have seen the request, so its delay has to pass first.
   */
  resend?: boolean;
  /** Few large bodies at a time, in memory that is used again; the responses must then be released. */
  largeBodies?: number;
  /** Told how many bytes have arrived, whatever becomes of them. */
  onBytes?: (bytes: number) => void;
  /** Accept every certificate. */
  insecure?: boolean;
  /** Monotonic milliseconds. */
  clock?: () => number;
}

/** Header lines of a request, in sending order; an array must not change once it was used. */
export type RequestHeaders = readonly (readonly [name: string, value: string])[];

/** Where a request goes: the name it asks for and the address, already checked, to connect to. It must not change once it was used. */
export interface Target {
  readonly secure: boolean;
  /** For the Host header, SNI and the certificate check; IPv6 in brackets. */
  readonly hostname: string;
  /** Port of the URL, for the Host header. */
  readonly port: number;
  /** IP address; a transport never resolves a name. */
  readonly address: string;
  /** Set when there are several: all of them in the order of trying, `address` first. */
  readonly addresses?: readonly string[] | undefined;
  readonly connectPort: number;
  /** Set when the addresses are a proxy's: it gets the whole URL, or is asked for a tunnel (TLS). */
  readonly proxy?: { readonly authorization: string | undefined } | undefined;
}

/** One GET request. */
export interface TransportRequest {
  readonly target: Target;
  /** Path and query, percent-encoded. */
  readonly path: string;
  /** Without Host, which comes from the target. */
  readonly headers: RequestHeaders;
  /** False ends the request after the head: no body is read and the connection is closed. */
  readonly accept?: ((head: ResponseHead) => boolean) | undefined;
  /** The caller calls `release`: only then may the body lie in memory that is used again. */
  readonly releases?: boolean | undefined;
  /** Instead of the transport's limit. */
  readonly maxBodyBytes?: number | undefined;
  /** Reads the body while it arrives. */
  readonly tap?: BodyTap | undefined;
  /** Instead of the transport's setting: whether it is sent again at once when a kept connection dies before it answers. */
  readonly resend?: boolean | undefined;
  /** Asked before every address but the first is connected to; without it all may be. */
  readonly dial?: DialPermits | undefined;
  /** Called when the request is written. */
  readonly onSent?: (() => void) | undefined;
  /** Asked right before the first byte is written; false: nothing is sent, and the request fails. */
  readonly maySend?: (() => boolean) | undefined;
}

/** Who decides when the other addresses of a host may be tried. */
export interface DialPermits {
  /** Between two attempts of one request, at least. */
  readonly spacingMs: number;
  /** 0 when the address may be connected to now, otherwise the time before which it must not. */
  mayDial(address: string): number;
}

/** Reads a body while it arrives, further than the part of it that is kept. */
export interface BodyTap {
  /** Bytes it wants to see in all. */
  readonly maxBytes: number;
  /** It has seen enough: nothing more is read for its sake. */
  readonly isDone: boolean;
  /** It cannot keep up: it should get nothing until `whenReady` calls back. */
  readonly isBehind: boolean;
  /** A body follows this head. */
  begin(head: ResponseHead): void;
  /** Takes the next bytes; they may be overwritten as soon as this returns. */
  push(piece: Uint8Array): void;
  whenReady(go: () => void): void;
  /** There are no more bytes: resolves when all have been read. */
  finish?(): Promise<unknown>;
}

/** A response as it came, before anything is decided about it. */
export interface Response {
  readonly head: ResponseHead;
  /** The request as sent, one character per byte. */
  readonly requestText: string;
  /** De-chunked, content coding as received; only the beginning when `truncated` is set. */
  readonly body: Buffer;
  /** The address that answered; empty behind a proxy. */
  readonly address: string;
  /** Wall time of the request. */
  readonly date: number;
  readonly tookMs: number;
  readonly truncated: Truncation | undefined;
  /** Why the body is not whole or not clean, if so. */
  readonly flag: BodyFlag | undefined;
  /** `accept` answered false. */
  readonly aborted: boolean;
  /** Why the certificate would have been refused without `insecure`. */
  readonly unverified: TransportError | undefined;
  /** The tap of the request, which has read the body. */
  readonly tap: BodyTap | undefined;
  /** The body is no longer needed: its memory may be used again. */
  release(): void;
}

/** Why a body is not whole, in the words of WARC-Truncated. */
export type Truncation = "length" | "time" | "disconnect";

/** Why a body is not whole, in the words of the crawl log. */
export type BodyFlag = "body_too_large" | "too_slow" | "total_timeout" | "disconnect";

/** Why there is no response. */
export interface TransportFailure {
  readonly kind: "failed";
  readonly error: TransportError;
  readonly detail: string;
  /** An address that may answer and must not be tried before that time. */
  readonly untried?: { readonly address: string; readonly untilMs: number } | undefined;
}

/** What became of a request. */
export type TransportResult =
  | { readonly kind: "response"; readonly response: Response }
  | TransportFailure;
