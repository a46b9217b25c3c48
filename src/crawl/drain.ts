/** What is in flight gets this long to end after a stop was asked for; the rest of 10 s is for closing and reports. */
const MAX_MS = 8_000;
/** Servers of which none has answered for a while get less. */
const MAX_SILENT_MS = 5_000;
const SILENCE_MS = 2_500;

/** How long a crawl that was told to stop waits for what is in flight. */
export class Drain {
  #stoppedMs = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  #changedMs = 0;

  /** The first call counts. */
  begin(nowMs: number): void {
    this.#stoppedMs = Math.min(this.#stoppedMs, nowMs);
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
    return waitedMs > (isSilent ? MAX_SILENT_MS : MAX_MS);
  }
}
