import { WaitingTurns } from "./waiting-turns.ts";

/** Of a thread's places; the rest is for other addresses. */
const SHARE_PERCENT = 25;
/** An address that was asked so recently is expected to be asked again: its hosts may only wait for their delay. */
const RECENT_MS = 30_000;
/** How long a request takes, before one has ended. */
const FIRST_GUESS_MS = 1000;
/** When there are so many, those without a request are forgotten. */
const MAX_ADDRESSES = 8192;

/** Requests of this thread to one address. */
export interface OpenRequests {
  readonly address: string;
  count: number;
  turns: WaitingTurns | undefined;
}

/**
 * How many requests of a thread one address may hold: a quarter of its places, however many names it goes by, while
 * others are asked as well. Where everything has one address there is no bound.
 */
export class AddressShares {
  #share = 1;
  readonly #open = new Map<string, OpenRequests>();
  /** The address that was asked last, and when; and when any other one was. */
  #latest = "";
  #latestMs = Number.NEGATIVE_INFINITY;
  #otherMs = Number.NEGATIVE_INFINITY;

  /** `places` is L of the thread. */
  constructor(places: number) {
    this.setPlaces(places);
  }

  /** The thread has so many places from now on. */
  setPlaces(places: number): void {
    this.#share = Math.max(1, Math.ceil((places * SHARE_PERCENT) / 100));
  }

  /** The requests to an address. */
  of(address: string): OpenRequests {
    let open = this.#open.get(address);
    if (open === undefined) {
      if (this.#open.size >= MAX_ADDRESSES) this.#sweep();
      open = { address, count: 0, turns: undefined };
      this.#open.set(address, open);
    }
    return open;
  }

  /** 0 when there may be another request; otherwise when to come back. */
  untilFree(open: OpenRequests, nowMs: number): number {
    this.#note(open.address, nowMs);
    if (open.count < this.#share || !this.#hasOthers(open.address, nowMs)) return 0;
    open.turns ??= new WaitingTurns(this.#share, FIRST_GUESS_MS);
    return open.turns.nextMs(nowMs);
  }

  /** A request that began with `count++` has ended. */
  ended(open: OpenRequests, tookMs: number): void {
    open.count--;
    open.turns?.ended(tookMs);
  }

  #note(address: string, nowMs: number): void {
    if (address !== this.#latest) {
      this.#otherMs = this.#latestMs;
      this.#latest = address;
    }
    this.#latestMs = nowMs;
  }

  #hasOthers(address: string, nowMs: number): boolean {
    const askedMs = address === this.#latest ? this.#otherMs : this.#latestMs;
    return nowMs - askedMs < RECENT_MS;
  }

  #sweep(): void {
    for (const [address, { count }] of this.#open) if (count === 0) this.#open.delete(address);
  }
}
