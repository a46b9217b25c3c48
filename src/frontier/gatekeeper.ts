import { fingerprint, lastFingerprint } from "../hash/fingerprint.ts";
import type { GateTable } from "../sync/gate-table.ts";
import type { Host } from "./host.ts";

/** A gate held by somebody else is looked at again after this long. */
const HELD_RETRY_MS = 50;

/** Who comes later than this many spacings after its reserved start reserves another one, when the gate is busy. */
const LATE_SPACINGS = 2;

/** The tables that all threads share. */
export interface Gates {
  /** One request at a time (`--per-host 1`), or starts reserved ahead. */
  readonly hosts: GateTable;
  /** Starts reserved ahead: when it is worth coming. */
  readonly addresses: GateTable;
  /** When requests really began, of addresses and of hosts with several connections: who is late does not make the next one early. */
  readonly starts: GateTable;
}

/** Settings of politeness, and the tables all threads share. */
export interface GatekeeperRules extends Gates {
  readonly delayMs: number;
  readonly perHost: number;
  /** Hosts have no owner that spaces their starts (shared frontier): the table does it. */
  readonly spaceHosts: boolean;
}

/**
 * Asked before every request, robots.txt, redirects and retries included: may this host at this address be asked
 * now? The shard's heap usually knows already; the gates make it true across shards and threads.
 */
export class Gatekeeper {
  readonly #rules: GatekeeperRules;
  readonly #floorMs: number;

  constructor(rules: GatekeeperRules) {
    this.#rules = rules;
    this.#floorMs = rules.delayMs / 10;
  }

  /** 0 when the request may start now (then `leave` must follow), otherwise the time before which it must not. */
  enter(host: Host, address: string, nowMs: number): number {
    if (host.heldMs > nowMs) return host.heldMs;
    if (this.#isOpen(host)) return 0;
    fingerprint(address, 0, 0);
    const addressHash = lastFingerprint.low;
    if (host.reservedMs === 0) this.#reserve(host, addressHash, nowMs);
    if (host.reservedMs > nowMs) return host.reservedMs;
    const waitMs = this.#tryStart(host, addressHash, nowMs);
    if (waitMs > 0) return Math.max(nowMs + waitMs, host.reservedMs);
    host.reservedMs = 0;
    return 0;
  }

  /** The request ended at `endMs`: the host's gate opens after its delay. */
  leave(host: Host, endMs: number): void {
    host.endedMs = endMs;
    if (this.#isOpen(host)) return;
    if (this.#rules.perHost === 1) this.#rules.hosts.leave(host.hash, endMs + host.delayMs);
  }

  /** Nothing is to be spaced. One request at a time needs its gate all the same: a dead owner's lease may still be out. */
  #isOpen(host: Host): boolean {
    return this.#rules.perHost > 1 && this.#rules.delayMs === 0 && host.delayMs === 0;
  }

  /** So that those who wait for one address come one after the other, not all at once for each start. */
  #reserve(host: Host, addressHash: number, nowMs: number): void {
    const { addresses, hosts, spaceHosts, perHost } = this.#rules;
    host.reservedMs = addresses.reserve(addressHash, nowMs, this.#floorMs);
    if (!spaceHosts || perHost === 1) return;
    const hostMs = hosts.reserve(host.hash, nowMs, host.delayMs);
    host.reservedMs = Math.max(host.reservedMs, hostMs);
  }

  /** Begins at all gates, or at none: then the milliseconds to wait. */
  #tryStart(host: Host, addressHash: number, nowMs: number): number {
    const { hosts, starts, perHost } = this.#rules;
    const floorMs = this.#floorMs;
    const busyMs = floorMs > 0 ? starts.untilStart(addressHash, nowMs) : 0;
    if (busyMs > 0) {
      if (nowMs - host.reservedMs > LATE_SPACINGS * floorMs)
        this.#reserve(host, addressHash, nowMs);
      return busyMs;
    }
    const waitMs =
      perHost === 1
        ? hosts.tryEnter(host.hash, nowMs, HELD_RETRY_MS)
        : starts.tryStart(host.hash, nowMs, host.delayMs);
    if (waitMs > 0 || floorMs === 0) return waitMs;
    const lateMs = starts.tryStart(addressHash, nowMs, floorMs);
    // Somebody was faster: the host's gate was open a moment ago, so it is again.
    if (lateMs > 0 && perHost === 1) hosts.leave(host.hash, nowMs);
    return lateMs;
  }
}
