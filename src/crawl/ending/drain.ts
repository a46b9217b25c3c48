/** What is in flight gets this long to end after a stop was asked for; the rest of 10 s is for closing and reports. */
const MAX_MS = 8_000;
/** Servers of which none has answered for a while get less. */
const MAX_SILENT_MS = 5_000;
const SILENCE_MS = 2_500;
/** However many URLs are known, servers get this long. */
const MIN_MS = 2_000;
/** Writing the lists of a crawl takes about this long for each URL it knows, on a machine that has other things to do. */
const LIST_MS_PER_URL = 0.6e-3;

/** How long a crawl that was told to stop waits for what is in flight. */
export class Drain {
  #stoppedMs = Number.POSITIVE_INFINITY;
  #maxMs = MAX_MS;
  #inFlight = 0;
  #changedMs = 0;

  /** When it began; infinite before. */
  get stoppedMs(): number {
    return this.#stoppedMs;
  }

  /** The first call counts. A crawl that knows many URLs has to write them all down, and so less time to wait. */
  begin(nowMs: number, knownUrls: number): void {
    if (this.#stoppedMs !== Number.POSITIVE_INFINITY) return;
    this.#stoppedMs = nowMs;
    this.#maxMs = Math.max(MIN_MS, MAX_MS - LIST_MS_PER_URL * knownUrls);
  }

  /** Whether what is left is dropped now. Asked again and again, with the requests that are in flight. */
  isOver(nowMs: number, inFlight: number): boolean {
    if (inFlight !== this.#inFlight) {
      this.#inFlight = inFlight;
      this.#changedMs = nowMs;
    }
    const waitedMs = nowMs - this.#stoppedMs;
    // Without requests in flight it is our own disk that is waited for.
    const isSilent = inFlight > 0 && nowMs - this.#changedMs > SILENCE_MS;
    return waitedMs > (isSilent ? Math.min(MAX_SILENT_MS, this.#maxMs) : this.#maxMs);
  }
}
