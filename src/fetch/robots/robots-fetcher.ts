import type { Host } from "../../frontier/host.ts";
import type { HostMemory } from "../../frontier/host-memory.ts";
import { keepLatest } from "../../runtime/keep-latest.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { hostnameOf, serverOf } from "../../url/url-parts.ts";
import { decodeBody } from "../coding/decode.ts";
import type { Postponed } from "../outcome.ts";
import type { PoliteClient } from "../polite-client.ts";
import { pauseAskedMs } from "../retry-after.ts";
import type { RequestHeaders, Response } from "../transport.ts";
import type { RobotsBoard } from "./robots-board.ts";
import {
  isRedirect,
  type ReadRobots,
  RobotsCache,
  type RobotsFile,
  robotsFromStatus,
} from "./robots-cache.ts";
import { ROBOTS_MAX_BYTES } from "./robots-lines.ts";
import { holds, type NotedRobots, type RobotsFailure, type RobotsNote } from "./robots-note.ts";
import { RobotsRules } from "./robots-rules.ts";
import { RobotsShelf } from "./robots-shelf.ts";

const CACHE_MS = 24 * 3600_000;
const MAX_UNREACHABLE = 10_000;
/** Chains of redirects that wait for a host; one that is forgotten begins again. */
const MAX_CHAINS = 10_000;

/** Errors that another try will not change: certificates and names. */
const NEVER_BETTER = /^(tls_|dns_not_found)/;

/** Errors that say nothing about the host: a kept connection was closed, or the crawl is being stopped. */
const PASSING = new Set(["connection_lost", "aborted"]);

/** What is known of an origin's robots.txt after asking. */
export type RobotsAnswer =
  | ReadRobots
  /** The host must be left alone; asked again at `retryAtMs` unless `final`. */
  | Unreachable
  /** With `aside` it waits for another host, which a redirect leads to, or for another thread that asks. */
  | Postponed;

type Unreachable = RobotsFailure & { readonly kind: "unreachable" };

/** What was found out, without its time. */
type FileNote = RobotsNote extends infer Note
  ? Note extends { readonly expiresAtMs: number }
    ? Omit<Note, "expiresAtMs">
    : never
  : never;

const NONE: FileNote = { kind: "none" };

/** How far the redirects of a robots.txt were followed before one led to a host that has to wait. */
interface Chain {
  readonly url: CrawlUrl;
  readonly hops: number;
  /** The host it waits for; kept because it may have reserved its turn. */
  readonly host: Host;
}

/** A robots.txt that is obeyed: where it came from, and what of it was read, without its content coding. */
export interface ObeyedFile {
  readonly url: CrawlUrl;
  readonly address: string;
  readonly date: number;
  readonly body: Uint8Array;
}

/** Settings of the fetcher. */
export interface RobotsFetcherRules {
  /** Product token that robots.txt groups are matched with. */
  readonly agent: string;
  readonly headers: RequestHeaders;
  readonly retries: number;
  /** Memory for answers. */
  readonly cacheBytes: number;
  readonly backOffMs: (attempt: number) => number;
  /** Called with the CPU time that decoding the file of a host took, where that was worth measuring. */
  readonly onCost?: (hostname: string, costMs: number) => void;
  /** A host for the gates when a robots.txt redirects to another name. */
  readonly strangerHost: (hostname: string) => Host;
  /** Called for every file that was read and is obeyed from now on. */
  readonly onFile?: ((file: ObeyedFile) => void) | undefined;
  /** Called for the file of another origin that a redirect has led to. */
  readonly onOther?: (origin: string, rules: RobotsRules) => void;
  readonly clock: () => number;
  /** What all threads know together, where an origin is not always asked by the same one. */
  readonly board?: RobotsBoard | undefined;
}

/** Fetches the robots.txt of each origin: once for all who wait for it, politely, and keeps the answer for a day. */
export class RobotsFetcher {
  readonly #client: PoliteClient;
  readonly #rules: RobotsFetcherRules;
  readonly #cache: RobotsCache;
  readonly #asking = new Map<string, Promise<RobotsAnswer>>();
  readonly #chains = new Map<string, Chain>();
  readonly #unreachable = new Map<string, Unreachable>();
  #hasSignals = false;
  /** Where answers are kept with their hosts, if these may become another machine's. */
  #shelf: RobotsShelf | undefined;
  /** robots.txt files asked for, redirects included. */
  fetched = 0;

  constructor(client: PoliteClient, rules: RobotsFetcherRules) {
    this.#client = client;
    this.#rules = rules;
    const { cacheBytes: maxBytes, clock } = rules;
    this.#cache = new RobotsCache({ maxBytes, ttlMs: CACHE_MS, clock });
  }

