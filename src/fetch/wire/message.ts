import type net from "node:net";
import type { ResponseHead } from "./response-head.ts";
import type { BodyFlag, Truncation } from "./response-reader.ts";
import type { WireError } from "./wire-error.ts";

/** Header lines of a request, in sending order; an array must not change once it was used. */
export type RequestHeaders = readonly (readonly [name: string, value: string])[];

/** Where a request goes: the name it asks for and the address, already checked, that is connected to. It must not change once it was used. */
export interface WireTarget {
  secure: boolean;
  /** For the Host header, SNI and the certificate check; IPv6 in brackets. */
  hostname: string;
  /** Port of the URL, for the Host header. */
  port: number;
  /** The pinned IP address; no name is ever resolved here. */
  address: string;
  connectPort: number;
  /** Set when the address is a proxy's: it is told the whole URL, or has made a tunnel (TLS). */
  proxy?: { authorization: string | undefined };
}

/** Reads a body while it arrives, further than the part of it that is kept. */
export interface BodyTap {
  /** Bytes it wants to see, all in all. */
  readonly maxBytes: number;
  /** It has seen enough: what is not kept need not come. */
  readonly isDone: boolean;
  /** It has more than it can work on: nothing should come until `whenReady` calls back. */
  readonly isBehind: boolean;
  /** A body follows this head. */
  begin(head: ResponseHead): void;
  /** Takes the next bytes; they may be overwritten as soon as this returns. */
  push(piece: Uint8Array): void;
  whenReady(go: () => void): void;
}

/** One GET request. */
export interface WireRequest {
  target: WireTarget;
  /** Path and query, percent-encoded. */
  path: string;
  /** Without Host, which comes from the target. */
  headers: RequestHeaders;
  /** False ends the exchange after the head: no body is read and the connection is closed. */
  accept?: ((head: ResponseHead) => boolean) | undefined;
  /** The caller calls `release`: only then the body may lie in memory that is used again. */
  releases?: boolean | undefined;
  /** Instead of the client's limit. */
  maxBodyBytes?: number | undefined;
  /** Also hears the body. */
  tap?: BodyTap | undefined;
  /** A connection to the target that was opened for this request; it is used or destroyed. */
  opened?: net.Socket | undefined;
}

/** A response as it came; all times are readings of the client's monotonic clock. */
export interface WireResponse {
  readonly head: ResponseHead;
  /** The request as sent, one character per byte (latin1). */
  readonly requestText: string;
  /** De-chunked, content coding as received; only a prefix when `truncated` is set. */
  readonly body: Buffer;
  readonly truncated?: Truncation | undefined;
  readonly flag?: BodyFlag | undefined;
  /** `accept` said no. */
  readonly aborted: boolean;
  readonly reusedConnection: boolean;
  /** Empty behind a proxy. */
  readonly remoteAddress: string;
  /** Why the certificate would have been refused without `insecure`. */
  readonly unverified?: WireError | undefined;
  readonly startedAtMs: number;
  readonly firstByteMs: number;
  readonly endedAtMs: number;
  /** The body is no longer needed: its memory may serve another one. */
  release(): void;
}

/** What became of a request. */
export type WireResult =
  | { kind: "response"; response: WireResponse }
  | { kind: "failed"; error: WireError; message: string };
