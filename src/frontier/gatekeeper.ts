import type { GateTable } from "../sync/gate-table.ts";
import { fingerprint, print } from "./fingerprint.ts";
import type { Host } from "./host.ts";

/** A gate held by somebody else is looked at again after this long. */
const HELD_RETRY_MS = 50;

/** Settings of politeness, and the two tables all threads share. */
export interface GatekeeperRules {
  readonly hosts: GateTable;
  readonly addresses: GateTable;
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
    if (this.#rules.delayMs === 0 && host.delayMs === 0) return 0;
    if (host.reservedMs === 0) {
      fingerprint(address, 0, 0);
      host.reservedMs = this.#rules.addresses.reserve(print.low, nowMs, this.#floorMs);
      if (this.#rules.spaceHosts && this.#rules.perHost > 1) {
        const hostMs = this.#rules.hosts.reserve(host.hash, nowMs, host.delayMs);
        host.reservedMs = Math.max(host.reservedMs, hostMs);
      }
    }
    if (host.reservedMs > nowMs) return host.reservedMs;
    if (this.#rules.perHost === 1) {
      const waitMs = this.#rules.hosts.tryEnter(host.hash, nowMs, HELD_RETRY_MS);
      if (waitMs > 0) return nowMs + waitMs;
    }
    host.reservedMs = 0;
    return 0;
  }

  /** The request ended at `endMs`: the host's gate opens after its delay. */
  leave(host: Host, endMs: number): void {
    host.endedMs = endMs;
    if (this.#rules.delayMs === 0 && host.delayMs === 0) return;
    if (this.#rules.perHost === 1) this.#rules.hosts.leave(host.hash, endMs + host.delayMs);
  }
}
