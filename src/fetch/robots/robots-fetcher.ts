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
import { type Lead, lookAgainMs, type RobotsBoard } from "./robots-board.ts";
import {
  type ReadRobots,
  ROBOTS_MAX_REDIRECTS,
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
/** Files that lead to others, and hosts that redirects wait for; what is forgotten is asked for again. */
const MAX_LEADS = 10_000;
/** How a server says that nothing may be asked for. */
const SAID_BY_SERVER = /^robots_status_/;

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

/** What became of asking for one file; `next` is where it leads. */
type FileAnswer = RobotsAnswer | { readonly kind: "leads"; readonly next: CrawlUrl };

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
  /** Called for the file of an origin that a redirect has led to, or another thread has read. */
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
  /** Since when a file is being asked for, be it directly or because a redirect has led to it. */
  readonly #askedMs = new Map<string, number>();
  /** Where files lead that were asked for: they are not asked again while the one at the end is waited for. */
  readonly #leads = new Map<string, Lead>();
  /** Hosts that redirects have led to and that have to wait; kept because they may have reserved their turn. */
  readonly #strangers = new Map<string, Host>();
  readonly #unreachable = new Map<string, Unreachable>();
  /** Some file has Content-Signal lines; nearly always there are none anywhere. */
  hasSignals = false;
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
    return this.#cache.get(origin) ?? this.#failureOf(origin) ?? this.#knownElsewhere(origin);
  }

  #failureOf(origin: string): Unreachable | undefined {
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
      return this.#cache.get(key) ?? this.#failureOf(key);
    }
    if (this.#rules.clock() >= noted.expiresAtMs) return undefined;
    const answer = { kind: "rules", rules: noted.rules } as const;
    this.hasSignals ||= noted.rules.contentSignal !== undefined;
    this.#unreachable.delete(key);
    this.#cache.put(key, answer, noted.expiresAtMs);
    // Who has read it may never visit a page of the host.
    if (isOrigin(key)) this.#rules.onOther?.(key, noted.rules);
    return answer;
  }

  /** The Content-Signal lines of an origin whose file is known. */
  contentSignal(origin: string): string | undefined {
    const known = this.known(origin);
    return known?.kind === "rules" ? known.rules.contentSignal : undefined;
  }

  /** Fetches the file; all who ask meanwhile get the same answer. */
  ask(origin: string, host: Host): Promise<RobotsAnswer> {
    let asking = this.#asking.get(origin);
    if (asking === undefined) {
      // Another thread asks, or a redirect has led there: nobody holds a place to wait for it.
      const untilMs = this.#untilTurn(origin);
      if (untilMs > 0) return Promise.resolve({ kind: "postponed", untilMs, aside: true });
      this.#askedMs.set(origin, this.#rules.clock());
      asking = this.#findOrFetch(origin, host).finally(() => {
        this.#asking.delete(origin);
        this.#askedMs.delete(origin);
      });
      this.#asking.set(origin, asking);
    }
    return asking;
  }

  /** 0 when a file is to be asked for now, otherwise when to look again. */
  #untilTurn(key: string): number {
    const nowMs = this.#rules.clock();
    const sinceMs = this.#askedMs.get(key);
    if (sinceMs !== undefined) return lookAgainMs(sinceMs, nowMs);
    return this.#rules.board?.untilTurn(key, nowMs) ?? 0;
  }

  /** What the host's last holder has found out is not asked for again. */
  async #findOrFetch(origin: string, host: Host): Promise<RobotsAnswer> {
    const noted = this.#leads.has(origin) ? undefined : await this.#shelf?.find(origin);
    if (noted === undefined || !holds(noted, this.#rules.clock())) return this.#fetch(origin, host);
    if (noted.kind === "rules") this.#slow(host, noted.rules);
    return this.#adopt(origin, noted)!;
  }

  #slow(host: Host, rules: RobotsRules): void {
    if (rules.crawlDelayTooLong) return;
    this.#client.gatekeeper.slow(host, rules.crawlDelayMs ?? 0, this.#rules.clock());
  }

  /** Follows redirects as far as they are known, and asks for the first file that is not. */
  async #fetch(origin: string, host: Host): Promise<RobotsAnswer> {
    const passed = new Set<string>();
    let url = canonicalize(`${origin}/robots.txt`)!;
    let asked = host;
    for (let hops = 0; ; hops++) {
      const key = hops === 0 ? origin : keyOf(url);
      // Too many redirects say something about the chain, and nothing about the files on its way.
      if (hops > ROBOTS_MAX_REDIRECTS || passed.has(key))
        return this.#store(origin, host, RobotsRules.allowAll, NONE);
      passed.add(key);
      let next = this.#leadOf(key);
      if (next === undefined) {
        const answer =
          hops === 0
            ? await this.#askFor(key, url, asked, false)
            : await this.#fileAt(key, url, asked);
        if (answer.kind === "rules" && hops > 0)
          return this.#store(origin, host, answer.rules, { kind: "same", key });
        if (answer.kind === "unreachable" && hops > 0) return this.#failLike(origin, host, answer);
        // Who waits for another host holds no place: the next lease of the origin goes on from here.
        if (answer.kind === "postponed" && asked !== host) return { ...answer, aside: true };
        if (answer.kind !== "leads") return answer;
        next = answer.next;
      }
      url = next;
      asked = this.#hostOf(url, host);
    }
  }

  #hostOf(url: CrawlUrl, host: Host): Host {
    const name = hostnameOf(url);
    if (name === host.name) return host;
    return this.#strangers.get(keyOf(url)) ?? this.#rules.strangerHost(name);
  }

  /** The file that redirects have led to; it is asked for unless it is known or somebody else does so. */
  async #fileAt(key: string, url: CrawlUrl, asked: Host): Promise<FileAnswer> {
    const known = this.known(key);
    if (known !== undefined) return known;
    const untilMs = this.#untilTurn(key);
    if (untilMs > 0) return { kind: "postponed", untilMs, aside: true };
    this.#askedMs.set(key, this.#rules.clock());
    try {
      return await this.#askFor(key, url, asked, true);
    } finally {
      this.#askedMs.delete(key);
    }
  }

  async #askFor(key: string, url: CrawlUrl, asked: Host, isLed: boolean): Promise<FileAnswer> {
    const outcome = await this.#client.ask(url, asked, {
      headers: this.#rules.headers,
      maxBodyBytes: ROBOTS_MAX_BYTES,
    });
    if (outcome.kind === "postponed") return this.#postpone(key, asked, isLed, outcome.untilMs);
    this.fetched++;
    if (outcome.kind === "failed" && PASSING.has(outcome.error))
      return this.#postpone(key, asked, isLed, this.#rules.clock() + asked.delayMs);
    this.#strangers.delete(key);
    // The host whose robots.txt it is; a file of another name is nobody's.
    const owner = key === url ? undefined : asked;
    if (outcome.kind === "refused" && isLed) {
      // That we do not follow a redirect says nothing about the file.
      this.#rules.board?.release(key);
      const failure = { error: outcome.error, refused: false, retryAtMs: 0, final: true, tries: 1 };
      return { kind: "unreachable", ...failure };
    }
    if (outcome.kind !== "response") {
      const ours = outcome.kind === "refused";
      return this.#failed(key, owner, outcome.error, { refused: ours, ours });
    }
    const file = await fileOf(outcome.response);
    if (file.costMs !== undefined) this.#rules.onCost?.(asked.name, file.costMs);
    const meaning = robotsFromStatus(file, this.#rules.agent);
    if (meaning.kind === "unreachable") {
      const waitMs = pauseAskedMs(outcome.response.head) ?? 0;
      return this.#failed(key, owner, meaning.reason, { refused: true, waitMs });
    }
    const next = meaning.kind === "redirect" ? canonicalize(meaning.location, url) : undefined;
    if (next !== undefined) return this.#lead(key, next);
    // A redirect that leads nowhere means that there is no robots.txt.
    const rules = meaning.kind === "rules" ? meaning.rules : RobotsRules.allowAll;
    if (file.status < 300) {
      const { address, date } = outcome.response;
      this.#rules.onFile?.({ url, address, date, body: file.body });
    }
    const note: FileNote =
      rules === RobotsRules.allowAll ? NONE : { kind: "file", body: file.body };
    // Where it is an origin's own, that origin is not asked again, so what it wants holds from now on.
    if (isLed && owner !== undefined) this.#rules.onOther?.(key, rules);
    return this.#store(key, owner, rules, note);
  }

  #postpone(key: string, asked: Host, isLed: boolean, untilMs: number): Postponed {
    const { board } = this.#rules;
    if (!isLed) board?.goesOn(key, untilMs);
    else {
      if (asked.isStranger) keepLatest(this.#strangers, key, asked, MAX_LEADS);
      // Whoever comes first asks for a file that a redirect has led to. What is known of earlier tries stays known.
      const failure = this.#unreachable.get(key);
      if (failure === undefined) board?.release(key);
      else board?.note(key, { kind: "unreachable", failure });
    }
    return { kind: "postponed", untilMs };
  }

  /** A file leads to another one. What it says is known when that is. */
  #lead(key: string, next: CrawlUrl): FileAnswer {
    const expiresAtMs = this.#rules.clock() + CACHE_MS;
    keepLatest(this.#leads, key, { next, expiresAtMs }, MAX_LEADS);
    this.#rules.board?.note(key, { kind: "leads", url: next, expiresAtMs });
    return { kind: "leads", next };
  }

  #leadOf(key: string): CrawlUrl | undefined {
    const lead = this.#leads.get(key) ?? this.#rules.board?.leadOf(key);
    return lead !== undefined && this.#rules.clock() < lead.expiresAtMs ? lead.next : undefined;
  }

  /** The host is the one that was asked, whose delay may be longer from now on. */
  #store(key: string, host: Host | undefined, rules: RobotsRules, note: FileNote): ReadRobots {
    const { board, clock } = this.#rules;
    const nowMs = clock();
    this.#unreachable.delete(key);
    const answer = { kind: "rules", rules } as const;
    this.hasSignals ||= rules.contentSignal !== undefined;
    this.#cache.put(key, answer);
    // Before another thread can know that it may ask.
    if (host !== undefined) this.#slow(host, rules);
    const dated = { ...note, expiresAtMs: nowMs + CACHE_MS };
    board?.note(key, dated);
    this.#shelf?.note(key, dated);
    return answer;
  }

  #failed(
    key: string,
    host: Host | undefined,
    error: string,
    { refused, ours = false, waitMs = 0 }: { refused: boolean; ours?: boolean; waitMs?: number },
  ): Unreachable {
    const tries = (this.#unreachable.get(key)?.tries ?? 0) + 1;
    const final = tries > this.#rules.retries || ours || NEVER_BETTER.test(error);
    const retryAtMs = this.#rules.clock() + Math.max(waitMs, this.#rules.backOffMs(tries - 1));
    const failure: RobotsFailure = { error, refused, retryAtMs, final, tries };
    if (host !== undefined) this.#holdFor(key, host, failure);
    const note = { kind: "unreachable", failure } as const;
    this.#rules.board?.note(key, note);
    // What fails here for good may be had from another machine.
    if (!final) this.#shelf?.note(key, note);
    return this.#keepFailure(key, { kind: "unreachable", ...failure });
  }

  /** An origin whose file is at the end of redirects waits for that one's next try. */
  #failLike(origin: string, host: Host, answer: Unreachable): Unreachable {
    this.#holdFor(origin, host, answer);
    // Where it is we who refuse to ask for the file, nobody has forbidden anything.
    const refused = answer.refused && SAID_BY_SERVER.test(answer.error);
    return this.#keepFailure(origin, { ...answer, refused });
  }

  /** The pause that a server asks for holds already, for the host that asked; our own only while there are tries left. */
  #holdFor(origin: string, host: Host, { final, retryAtMs }: RobotsFailure): void {
    if (final) return;
    const reach = host.reachOf(`${origin}/` as CrawlUrl);
    if (reach === host) this.#client.gatekeeper.hold(host, retryAtMs, this.#rules.clock());
    else reach.heldMs = Math.max(reach.heldMs, retryAtMs);
  }

  #keepFailure(origin: string, answer: Unreachable): Unreachable {
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

function isOrigin(key: string): boolean {
  return key.indexOf("/", "https://".length) < 0;
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
