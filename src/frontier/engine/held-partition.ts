import type { Engine, ExtractedHost, Received } from "./engine.ts";

/** What a thread knows of a host that it works on. */
interface EngagedHost {
  /** URLs here that wait. */
  waiting: number;
  hasMore: boolean;
}

/** How much is fetched ahead. */
export interface Ahead {
  readonly leaseMs: number;
  /** URLs of a host that are fetched ahead. */
  readonly perHost: number;
  /** Only supersteps fetch ahead. */
  readonly inSteps: boolean;
}

/** A URL that is here and not settled. */
export interface HeldUrl {
  readonly partition: HeldPartition;
  readonly cash: number;
  /** It is being visited, or its visit is being committed. */
  isTaken: boolean;
  /** It rests, and its host goes on with others meanwhile. */
  isAside: boolean;
}

/** What a superstep wants of a partition. */
export interface StepPart {
  readonly step: number;
  readonly urls: number;
  readonly floor: number;
  readonly level: number;
}

/** A look at what is missing. */
export interface Asking {
  readonly engine: Engine;
  readonly nowMs: number;
  /** Hosts that are wanted. */
  readonly hosts: number;
  /** Runs an answer in the thread's round. */
  readonly post: (answer: () => void) => void;
}

/** Of hosts that nobody works on, so many are asked for at once. */
const MAX_HOSTS = 64;
/** Of the lease: so long before its end nothing is asked of its hosts any more, whatever the clocks did. */
const MARGIN = 0.1;
const RENEW = 1 / 3;

/** A partition that this thread holds: its lease, and how much of it is here. */
export class HeldPartition {
  readonly number: number;
  readonly token: string;
  /** When it was taken over from somebody who may have asked its hosts until then. */
  readonly movedMs: number | undefined;
  readonly #ahead: Ahead;
  readonly #hosts = new Map<string, EngagedHost>();
  /** Hosts that have more in the engine than here. */
  readonly #low = new Set<string>();
  /** Hosts of which nothing is fetched before this time, because the next URL is chosen late. */
  readonly #resting = new Map<string, number>();
  /** Pages of each site, where sites have a budget. */
  readonly sites = new Map<string, number>();
  /** URLs that are here and not settled. */
  urls = 0;
  /** Another holder should have it: nothing more is taken, and when all is settled it goes. */
  isLeaving = false;
  isLost = false;
  /** An answer may have been lost, also that to an earlier claim: the first call asks for everything that is out. */
  isDoubtful = true;
  /** Notes of hosts that the engine does not know yet. */
  notes = new Map<string, string>();
  #untilMs: number;
  #renewedMs: number;
  #isAsking = false;
  #mayHaveHosts = true;
  /** Blocks may wait that a superstep has to take in. */
  hasMail = true;
  /** Cash of its best page, as far as is known. */
  best = Number.POSITIVE_INFINITY;

  constructor(number: number, token: string, isMoved: boolean, nowMs: number, ahead: Ahead) {
    this.number = number;
    this.token = token;
    this.movedMs = isMoved ? nowMs : undefined;
    this.#ahead = ahead;
    this.#renewedMs = nowMs;
    this.#untilMs = nowMs + (1 - MARGIN) * ahead.leaseMs;
  }

  /** Its hosts may be asked until then. */
  get untilMs(): number {
    return this.isLost ? Number.NEGATIVE_INFINITY : this.#untilMs;
  }

  /** Hosts were inserted that nobody works on. */
  woke(): void {
    this.#mayHaveHosts = true;
    this.best = Number.POSITIVE_INFINITY;
  }

  /** Something may wait there. */
  get mayHaveUrls(): boolean {
    return this.#mayHaveHosts;
  }

