import type { Socket } from "node:net";

/** A request as far as an answer can depend on it. */
export interface WebRequest {
  /** Index into the hosts of the web. */
  host: number;
  /** Path and query, exactly as they were sent. */
  target: string;
  /** HEAD: the same head, no body. */
  headOnly: boolean;
  acceptsGzip: boolean;
  ifNoneMatch: string;
  ifModifiedSince: string;
}

/** The answer: bytes, a reset connection, or a handler that owns the socket until it closes. */
export type Answer =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "reset" }
  | { kind: "takeOver"; run: (socket: Socket) => void };

/** What a complete, polite crawl with two retries finds from the start URLs. */
export interface WebTruth {
  start: string[];
  hosts: string[];
  /** Pages there are, found or not. */
  pages: number;
  /** Pages fetched with 2xx. */
  reachable: number;
  /** URLs that answer 404. */
  missing: number;
  /** URLs that answer 3xx. */
  redirects: number;
  /** URLs that robots.txt forbids. */
  refusedByRobots: number;
  /** URLs that always answer 5xx. */
  failing: number;
}

/** What a content counts while it answers. */
export interface ServedCounts {
  /** Distinct URLs answered with 2xx, robots.txt not among them. */
  pages: number;
  /** Those of them answered with 2xx more than once. */
  repeated: number;
  /** All answers with 2xx, however often a URL was asked for; robots.txt not among them. */
  answers: number;
  /** Requests for what robots.txt forbids. */
  robotsViolations: number;
}

/** One kind of web: its answers, their latency, and what is true about it. */
export interface WebContent {
  /** The answer; its bytes may lie in memory that the next call overwrites, unless `keep` is called first. */
  answer(request: WebRequest): Answer;
  /** The bytes of the last answer are still being sent: the next one must use other memory. */
  keep(): void;
  /** How long the answer is delayed. */
  latencyMs(request: WebRequest): number;
  /** The gap robots.txt asks of this host, 0 without one. */
  crawlDelayMs(host: number): number;
  /** URLs to start a crawl from. */
  start(): string[];
  truth(): WebTruth;
  served(): ServedCounts;
}
