import type { BeatAnswer, Engine } from "./engine.ts";
import { assignPartitions } from "./members.ts";

/** What membership tells the frontier. */
export interface OwnershipListener {
  /** Who should have what has changed. */
  onAssigned(): void;
  /** Other holders believed this one dead: its leases are gone. */
  onDead(): void;
  /** There are so many facts now. */
  onFacts(count: number): void;
}

/** Signs of life of one holder, and what it should hold according to everybody's. */
export class Ownership {
  readonly #leaseMs: number;
  readonly #about: string;
  readonly #post: (answer: () => void) => void;
  readonly #listener: OwnershipListener;
  #engine: Engine;
  #owners: readonly string[] = [];
  #names: readonly string[] = [];
  #live = "";
  #beatMs = Number.NEGATIVE_INFINITY;
  #isBeating = false;
  #heardMs = Number.NEGATIVE_INFINITY;
  readonly #burying = new Set<string>();
  /** How far the engine's wall clock is ahead of the monotonic clock of this thread. */
  aheadMs = 0;
  /** Live holders, this one included. */
  members = 0;

  constructor(
    engine: Engine,
    rules: { readonly leaseMs: number; readonly about: string },
    post: (answer: () => void) => void,
    listener: OwnershipListener,
  ) {
    this.#engine = engine;
    this.#leaseMs = rules.leaseMs;
    this.#about = rules.about;
    this.#post = post;
    this.#listener = listener;
  }

  /** Whether a partition should be this holder's; nothing is, before the first answer. */
  isMine(partition: number): boolean {
    return this.#owners[partition] === this.#engine.holder;
  }

  /** The partitions that should be this holder's. */
  get mine(): number[] {
    return [...this.#owners.keys()].filter((partition) => this.isMine(partition));
  }

  restart(engine: Engine): void {
    this.#engine = engine;
    this.#owners = [];
    this.#live = "";
    this.#beatMs = Number.NEGATIVE_INFINITY;
    this.#isBeating = false;
  }

  /** Whether the engine has answered lately. */
  isHeard(nowMs: number): boolean {
    return nowMs - this.#heardMs <= this.#leaseMs;
  }

  /** Whether a thread that was there at a moment has given no sign of life for one lease, or has left. */
  isGone(thread: string, thenMs: number): boolean {
    return this.#heardMs > thenMs && !this.#names.some((name) => name.startsWith(`${thread}.`));
  }

  /** Gives a sign of life when it is time. */
  beat(nowMs: number): void {
    if (this.#isBeating || nowMs - this.#beatMs < this.#leaseMs / 5) return;
    this.#isBeating = true;
    this.#beatMs = nowMs;
    const engine = this.#engine;
    engine.beat(this.#about, false, (answer) =>
      this.#post(() => {
        if (engine !== this.#engine) return;
        this.#isBeating = false;
        this.#heard(answer, nowMs);
      }),
    );
  }

  /** This holder leaves: the others need not wait until it has been silent for long. */
  leave(): void {
    this.#engine.beat(this.#about, true, () => {});
  }

  #heard(answer: BeatAnswer, nowMs: number): void {
    if (answer.run === "dead") {
      this.#listener.onDead();
      return;
    }
    this.#heardMs = nowMs;
    this.aheadMs = answer.nowMs - nowMs;
    this.#listener.onFacts(answer.facts);
    const live = answer.members.filter(({ ageMs }) => ageMs <= this.#leaseMs);
    const names = live.map(({ holder }) => holder).sort();
    this.members = names.length;
    this.#names = names;
    // One is enough, and doing it twice would change nothing.
    if (names[0] === this.#engine.holder)
      for (const { holder, ageMs } of answer.members)
        if (ageMs > this.#leaseMs && !this.#burying.has(holder)) this.#bury(holder);
    if (names.join() === this.#live) return;
    this.#live = names.join();
    this.#owners = assignPartitions(names, this.#engine.partitions);
    this.#listener.onAssigned();
  }

  /** Ends all its leases, counts its pages, and frees its other permits. */
  #bury(holder: string): void {
    this.#burying.add(holder);
    const engine = this.#engine;
    let left = engine.partitions;
    let pages = 0;
    let isAlive = false;
    const onBuried = () => this.#burying.delete(holder);
    for (let partition = 0; partition < engine.partitions; partition++) {
      engine.fence(partition, holder, (settled) => {
        // It has renewed a lease since it was last heard of: it stood still, and goes on.
        if (settled === undefined) isAlive = true;
        else pages += settled;
        if (--left > 0) return;
        if (isAlive) onBuried();
        else engine.bury(holder, pages, onBuried);
      });
    }
  }
}