  /** Its part of a superstep: takes in what came, and extracts. Answers undefined where that was not possible. */
  step(
    { engine, nowMs, post }: Omit<Asking, "hosts">,
    part: StepPart,
    onHosts: (hosts: readonly ExtractedHost[]) => readonly number[],
    onLost: () => void,
    onAnswer: (received: Received | undefined, cashes: readonly number[]) => void,
  ): void {
    const { perHost } = this.#ahead;
    const { number: partition, token } = this;
    const full = new Set<string>();
    for (const [name, { waiting }] of this.#hosts) if (waiting >= perHost) full.add(name);
    for (const name of [...this.#resting.keys()]) if (this.#rests(name, nowMs)) full.add(name);
    this.hasMail = false;
    engine.step({ partition, token, perHost, full: [...full], ...part }, (answer) =>
      post(() => {
        if (answer.kind !== "stepped" || this.isLost) {
          this.hasMail = true;
          if (answer.kind === "lost" && !this.isLost) onLost();
          onAnswer(undefined, []);
          return;
        }
        this.#renewed(nowMs);
        this.#mayHaveHosts = answer.left > 0;
        this.best = answer.best;
        this.#engage(answer.hosts, onHosts(answer.hosts));
        onAnswer(
          answer.received,
          answer.hosts.flatMap(({ urls }) => urls.map(({ cash }) => cash)),
        );
      }),
    );
  }

  /** Counted from before the call, so that the engine cannot think it ends earlier. */
  #renewed(nowMs: number): void {
    this.#renewedMs = nowMs;
    this.#untilMs = nowMs + (1 - MARGIN) * this.#ahead.leaseMs;
  }

  /** URLs of these hosts have come, of each so many that were not here. */
  #engage(hosts: readonly ExtractedHost[], fresh: readonly number[]): void {
    const { inSteps } = this.#ahead;
    for (const [i, { host, hasMore }] of hosts.entries()) {
      const known = this.#hosts.get(host) ?? { waiting: 0, hasMore };
      known.waiting += fresh[i] ?? 0;
      known.hasMore = hasMore && !inSteps;
      this.#hosts.set(host, known);
      this.#noteLow(host, known);
    }
  }

  /** A URL of the host was taken; true when more of it should be fetched. */
  took(hostname: string): boolean {
    const host = this.#hosts.get(hostname);
    if (host === undefined) return false;
    host.waiting--;
    return this.#noteLow(hostname, host);
  }

  /** Nothing of the host is fetched before this time. */
  rest(hostname: string, untilMs: number): void {
    this.#resting.set(hostname, untilMs);
  }

  /** What is to be fetched of a host, or of all of them, is fetched now. */
  wake(hostname?: string): void {
    if (hostname === undefined) this.#resting.clear();
    else this.#resting.delete(hostname);
  }

  #rests(hostname: string, nowMs: number): boolean {
    const untilMs = this.#resting.get(hostname);
    if (untilMs === undefined || untilMs > nowMs) return untilMs !== undefined;
    this.#resting.delete(hostname);
    return false;
  }

  /** A URL of the host waits again. */
  put(hostname: string): void {
    const host = this.#hosts.get(hostname);
    if (host !== undefined) host.waiting++;
  }

  #noteLow(hostname: string, host: EngagedHost): boolean {
    if (host.waiting > this.#ahead.perHost / 2) return false;
    if (host.hasMore) this.#low.add(hostname);
    else if (host.waiting <= 0) this.#hosts.delete(hostname);
    return host.hasMore;
  }

  /**
   * Asks for more where little is left, for new hosts, and renews the lease when it is time. One call at a time.
   */
  ask(
    { engine, nowMs, hosts: wanted, post }: Asking,
    onHosts: (hosts: readonly ExtractedHost[]) => readonly number[],
    onLost: () => void,
  ): void {
    if (this.#isAsking || this.isLost) return;
    const { perHost, leaseMs } = this.#ahead;
    const low = this.isLeaving ? [] : [...this.#low].filter((host) => !this.#rests(host, nowMs));
    const isHungry = this.#mayHaveHosts && !this.isLeaving;
    const hosts = isHungry ? Math.min(wanted, MAX_HOSTS) : 0;
    const isDue = nowMs - this.#renewedMs > RENEW * leaseMs;
    if (hosts === 0 && low.length === 0 && !isDue && !this.isDoubtful) return;
    this.#isAsking = true;
    for (const host of low) this.#low.delete(host);
    const again = this.isDoubtful;
    this.isDoubtful = false;
    const { number: partition, token } = this;
    const refills = low.map((host) => [host, perHost] as const);
    engine.extract({ partition, token, hosts, perHost, refills, again }, (answer) =>
      post(() => {
        this.#isAsking = false;
        if (this.isLost) return;
        if (answer.kind === "lost") return onLost();
        if (answer.kind === "frozen") {
          for (const host of low) this.#low.add(host);
          return;
        }
        this.#renewed(nowMs);
        this.#mayHaveHosts = answer.left > 0;
        // Some may be here already.
        this.#engage(answer.hosts, onHosts(answer.hosts));
      }),
    );
  }
}
