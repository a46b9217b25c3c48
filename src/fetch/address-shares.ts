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
  count: number;
  /** 0 when there may be another request, as of the last `ask`; otherwise when to come back. */
  untilMs: number;
  turns: WaitingTurns | undefined;
}

/** A request that began with `count++` has ended. */
export function ended(open: OpenRequests, tookMs: number): void {
  open.count--;
  open.turns?.ended(tookMs);
}

/**
 * How many requests of a thread one address may hold: a quarter of its places, however many names it goes by, while
 * others are asked as well. Where everything has one address there is no bound.
 */
export class AddressShares {
  #share = 1;
  readonly #open = new Map<string, OpenRequests>();
  /** The address that was asked last, with its requests, and when; and when any other one was. */
  #latest: string | undefined;
  #latestOpen: OpenRequests = { count: 0, untilMs: 0, turns: undefined };
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

  /**
   * Another request to an address is wanted. Returns its requests, whose `untilMs` says whether there may be one more. It
   * then begins with `count++`, and `ended` follows.
   */
  ask(address: string, nowMs: number): OpenRequests {
    if (address !== this.#latest) {
      this.#latest = address;
      this.#latestOpen = this.#open.get(address) ?? this.#remember(address);
      this.#otherMs = this.#latestMs;
    }
    this.#latestMs = nowMs;
    const open = this.#latestOpen;
    const isFree = open.count < this.#share || nowMs - this.#otherMs >= RECENT_MS;
    open.untilMs = isFree ? 0 : this.#turnOf(open, nowMs);
    return open;
  }

  #remember(address: string): OpenRequests {
    if (this.#open.size >= MAX_ADDRESSES) this.#sweep();
    const open = { count: 0, untilMs: 0, turns: undefined };
    this.#open.set(address, open);
    return open;
  }

  #turnOf(open: OpenRequests, nowMs: number): number {
    open.turns ??= new WaitingTurns(this.#share, FIRST_GUESS_MS);
    return open.turns.nextMs(nowMs);
  }

  #sweep(): void {
    for (const [address, { count }] of this.#open) if (count === 0) this.#open.delete(address);
  }
}
