import type { Lease } from "./host.ts";

interface Resting {
  readonly untilMs: number;
  readonly lease: Lease;
}

/** URLs that failed and wait for their next try, the earliest first. There are few, so a sorted array serves. */
export class RestingLeases {
  readonly #waiting: Resting[] = [];
  /** When the next one is due. */
  nextMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#waiting.length;
  }

  /** Puts a lease aside until `untilMs`. */
  add(lease: Lease, untilMs: number): void {
    let at = this.#waiting.length;
    while (at > 0 && this.#waiting[at - 1]!.untilMs < untilMs) at--;
    this.#waiting.splice(at, 0, { untilMs, lease });
    this.#noteNext();
  }

  /** The next lease whose time has come. */
  takeDue(nowMs: number): Lease | undefined {
    if (this.nextMs > nowMs) return undefined;
    const { lease } = this.#waiting.pop()!;
    this.#noteNext();
    return lease;
  }

  /** Takes those that `isWanted` names, due or not. */
  takeWhere(isWanted: (lease: Lease) => boolean): Lease[] {
    const taken = this.#waiting.filter(({ lease }) => isWanted(lease));
    const left = this.#waiting.filter(({ lease }) => !isWanted(lease));
    this.#waiting.splice(0, this.#waiting.length, ...left);
    this.#noteNext();
    return taken.map(({ lease }) => lease);
  }

  /** Takes all, due or not. */
  takeAll(): Lease[] {
    const taken = this.#waiting.splice(0).map((resting) => resting.lease);
    this.#noteNext();
    return taken;
  }

  #noteNext(): void {
    this.nextMs = this.#waiting.at(-1)?.untilMs ?? Number.POSITIVE_INFINITY;
  }
}
