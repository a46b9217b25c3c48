/** How fast requests came, as the web itself saw it. */
export interface PaceReport {
  requests: number;
  /** Requests that came too soon; the first hundred of them. */
  tooFast: { host: string; gapMs: number }[];
  tooFastCount: number;
  /** From the end of a response to the next request of the same host; Infinity before there was one. */
  smallestGapMs: number;
  /** Requests that came within a twentieth of their host's gap of one of any host: half the floor of an address. */
  closeStarts: number;
  maxInFlight: number;
  perHostMaxInFlight: number;
}

const MAX_LISTED = 100;

/**
 * Measures politeness per host: the time from the end of one response to the arrival of the next request.
 * Times are handed in. A response ends when its last write starts and a request arrives when it is
 * read, so the web's own lag only ever widens a gap: a client that keeps its delay is never accused.
 */
export class PolitenessMeter {
  readonly #hosts: readonly string[];
  readonly #gapMs: (host: number) => number;
  readonly #endedMs: Float64Array;
  readonly #inFlight: Int32Array;
  readonly #tooFast: { host: string; gapMs: number }[] = [];
  readonly #requestsOf: Float64Array;
  #requests = 0;
  #tooFastCount = 0;
  #smallestGapMs = Number.POSITIVE_INFINITY;
  #closeStarts = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  #allInFlight = 0;
  #maxInFlight = 0;
  #perHostMaxInFlight = 0;

  constructor(hosts: readonly string[], gapMs: (host: number) => number) {
    this.#hosts = hosts;
    this.#gapMs = gapMs;
    this.#endedMs = new Float64Array(hosts.length).fill(Number.NEGATIVE_INFINITY);
    this.#inFlight = new Int32Array(hosts.length);
    this.#requestsOf = new Float64Array(hosts.length);
  }

  /** A request of this host has arrived. */
  begin(host: number, nowMs: number): void {
    this.#requests++;
    this.#requestsOf[host]!++;
    if (nowMs - this.#startedMs < this.#gapMs(host) / 20) this.#closeStarts++;
    this.#startedMs = nowMs;
    // A request that overtakes the response before it has no gap at all.
    const gapMs = this.#inFlight[host]! > 0 ? 0 : Math.max(0, nowMs - this.#endedMs[host]!);
    if (gapMs < this.#smallestGapMs) this.#smallestGapMs = gapMs;
    if (gapMs < this.#gapMs(host)) {
      this.#tooFastCount++;
      if (this.#tooFast.length < MAX_LISTED) {
        this.#tooFast.push({ host: this.#hosts[host]!, gapMs });
      }
    }
    const own = ++this.#inFlight[host]!;
    if (own > this.#perHostMaxInFlight) this.#perHostMaxInFlight = own;
    if (++this.#allInFlight > this.#maxInFlight) this.#maxInFlight = this.#allInFlight;
  }

  /** The response of a request that began is out, or will never be. */
  end(host: number, nowMs: number): void {
    this.#inFlight[host]!--;
    this.#allInFlight--;
    this.#endedMs[host] = Math.max(this.#endedMs[host]!, nowMs);
  }

  /** Requests so far, in the order of the hosts. */
  requestsOfHosts(): number[] {
    return [...this.#requestsOf];
  }

  report(): PaceReport {
    return {
      requests: this.#requests,
      tooFast: this.#tooFast.map((entry) => ({ ...entry })),
      tooFastCount: this.#tooFastCount,
      smallestGapMs: this.#smallestGapMs,
      closeStarts: this.#closeStarts,
      maxInFlight: this.#maxInFlight,
      perHostMaxInFlight: this.#perHostMaxInFlight,
    };
  }
}
