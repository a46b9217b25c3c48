import { fingerprint, lastFingerprint } from "../hash/fingerprint.ts";
import type { GateTable } from "../sync/gate-table.ts";
import type { MaximumTable } from "../sync/maximum-table.ts";
import type { AddressFloors } from "./address-floors.ts";
import type { Host } from "./host.ts";
import type { HostSettings } from "./host-settings.ts";

/** A gate held by somebody else is looked at again after this long. */
const HELD_RETRY_MS = 50;

/** Who comes later than this many spacings after its reserved start reserves another one, when the gate is busy. */
const LATE_SPACINGS = 2;

/**
 * Until a request is on the wire, nothing else starts at its address for this much longer: a thread that stands still,
 * or a slow handshake, must not bring two requests close together. Longer than that nobody waits for it.
 */
const UNSENT_FLOORS = 2;
const MIN_UNSENT_MS = 250;

/** Strangers queue by the name of a host, in the table of addresses. */
const STRANGER_KEY = 0x5bd1e995;

/** The tables that all threads share: together they are all that is known about when a host may be asked. */
export interface Gates {
  /** One request at a time (`--per-host 1`), or starts reserved ahead. */
  readonly hosts: GateTable;
  /** Starts reserved ahead: when it is worth coming. */
  readonly addresses: GateTable;
  /** When requests really began, of addresses and of hosts with several connections: who is late does not make the next one early. */
  readonly starts: GateTable;
  /** Delays of hosts that asked for a longer one than the crawl's. */
  readonly delays: MaximumTable;
  /** Until when hosts want to be left alone. */
  readonly holds: MaximumTable;
}

/** Settings of politeness, and the tables all threads share. */
export interface GatekeeperRules extends Gates {
  readonly delayMs: number;
  readonly perHost: number;
  /** Hosts have no owner that spaces their starts (shared frontier): the table does it. */
  readonly spaceHosts: boolean;
  /** Nobody is asked before: a run that is over may have asked a moment ago. */
  readonly startMs?: number;
  /** What was decided about single hosts since; absent where nothing can be. */
  readonly settings?: HostSettings | undefined;
}

/**
 * Asked before every request, robots.txt, redirects and retries included: may this host at this address be asked
 * now? The shard's heap usually knows already; the gates make it true across shards and threads. What one thread
 * learns about a host (its own delay, a pause) all others know before they ask it.
 */
export class Gatekeeper {
  readonly #rules: GatekeeperRules;
  /** Between two starts at one address. */
  readonly floorMs: number;
  readonly #startMs: number;
  /** Where crawlers elsewhere ask the same addresses. */
  floors: AddressFloors | undefined;
  /** Until when the last `enter` or `dial` that was let through keeps others from its address; 0 when it keeps nobody. */
  claimedMs = 0;

  constructor(rules: GatekeeperRules) {
    this.#rules = rules;
    this.floorMs = rules.delayMs / 10;
    this.#startMs = rules.startMs ?? 0;
  }

