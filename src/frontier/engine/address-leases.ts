import type { AddressFloors } from "../address-floors.ts";
import type { Engine } from "./engine.ts";

/** An address that is asked for is looked at again after this long. */
const LOOK_MS = 10;
/** Somebody else has it: asked for again after half a floor, within these bounds. */
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 100;
/** Hosts that wait for an address look at it in turns of so many. */
const MAX_LOOKERS = 8;
/** Whether others want it is asked so often, which also renews the lease. */
const RENEW_MS = 1000;
/** An address that others want is kept for so many floors, or so long, and goes back as soon as nobody here wants it. */
const SLICE_FLOORS = 10;
const MIN_SLICE_MS = 200;
const MIN_IDLE_MS = 5;
/** Of the lease: so long before its end nothing starts any more, as with partitions. */
const MARGIN = 0.1;
/** The engine keeps an address for so many leases. */
const LEASES = 2;

/** What leases of addresses need. */
export interface AddressLeaseParts {
  /** Of this thread, whatever its lives. */
  readonly holder: string;
  readonly leaseMs: number;
  readonly floorMs: number;
  readonly engine: () => Engine;
  /** Runs an answer in the thread's round. */
  readonly post: (answer: () => void) => void;
  readonly clock: () => number;
  /** Whether a thread that had something at a moment has been silent for so long that others have taken its hosts. */
  readonly isGone: (thread: string, thenMs: number) => boolean;
}

/** What is known of one address. */
class Address {
  isAsking = false;
  askedMs = 0;
  /** How often it was taken. */
  turn = 0;
  /** Starts are allowed until then; 0 when it is not this thread's. */
  untilMs = 0;
  /** And until then while the engine does not answer a call that was made before. */
  atMostMs = 0;
  /** Who has it instead, and since when this thread knows that. */
  heldBy = "";
  heldMs = 0;
  /** When it became this thread's. */
  sinceMs = 0;
  renewMs = 0;
  /** Nothing starts before: somebody else started something a moment ago. */
  freeMs = 0;
  /** Hosts that looked since it was asked for. */
  lookers = 0;
  /** Not asked for again before. */
  nextMs = 0;
  /** Somebody here wanted it last. */
  usedMs = 0;
  /** Starts that are not on the wire. */
  unsent = 0;
  /** One floor behind the last start. */
  busyMs = 0;
  /** Others wanted it lately. */
  isWanted = false;

  /** Whether it is this thread's. A server that does not answer gives it to nobody else before two leases are over. */
  isMine(nowMs: number): boolean {
    if (nowMs < this.untilMs) return true;
    return this.isAsking && this.askedMs < this.untilMs && nowMs < this.atMostMs;
  }
}

/**
 * An address belongs to one thread of one worker at a time, as a partition does; alone with it, a thread asks the engine about
 * once a second. When others want it, it goes round in slices of some starts. It lies on another server than its hosts may:
 * one that is away for less than two leases does not stop them, and what a thread had that is gone is free after one.
 */
export class AddressLeases implements AddressFloors {
  readonly #parts: AddressLeaseParts;
  readonly #all = new Map<string, Address>();
  readonly #sliceMs: number;
  readonly #idleMs: number;
  readonly #pollMs: number;
  /** Calls so far. */
  calls = 0;

  constructor(parts: AddressLeaseParts) {
    this.#parts = parts;
    const { floorMs } = parts;
    this.#sliceMs = Math.max(MIN_SLICE_MS, SLICE_FLOORS * floorMs);
    this.#idleMs = Math.max(MIN_IDLE_MS, floorMs);
    this.#pollMs = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, floorMs / 2));
  }

  untilMine(name: string, nowMs: number): number {
    let address = this.#all.get(name);
    if (address === undefined) {
      address = new Address();
      this.#all.set(name, address);
    }
    address.usedMs = nowMs;
    const isMine = address.isMine(nowMs);
    if (isMine && this.#mustGive(address, nowMs)) {
      if (address.unsent > 0) return nowMs + LOOK_MS;
      this.#give(name, address, nowMs);
      return address.nextMs;
    }
    if (!address.isAsking && nowMs >= (isMine ? address.renewMs : address.nextMs))
      this.#ask(name, address, nowMs);
    // The engine may have answered at once.
    if (!address.isMine(nowMs)) {
      // One after the other: each look costs a host its turn.
      const after = Math.min(address.lookers++, MAX_LOOKERS) * this.#pollMs;
      return Math.max(nowMs + LOOK_MS, address.nextMs) + after;
    }
    return nowMs < address.freeMs ? address.freeMs : 0;
  }

