/** Requests in flight get this long to end after a stop; the rest of the 10 s is for closing and reports. */
const MAX_MS = 7_000;
/** They get less when none has ended for `SILENCE_MS`. */
const MAX_SILENT_MS = 5_000;
const SILENCE_MS = 2_500;
/** They get at least this long, however many URLs have to be listed. */
const MIN_MS = 2_000;
/** Writing the lists takes about this long per known URL on a busy machine. */
const LIST_MS_PER_URL = 0.6e-3;

/** How long a crawl waits for requests in flight after a stop. */
export class Drain {
  #stoppedMs = Number.POSITIVE_INFINITY;
  #maxMs = MAX_MS;
  #inFlight = 0;
  #changedMs = 0;

  /** When the stop was asked for; infinite before. */
  get stoppedMs(): number {
    return this.#stoppedMs;
  }

  /** Only the first call counts. The more URLs have to be listed afterwards, the shorter the wait. */
  begin(nowMs: number, knownUrls: number): void {
    if (this.#stoppedMs !== Number.POSITIVE_INFINITY) return;
    this.#stoppedMs = nowMs;
    this.#maxMs = Math.max(MIN_MS, MAX_MS - LIST_MS_PER_URL * knownUrls);
  }

  /** Called regularly with the number of requests in flight; true when the remaining ones are to be dropped. */
  isOver(nowMs: number, inFlight: number): boolean {
    if (inFlight !== this.#inFlight) {
      this.#inFlight = inFlight;
      this.#changedMs = nowMs;
    }
    const waitedMs = nowMs - this.#stoppedMs;
    // Without requests in flight it is our own disk that takes long.
    const isSilent = inFlight > 0 && nowMs - this.#changedMs > SILENCE_MS;
    return waitedMs > (isSilent ? Math.min(MAX_SILENT_MS, this.#maxMs) : this.#maxMs);
  }
}
