import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Issuer } from "./certificate.ts";
import type { DnsAnswer } from "./name-server.ts";

/** Where the parts of the hostile web are, so that cases can link to each other. */
export interface Places {
  /** One port for all addresses. */
  readonly port: number;
  /** The port that speaks TLS. */
  readonly securePort: number;
  /** An ordinary host that records its requests: where redirects may lead. */
  readonly target: string;
  /** Another one, outside the scope of whoever comes from `target`. */
  readonly evil: string;
  /** Host and port on 127.0.0.1 that nobody was allowed to visit. A connection there is a finding. */
  readonly canary: string;
  /** The same on ::1. */
  readonly canary6: string;
  /** Signs those certificates that are in order. */
  readonly issuer: Issuer;
}

/** One request for one case. */
export interface Visit {
  readonly socket: Socket;
  /** Path and query as they came. */
  readonly path: string;
  /** http://address:port of the case. */
  readonly origin: string;
  /** How many requests this path had before, on any connection. */
  readonly before: number;
  /** How many requests this connection had before. */
  readonly onConnection: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Answers a request, however badly; it may do anything to the socket. */
export type Serve = (visit: Visit) => void;

/** What a crawler should make of one URL. */
export interface Expected {
  /** A path of the case or a whole URL; its first page when absent. */
  readonly at?: string;
  /** The path is asked for without TLS. */
  readonly plain?: boolean;
  /** "skipped" is a link that is reported and never requested, "absent" one that leaves no trace at all. */
  readonly outcome:
    | "page"
    | "redirect"
    | "sitemap"
    | "failed"
    | "refused"
    | "unavailable"
    | "skipped"
    | "absent";
  /** The code in the log; several when any of them will do. */
  readonly error?: string | readonly string[];
  /** Refusing it with this code is right, too: it depends on the moment, or on the thread that asks. */
  readonly orRefused?: string;
  readonly truncated?: "length" | "time" | "disconnect";
  /** Title of the page, where attribution or decoding is the point. */
  readonly title?: string;
  /** Exact number of requests for this path of the case, when that is the point. */
  readonly requests?: number;
}

/** How a case speaks TLS. */
export interface SecureServe {
  /** Takes the raw socket instead of a handshake. */
  readonly raw?: (socket: Socket) => void;
  readonly context?: SecureContextOptions;
  /** Between TLS and the network. */
  readonly wrap?: (socket: Socket) => Duplex;
  /** For ALPN. */
  readonly protocols?: string[];
}

/** What the name server says; `nth` counts the questions for this name and family from 1. */
export type NameAnswer = (address: string, family: 4 | 6, nth: number) => DnsAnswer;

/** One variant of one row: a host of its own that behaves in one bad way. */
export interface HostileCase {
  /** The row of the list, such as "R5". */
  readonly row: string;
  /** Unique within its row, fit for a URL. */
  readonly name: string;
  /** What is served, in words. */
  readonly serves: string;
  readonly expected: readonly Expected[];
  /** Answers by path; "*" for the rest. What is not here is 404, and so is robots.txt. */
  readonly pages?: Readonly<Record<string, Serve>>;
  /** First URL, when it is not "/". */
  readonly entry?: string;
  /** Written on accept, before any request. */
  readonly onConnect?: (socket: Socket) => void;
  /** Speaks TLS, with certificates for its own address. */
  readonly secure?: (address: string) => SecureServe;
  /** Names below hostile.test that lead here, or seem to. */
  readonly names?: Readonly<Record<string, NameAnswer>>;
  /** After the request for the first page its connection must not carry another one. */
  readonly closes?: boolean;
  /** Judged in a crawl of its own: with cookies, or until it ends by itself. */
  readonly needs?: "cookies" | "traps";
  /** Exact number of requests for the first page, when that is the point. */
  readonly requests?: number;
  /** The same for robots.txt. */
  readonly robotsRequests?: number;
  /** Seconds from the first to the last byte of one exchange, as the server saw it. */
  readonly seconds?: readonly [min: number, max: number];
  /** Waits tens of seconds with the deadlines of a polite crawl. */
  readonly slow?: boolean;
  /** Listed apart: it never ends unless the crawler recognises it, leads to very many URLs, or needs a long delay. */
  readonly apart?: boolean;
}

/** Makes the cases of a family of rows. */
export type Family = (places: Places) => HostileCase[];