  /** Keeps answers with their hosts, and finds there what others have kept. */
  keepWith(memory: HostMemory): void {
    this.#shelf = new RobotsShelf(memory, this.#rules.agent);
  }

  /** The answer if it is known. */
  known(origin: string): RobotsAnswer | undefined {
    return this.#knownHere(origin) ?? this.#knownElsewhere(origin);
  }

  #knownHere(origin: string): RobotsAnswer | undefined {
    const cached = this.#cache.get(origin);
    if (cached !== undefined) return cached;
    const failed = this.#unreachable.get(origin);
    if (failed === undefined || (!failed.final && this.#rules.clock() >= failed.retryAtMs)) {
      return undefined;
    }
    return failed;
  }

  /** What another thread has found out becomes known here. */
  #knownElsewhere(key: string): RobotsAnswer | undefined {
    const noted = this.#rules.board?.find(key);
    return noted && this.#adopt(key, noted);
  }

  #adopt(key: string, noted: NotedRobots): RobotsAnswer | undefined {
    if (noted.kind === "unreachable") {
      this.#keepFailure(key, { kind: "unreachable", ...noted.failure });
      return this.#knownHere(key);
    }
    if (this.#rules.clock() >= noted.expiresAtMs) return undefined;
    const answer = { kind: "rules", rules: noted.rules } as const;
    this.#hasSignals ||= noted.rules.contentSignal !== undefined;
    this.#unreachable.delete(key);
    this.#cache.put(key, answer, noted.expiresAtMs);
    return answer;
  }

  /** The Content-Signal lines of an origin whose file is known; nearly always there are none anywhere. */
  contentSignal(origin: () => string): string | undefined {
    if (!this.#hasSignals) return undefined;
    const known = this.known(origin());
    return known?.kind === "rules" ? known.rules.contentSignal : undefined;
  }

  /** Fetches the file; all who ask meanwhile get the same answer. */
  ask(origin: string, host: Host): Promise<RobotsAnswer> {
    let asking = this.#asking.get(origin);
    if (asking === undefined) {
      // Another thread asks: nobody holds a place to wait for it.
      const untilMs = this.#rules.board?.untilTurn(origin, this.#rules.clock()) ?? 0;
      if (untilMs > 0) return Promise.resolve({ kind: "postponed", untilMs, aside: true });
      asking = this.#findOrFetch(origin, host).finally(() => this.#asking.delete(origin));
      this.#asking.set(origin, asking);
    }
    return asking;
  }

  /** What the host's last holder has found out is not asked for again. */
  async #findOrFetch(origin: string, host: Host): Promise<RobotsAnswer> {
    const noted = this.#chains.has(origin) ? undefined : await this.#shelf?.find(origin);
    if (noted === undefined || !holds(noted, this.#rules.clock())) return this.#fetch(origin, host);
    if (noted.kind === "rules") this.#slow(host, noted.rules);
    return this.#adopt(origin, noted)!;
  }

  #slow(host: Host, rules: RobotsRules): void {
    if (rules.crawlDelayTooLong) return;
    this.#client.gatekeeper.slow(host, rules.crawlDelayMs ?? 0, this.#rules.clock());
  }

  async #fetch(origin: string, host: Host): Promise<RobotsAnswer> {
    const begun = this.#chains.get(origin);
    this.#chains.delete(origin);
    let url = begun?.url ?? canonicalize(`${origin}/robots.txt`)!;
    let asked = begun?.host ?? host;
    for (let hops = begun?.hops ?? 0; ; hops++) {
      const outcome = await this.#client.ask(url, asked, {
        headers: this.#rules.headers,
        maxBodyBytes: ROBOTS_MAX_BYTES,
      });
      if (outcome.kind === "postponed") {
        this.#rules.board?.goesOn(origin, outcome.untilMs);
        if (hops === 0) return outcome;
        // It waits in no place in flight: the next lease of the origin goes on from here.
        keepLatest(this.#chains, origin, { url, hops, host: asked }, MAX_CHAINS);
        return asked === host ? outcome : { ...outcome, aside: true };
      }
      this.fetched++;
      if (outcome.kind === "failed" && PASSING.has(outcome.error)) {
        const untilMs = this.#rules.clock() + host.delayMs;
        this.#rules.board?.goesOn(origin, untilMs);
        return { kind: "postponed", untilMs };
      }
      if (outcome.kind !== "response") {
        const ours = outcome.kind === "refused";
        return this.#failed(origin, host, outcome.error, { refused: ours && hops === 0, ours });
      }
      const file = await fileOf(outcome.response);
      if (file.costMs !== undefined) this.#rules.onCost?.(asked.name, file.costMs);
      const meaning = robotsFromStatus(file, this.#rules.agent, hops);
      if (meaning.kind === "unreachable") {
        const waitMs = pauseAskedMs(outcome.response.head) ?? 0;
        return this.#failed(origin, host, meaning.reason, { refused: true, waitMs });
      }
      if (meaning.kind === "rules") {
        if (file.status < 300) {
          const { address, date } = outcome.response;
          this.#rules.onFile?.({ url, address, date, body: file.body });
        }
        const note: FileNote =
          meaning.rules === RobotsRules.allowAll ? NONE : { kind: "file", body: file.body };
        const key = keyOf(url);
        if (hops === 0 || key === origin) return this.#store(origin, host, meaning.rules, note);
        // Too many redirects say something about the chain, and nothing about the file at its end: whose owner has not
        // asked for the chain.
        if (isRedirect(file)) return this.#store(origin, host, meaning.rules, NONE);
        // Where it is an origin's own, that origin is not asked again, so what it wants holds from now on.
        const isOwn = key !== url;
        this.#store(key, isOwn ? asked : undefined, meaning.rules, note);
        if (isOwn) this.#rules.onOther?.(key, meaning.rules);
        return this.#store(origin, host, meaning.rules, { kind: "same", key });
      }
      const next = canonicalize(meaning.location, url);
      // A redirect that leads nowhere means that there is no robots.txt.
      if (next === undefined) return this.#store(origin, host, RobotsRules.allowAll, NONE);
      const key = keyOf(next);
      const known = this.#cache.get(key) ?? this.#knownElsewhere(key);
      if (known?.kind === "rules")
        return this.#store(origin, host, known.rules, { kind: "same", key });
      url = next;
      asked = hostnameOf(url) === host.name ? host : this.#rules.strangerHost(hostnameOf(url));
    }
  }

  /** The host is the one that was asked, whose delay may be longer from now on. */
  #store(key: string, host: Host | undefined, rules: RobotsRules, note: FileNote): RobotsAnswer {
    const { board, clock } = this.#rules;
    const nowMs = clock();
    this.#unreachable.delete(key);
    const answer = { kind: "rules", rules } as const;
    this.#hasSignals ||= rules.contentSignal !== undefined;
    this.#cache.put(key, answer);
    // Before another thread can know that it may ask.
    if (host !== undefined) this.#slow(host, rules);
    const dated = { ...note, expiresAtMs: nowMs + CACHE_MS };
    board?.note(key, dated);
    this.#shelf?.note(key, dated);
    return answer;
  }

  #failed(
    origin: string,
    host: Host,
    error: string,
    { refused, ours = false, waitMs = 0 }: { refused: boolean; ours?: boolean; waitMs?: number },
  ): RobotsAnswer {
    const tries = (this.#unreachable.get(origin)?.tries ?? 0) + 1;
    const final = tries > this.#rules.retries || ours || NEVER_BETTER.test(error);
    const now = this.#rules.clock();
    const retryAtMs = now + Math.max(waitMs, this.#rules.backOffMs(tries - 1));
    // The pause that a server asks for holds already, for the host that asked; our own only while there are tries left.
    const reach = host.reachOf(`${origin}/` as CrawlUrl);
    if (!final && reach === host) this.#client.gatekeeper.hold(host, retryAtMs, now);
    else if (!final) reach.heldMs = Math.max(reach.heldMs, retryAtMs);
    const failure: RobotsFailure = { error, refused, retryAtMs, final, tries };
    const note = { kind: "unreachable", failure } as const;
    this.#rules.board?.note(origin, note);
    // What fails here for good may be had from another machine.
    if (!final) this.#shelf?.note(origin, note);
    return this.#keepFailure(origin, { kind: "unreachable", ...failure });
  }

  #keepFailure(origin: string, answer: Unreachable): RobotsAnswer {
    if (this.#unreachable.size >= MAX_UNREACHABLE) this.#unreachable.clear();
    this.#unreachable.set(origin, answer);
    return answer;
  }
}

/** The key of a robots.txt that was reached by redirects: the file of another origin is that origin's. */
function keyOf(url: CrawlUrl): string {
  const server = serverOf(url);
  return url === `${server}/robots.txt` ? server : url;
}

/** The response as a robots.txt file. */
export async function fileOf({
  head,
  body,
}: Response): Promise<RobotsFile & { readonly costMs: number | undefined }> {
  const { bytes, costMs } = await decodeBody(body, head.all("content-encoding").join(", "), {
    maxBytes: ROBOTS_MAX_BYTES,
    maxRatio: Number.POSITIVE_INFINITY,
  });
  return { status: head.status, body: bytes, location: head.location, costMs };
}