  isMine(name: string, nowMs: number): boolean {
    return this.#all.get(name)?.isMine(nowMs) ?? false;
  }

  started(name: string): void {
    const address = this.#all.get(name);
    if (address !== undefined) address.unsent++;
  }

  sent(name: string, untilMs: number, nowMs: number): void {
    const address = this.#all.get(name);
    if (address === undefined) return;
    address.unsent = Math.max(0, address.unsent - 1);
    address.busyMs = Math.max(address.busyMs, untilMs);
    if (address.isWanted && address.isMine(nowMs) && this.#mustGive(address, nowMs))
      this.#giveWhenSent(name, address, nowMs);
  }

  /** Gives back what nobody here wants any more; called now and then. */
  tidy(nowMs: number): void {
    const { leaseMs } = this.#parts;
    for (const [name, address] of this.#all) {
      const idleMs = nowMs - address.usedMs;
      const isMine = address.isMine(nowMs);
      // Whether others want it is heard only with calls: its hosts may have moved to another worker.
      if (isMine && idleMs >= (address.isWanted ? this.#idleMs : RENEW_MS))
        this.#giveWhenSent(name, address, nowMs);
      // Until it is on the wire, it must not become another's.
      else if (isMine && address.unsent > 0 && nowMs >= address.renewMs && !address.isAsking)
        this.#ask(name, address, nowMs);
      else if (idleMs > leaseMs && address.unsent === 0 && !address.isAsking)
        this.#all.delete(name);
    }
  }

  #mustGive(address: Address, nowMs: number): boolean {
    return address.isWanted && nowMs - address.sinceMs >= this.#sliceMs;
  }

  #giveWhenSent(name: string, address: Address, nowMs: number): void {
    if (address.unsent === 0) this.#give(name, address, nowMs);
  }

  #give(name: string, address: Address, nowMs: number): void {
    address.untilMs = 0;
    address.isWanted = false;
    // The others first.
    address.nextMs = nowMs + 2 * this.#pollMs;
    const { holder } = this.#parts;
    const { turn } = address;
    const ms = Math.max(0, Math.ceil(address.busyMs - nowMs));
    this.calls++;
    const call = { kind: "give", address: name, holder, turn, ms, had: true, gone: "" } as const;
    this.#parts.engine().floor(call, () => {});
  }

  #ask(name: string, address: Address, nowMs: number, had = address.isMine(nowMs)): void {
    address.isAsking = true;
    address.askedMs = nowMs;
    address.lookers = 0;
    this.calls++;
    const { holder, leaseMs, floorMs, post, clock, isGone } = this.#parts;
    if (!had) address.turn++;
    const { turn } = address;
    const ms = Math.ceil(floorMs);
    const { heldBy, heldMs } = address;
    const gone = heldBy !== "" && isGone(heldBy, heldMs) ? heldBy : "";
    const call = { kind: "take", address: name, holder, turn, ms, had, gone } as const;
    this.#parts.engine().floor(call, (answer) =>
      post(() => {
        address.isAsking = false;
        if (answer.kind !== "own") {
          address.untilMs = 0;
          address.nextMs = clock() + this.#pollMs;
          if (answer.kind === "held" && answer.holder !== address.heldBy) {
            address.heldBy = answer.holder;
            address.heldMs = clock();
          }
          return;
        }
        address.heldBy = "";
        // Given back meanwhile: what the engine says now was asked before.
        if (had && address.untilMs === 0) return;
        if (!had) address.sinceMs = nowMs;
        if (answer.waitMs > 0) address.freeMs = Math.max(address.freeMs, clock() + answer.waitMs);
        // Counted from before the call, so that the engine cannot think it ends earlier.
        address.untilMs = nowMs + (1 - MARGIN) * leaseMs;
        address.atMostMs = nowMs + (1 - MARGIN) * LEASES * leaseMs;
        // It was long on its way, as when another server took over. The engine has it noted, so it can be said again.
        if (clock() >= address.untilMs) return this.#ask(name, address, clock(), true);
        address.renewMs = nowMs + Math.min(RENEW_MS, leaseMs / 3);
        address.isWanted = answer.isWanted;
      }),
    );
  }
}
