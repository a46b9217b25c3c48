import { RobotsRules } from "./robots-rules.ts";

/** How many redirects of a robots.txt are followed; after that it counts as unavailable (RFC 9309, 2.3.1.2). */
export const ROBOTS_MAX_REDIRECTS = 5;

/** A robots.txt that was read. */
export interface ReadRobots {
  readonly kind: "rules";
  readonly rules: RobotsRules;
}

/** A response to a request for a robots.txt. */
export interface RobotsFile {
  readonly status: number;
  readonly body: Uint8Array;
  readonly location?: string | undefined;
}

/** What one request for a robots.txt means; a redirect is for the caller to follow. */
export type RobotsMeaning =
  | ReadRobots
  | { kind: "redirect"; location: string }
  | { kind: "unreachable"; reason: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const TOO_MANY_REQUESTS = 429;

/** Whether a response leads somewhere else. */
export function isRedirect({ status, location }: RobotsFile): boolean {
  return REDIRECTS.has(status) && location !== undefined;
}

/** What a response means by RFC 9309, 2.3.1: no file allows everything, an unreachable one disallows everything for now. */
export function robotsFromStatus(
  { status, body, location }: RobotsFile,
  agent: string,
  redirectsFollowed = 0,
): RobotsMeaning {
  if (status >= 200 && status < 300) {
    return { kind: "rules", rules: RobotsRules.parse(body, agent) };
  }
  if (REDIRECTS.has(status) && location !== undefined && redirectsFollowed < ROBOTS_MAX_REDIRECTS)
    return { kind: "redirect", location };
  // "Too many requests" says nothing about the file: the RFC lets us go on, Google does not, and neither do we.
  if (status >= 300 && status < 500 && status !== TOO_MANY_REQUESTS) {
    return { kind: "rules", rules: RobotsRules.allowAll };
  }
  return { kind: "unreachable", reason: `robots_status_${status}` };
}

interface Entry {
  answer: ReadRobots;
  expiresAtMs: number;
  bytes: number;
}

/** Map entry, key and the objects around an answer. */
const ENTRY_BYTES = 200;

/** Remembers answers per origin, up to a number of bytes; the least recently used one is dropped first. */
export class RobotsCache {
  readonly #options: { readonly maxBytes: number; readonly ttlMs: number; clock(): number };
  /** In order of last use: a Map keeps the order of insertion, and every use inserts again. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** The one used last, and so the last of the map already. */
  #latest: Entry | undefined;

  /** The clock is monotonic, in milliseconds; `ttlMs` is at most 24 h in RFC 9309. */
  constructor(options: { maxBytes: number; ttlMs: number; clock: () => number }) {
    this.#options = options;
  }

  /** Bytes held now, never more than `maxBytes`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of origins known now. */
  get size(): number {
    return this.#entries.size;
  }

  /** The answer of an origin; undefined when it has to be asked, for the first time or again. */
  get(origin: string): ReadRobots | undefined {
    const entry = this.#entries.get(origin);
    if (entry === undefined) return undefined;
    if (this.#options.clock() >= entry.expiresAtMs) {
      this.#drop(origin);
      return undefined;
    }
    if (entry !== this.#latest) {
      this.#entries.delete(origin);
      this.#entries.set(origin, entry);
      this.#latest = entry;
    }
    return entry.answer;
  }

  /** Remembers an answer; one that is larger than the whole cache is not kept. */
  put(
    origin: string,
    answer: ReadRobots,
    expiresAtMs = this.#options.clock() + this.#options.ttlMs,
  ): void {
    this.#drop(origin);
    const isShared = answer.rules === RobotsRules.allowAll;
    const bytes = ENTRY_BYTES + origin.length + (isShared ? 0 : answer.rules.bytes);
    if (bytes > this.#options.maxBytes) return;
    this.#latest = { answer, expiresAtMs, bytes };
    this.#entries.set(origin, this.#latest);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(origin: string): void {
    const entry = this.#entries.get(origin);
    if (entry === undefined) return;
    this.#entries.delete(origin);
    this.#bytes -= entry.bytes;
  }
}