  /** 0 when the request may start now (then `leave` must follow), otherwise the time before which it must not. */
  enter(host: Host, address: string, nowMs: number): number {
    this.claimedMs = 0;
    if (nowMs < this.#startMs) return this.#startMs;
    // Somebody else may ask it by now.
    if (host.term !== undefined && nowMs >= host.term.untilMs) return nowMs + HELD_RETRY_MS;
    this.#recall(host);
    if (host.heldMs > nowMs) return host.heldMs;
    if (this.#isOpen(host)) return 0;
    const othersMs = this.#untilMine(address, nowMs);
    if (othersMs > 0) return othersMs;
    const addressHash = hashOf(address);
    if (host.reservedMs === 0) this.#reserve(host, addressHash, nowMs);
    if (host.reservedMs > nowMs) return host.reservedMs;
    const waitMs = this.#tryStart(host, addressHash, nowMs);
    if (waitMs > 0) return Math.max(nowMs + waitMs, host.reservedMs);
    host.reservedMs = 0;
    if (this.claimedMs > 0) this.floors?.started(address);
    return 0;
  }

  /** A request that was let through tries another address of its host: 0 when it may, otherwise the time before which it must not. */
  dial(host: Host, address: string, nowMs: number): number {
    this.claimedMs = 0;
    if (this.floorMs === 0) return 0;
    const othersMs = this.#untilMine(address, nowMs);
    if (othersMs > 0) return othersMs;
    const addressHash = hashOf(address);
    const waitMs = this.#tryStartAt(addressHash, nowMs);
    if (waitMs <= 0) {
      this.floors?.started(address);
      return 0;
    }
    // The next request of the host begins there, at its turn.
    host.reservedMs = this.#rules.addresses.reserve(addressHash, nowMs, this.floorMs);
    return Math.max(nowMs + waitMs, host.reservedMs);
  }

  /**
   * Asked when the first byte would be written. A machine that stood still while it connected may find that the host, or the
   * address, is somebody else's by now.
   */
  maySend(host: Host, address: string, nowMs: number): boolean {
    if (host.term !== undefined && nowMs >= host.term.untilMs) return false;
    return (
      this.floorMs === 0 || this.#isOpen(host) || (this.floors?.isMine(address, nowMs) ?? true)
    );
  }

  /** The request is on the wire, or its address did not answer: the address is free again one floor from now. */
  sent(host: Host, address: string, claimedMs: number, nowMs: number): void {
    const { starts } = this.#rules;
    if (claimedMs > 0) {
      starts.move(hashOf(address), claimedMs, nowMs + this.floorMs);
      this.floors?.sent(address, nowMs + this.floorMs, nowMs);
    }
    if (this.#perHost(host) > 1 && host.delayMs > 0) starts.raise(host.hash, nowMs + host.delayMs);
  }

  /** The request ended at `endMs`: the host's gate opens after its delay. */
  leave(host: Host, endMs: number): void {
    host.endedMs = endMs;
    this.#recall(host);
    // As it was entered: the connections of a host may have been changed meanwhile.
    if (!host.holdsGate) return;
    host.holdsGate = false;
    this.#rules.hosts.leave(host.hash, endMs + host.delayMs);
  }

  /** The host asks for a delay of its own: whoever asks it next knows. */
  slow(host: Host, delayMs: number, nowMs: number): void {
    // Also what is no more than the crawl's own delay, which may be set lower for this host.
    if (delayMs > 0) this.#rules.delays.raise(host.hash, delayMs, 0);
    if (delayMs <= host.delayMs) return;
    host.delayMs = delayMs;
    // The last request left the gate with the delay that was known then.
    if (host.endedMs + delayMs > nowMs) this.hold(host, host.endedMs + delayMs, nowMs);
  }

  /** The settings of the host were changed: what is longer now counts from its last request on. */
  changed(host: Host, nowMs: number): void {
    this.#recall(host);
    if (host.endedMs + host.delayMs > nowMs) this.hold(host, host.endedMs + host.delayMs, nowMs);
  }

  /** The host is to be left alone until that time, by everybody. */
  hold(host: Host, untilMs: number, nowMs: number): void {
    host.heldMs = Math.max(host.heldMs, untilMs);
    if (untilMs > nowMs) this.#rules.holds.raise(host.hash, untilMs, nowMs);
  }

  /** What a host asked of an earlier run: known to all threads before the first of them asks anybody. */
  recalled(hash: number, delayMs: number, heldMs: number): void {
    if (delayMs > this.#rules.delayMs) this.#rules.delays.raise(hash, delayMs, 0);
    if (heldMs > this.#startMs) this.#rules.holds.raise(hash, heldMs, this.#startMs);
  }

  #untilMine(address: string, nowMs: number): number {
    return this.floorMs === 0 ? 0 : (this.floors?.untilMine(address, nowMs) ?? 0);
  }

  /** What others have learnt about the host. */
  #recall(host: Host): void {
    const delayMs = this.#rules.delays.of(host.hash);
    const ownMs = this.#rules.settings?.hosts.get(host.name)?.delayMs;
    host.askedMs = delayMs;
    if (ownMs !== undefined) host.delayMs = Math.max(ownMs, delayMs);
    else if (delayMs > host.delayMs) host.delayMs = delayMs;
    const heldMs = this.#rules.holds.of(host.hash);
    if (heldMs > host.heldMs) host.heldMs = heldMs;
  }

  /** Nothing is to be spaced. One request at a time needs its gate all the same: a dead owner's lease may still be out. */
  #isOpen(host: Host): boolean {
    if (this.#rules.delayMs > 0 || host.delayMs > 0 || host.isStranger) return false;
    return this.#perHost(host) > 1;
  }

  /** A stranger's connections are counted by nobody, so it has one. Where starts are reserved in the same table there is no gate to hold. */
  #asksOneByOne(host: Host): boolean {
    return this.#perHost(host) === 1 || (host.isStranger && !this.#rules.spaceHosts);
  }

  #perHost(host: Host): number {
    return this.#rules.settings?.hosts.get(host.name)?.connections ?? this.#rules.perHost;
  }

  /** So that those who wait for one address come one after the other, not all at once for each start. */
  #reserve(host: Host, addressHash: number, nowMs: number): void {
    const { addresses, hosts, spaceHosts } = this.#rules;
    host.reservedMs = addresses.reserve(addressHash, nowMs, this.floorMs);
    let hostMs = 0;
    if (host.isStranger)
      hostMs = addresses.reserve(host.hash ^ STRANGER_KEY, nowMs, spacingOf(host));
    else if (spaceHosts && this.#perHost(host) > 1)
      hostMs = hosts.reserve(host.hash, nowMs, host.delayMs);
    host.reservedMs = Math.max(host.reservedMs, hostMs);
  }

  /** Begins at all gates, or at none: then the milliseconds to wait. */
  #tryStart(host: Host, addressHash: number, nowMs: number): number {
    const { hosts, starts } = this.#rules;
    const floorMs = this.floorMs;
    const busyMs = floorMs > 0 ? starts.untilStart(addressHash, nowMs) : 0;
    if (busyMs > 0) {
      if (nowMs - host.reservedMs > LATE_SPACINGS * floorMs)
        this.#reserve(host, addressHash, nowMs);
      return busyMs;
    }
    const isAlone = this.#asksOneByOne(host);
    const heldMs = isAlone ? hosts.tryEnter(host.hash, nowMs, HELD_RETRY_MS) : 0;
    if (heldMs > 0) {
      if (host.isStranger && nowMs - host.reservedMs > LATE_SPACINGS * spacingOf(host))
        this.#reserve(host, addressHash, nowMs);
      return heldMs;
    }
    host.holdsGate ||= isAlone;
    const waitMs = this.#perHost(host) === 1 ? 0 : starts.tryStart(host.hash, nowMs, host.delayMs);
    const lateMs = waitMs > 0 || floorMs === 0 ? waitMs : this.#tryStartAt(addressHash, nowMs);
    // Somebody was faster: the host's gate was open a moment ago, so it is again.
    if (lateMs > 0 && isAlone) {
      host.holdsGate = false;
      hosts.leave(host.hash, nowMs);
    }
    return lateMs;
  }

  #tryStartAt(addressHash: number, nowMs: number): number {
    const keepsMs = this.floorMs + Math.max(UNSENT_FLOORS * this.floorMs, MIN_UNSENT_MS);
    const waitMs = this.#rules.starts.tryStart(addressHash, nowMs, keepsMs);
    if (waitMs <= 0) this.claimedMs = nowMs + keepsMs;
    return waitMs;
  }
}

/** Strangers that wait for one host come this far apart, also without a delay: each look costs a lease its turn. */
function spacingOf(host: Host): number {
  return Math.max(host.delayMs, HELD_RETRY_MS);
}

function hashOf(address: string): number {
  fingerprint(address, 0, 0);
  return lastFingerprint.low;
}
