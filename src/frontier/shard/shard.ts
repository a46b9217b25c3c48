import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type { Discovery } from "../discovery.ts";
import type { ShardState } from "../fold/shard-state.ts";
import { Host, type Lease, leaseOf, type Site } from "../host.ts";
import type { HostSettings } from "../host-settings.ts";
import { IdleHosts } from "../idle-hosts.ts";
import type { HostNote } from "../journal/host-note.ts";
import type { WaitingRun } from "../link/waiting-run.ts";
import { RecoveredHosts } from "../queue/recovered-hosts.ts";
import type { ShardQueue } from "../queue/shard-queue.ts";
import { RestingLeases } from "../resting-leases.ts";
import {
  type AdmissionRules,
  admissionFingerprints,
  MAX_FINGERPRINTS,
} from "../seen/admission-key.ts";
import { SiteShares } from "../site-shares.ts";
import { ReadyHosts } from "./ready-hosts.ts";

// Longer than 400 lines because hosts and their URLs change together, whoever changes them.

/** No host is left alone for longer, whatever the wall clock did between two runs. */
const MAX_HOLD_MS = 24 * 3_600_000;
/** Resting leases are in memory: when there are so many, the host waits instead. */
const MAX_RESTING = 10_000;
/** When there are this many hosts, those without a URL are dropped from memory. */
const FIRST_SWEEP = 512;

/** Of URLs that are looked up together. */
const fingerprints = new Uint32Array(2 * MAX_FINGERPRINTS);
const isNew = new Uint8Array(MAX_FINGERPRINTS);

/** Gets a URL with the fingerprint under which it counts as known; must not admit or fingerprint others meanwhile. */
export type OnLink = (found: Discovery, low: number, high: number, index: number) => void;

/** What a shard needs to know of the crawl's settings; the seed is random per crawl, the same in every thread. */
export interface ShardRules extends AdmissionRules {
  readonly delayMs: number;
  readonly perHost: number;
  readonly order: "bfs" | "dfs" | "opic";
  /** No host is asked before: a run that follows another waits one delay first. */
  readonly startMs: number;
  /** How far the wall clock is ahead of the monotonic one, in which what hosts ask for is kept; absent where nothing is. */
  readonly wallAheadMs?: () => number;
  /** Called with the hash of each host that asked for something in an earlier run: its delay, and until when it is left alone. */
  readonly onRecalled?: (hash: number, delayMs: number, heldMs: number) => void;
  /** Counts the places that each site holds, for all shards of a thread; absent: a site may hold any number. */
  readonly shares?: SiteShares;
  /** The part that a host belongs to, where one shard works on several; absent: the shard's number. */
  readonly partOf?: (hostname: string) => number;
  /** What was decided about single hosts while the crawl runs; absent where nothing can be. */
  readonly settings?: HostSettings | undefined;
}

/**
 * The sites of one shard: what is known (the fold over its journal), and the URLs that wait, host by host. One thread
 * owns it, so there is no lock.
 */
export class Shard {
  readonly number: number;
  readonly state: ShardState;
  readonly #rules: ShardRules;
  readonly #queue: ShardQueue;
  readonly #hosts = new Map<string, Host>();
  readonly #ready: ReadyHosts;
  readonly #shares: SiteShares;
  readonly #resting = new RestingLeases();
  readonly #idle: IdleHosts;
  readonly #recovered: RecoveredHosts;
  /** URLs that wait, also those that rest. */
  queued = 0;
  #sweepAt = FIRST_SWEEP;
  /** The latest time that `take` was given. */
  #nowMs = 0;
  /** Called with what a later run must know of a host. */
  onNote: (note: HostNote, host: Host) => void = () => {};

  constructor(number: number, rules: ShardRules, state: ShardState, queue: ShardQueue) {
    this.number = number;
    this.state = state;
    this.#rules = rules;
    this.#queue = queue;
    this.#shares = rules.shares ?? new SiteShares(Number.POSITIVE_INFINITY);
    this.#ready = new ReadyHosts(this.#shares);
    queue.onReady = (host) => this.#settle(host);
    this.#idle = new IdleHosts(rules.delayMs);
    this.#recovered = new RecoveredHosts(
      (name) => this.#hosts.get(name) ?? this.#newHost(name),
      (host, run) => {
        queue.restore(host, run);
        if (!host.isBusy) this.#noteBusy(host, true);
      },
    );
    for (const note of state.hosts ?? []) this.#recall(note);
    state.hosts = undefined;
  }

  /** Hosts that have a URL to fetch and a free connection, and wait for nothing but their time. */
  get hostsWaiting(): number {
    return this.#ready.size;
  }

  /** Hosts that wait for a place of their site; those of another thread would do. */
  get hostsParked(): number {
    return this.#ready.parked;
  }

  /** Hosts in memory, also those without a URL. */
  get hosts(): number {
    return this.#hosts.size;
  }

  eachHost(use: (host: Host) => void): void {
    for (const host of this.#hosts.values()) use(host);
  }

  /**
   * Admits these URLs of this shard, and calls `onNew`, which is to `enqueueNew` it, for each that is new; returns how many
   * are. Many are looked up together: what is known lies anywhere in memory, and cache misses that overlap cost less.
   */
  admitAll(found: readonly Discovery[], onNew: OnLink): number {
    let fresh = 0;
    for (let from = 0; from < found.length; from += MAX_FINGERPRINTS) {
      const count = Math.min(MAX_FINGERPRINTS, found.length - from);
      admissionFingerprints(found, from, count, this.#rules, fingerprints);
      const some = this.state.admitAll(fingerprints, count, isNew);
      fresh += some;
      for (let i = 0; some > 0 && i < count; i++)
        if (isNew[i] === 1)
          onNew(found[from + i]!, fingerprints[2 * i]!, fingerprints[2 * i + 1]!, from + i);
    }
    return fresh;
  }

  /** Calls `visit` for each URL, of whatever shard, with the fingerprint under which it counts as known. */
  fingerprintAll(found: readonly Discovery[], visit: OnLink): void {
    for (let from = 0; from < found.length; from += MAX_FINGERPRINTS) {
      const count = Math.min(MAX_FINGERPRINTS, found.length - from);
      admissionFingerprints(found, from, count, this.#rules, fingerprints);
      this.state.cash?.pages.touch(fingerprints, count);
      for (let i = 0; i < count; i++)
        visit(found[from + i]!, fingerprints[2 * i]!, fingerprints[2 * i + 1]!, from + i);
    }
  }

  /** Admits a URL of this shard with its fingerprint from `fingerprintAll`, and its cash if it orders by that; false when it was known. */
  admit(found: Discovery, hostname: string, low: number, high: number, cash = 0): boolean {
    if (!this.state.admit(low, high, cash)) return false;
    this.enqueueNew(found, hostname, low, high);
    return true;
  }

  /** Puts a URL that has just been admitted into the queue. */
  enqueueNew(found: Discovery, hostname: string, low: number, high: number): void {
    this.queued++;
    const host = this.#hosts.get(hostname) ?? this.#newHost(hostname);
    host.noteOrigin(found.url);
    this.#queue.add(host, found, low, high);
    if (!host.isBusy) this.#noteBusy(host, true);
  }

  /** Puts URLs that are known into the queue: what recovery does. */
  enqueue(run: WaitingRun): void {
    this.queued += run.links;
    this.#recovered.take(run);
  }

  /** A host that somebody else asked before has this delay, and is not asked before that moment. */
  expect(hostname: string, delayMs: number, notBeforeMs: number): void {
    const { low, high } = this.#fingerprintOf(hostname);
    const host = this.#hosts.get(hostname);
    if (host === undefined) {
      const known = this.#idle.take(low, high) ?? { delayMs: 0, nextMs: 0, step: 0 };
      const nextMs = Math.max(known.nextMs, notBeforeMs);
      const idle = { delayMs: Math.max(known.delayMs, delayMs), nextMs, step: known.step };
      this.#idle.keep(low, high, idle, 0);
    } else {
      host.delayMs = Math.max(host.delayMs, delayMs);
      host.nextMs = Math.max(host.nextMs, notBeforeMs);
      this.#settle(host);
    }
    this.#rules.onRecalled?.(low, delayMs, notBeforeMs);
  }

  /**
   * The settings of a host were changed: returns it, if it is in memory. A host that is blocked is asked nothing, so its
   * URLs wait for nothing and end one after the other.
   */
  hostChanged(hostname: string): Host | undefined {
    if (this.#rules.settings?.isBlocked(hostname)) {
      const resting = this.#resting.takeWhere(({ host }) => host.name === hostname);
      for (const lease of resting) this.#putBack(lease, 0);
    }
    const host = this.#hosts.get(hostname);
    if (host === undefined) return undefined;
    this.#keepSettings(host);
    this.#settle(host);
    return host;
  }

  /** With the host, so that nobody asks for them with every URL: they change with `hostChanged` only. */
  #keepSettings(host: Host): void {
    const { settings, perHost } = this.#rules;
    host.connections = settings?.connectionsOf(host.name) ?? perHost;
    host.hasSetDelay = settings?.delayMsOf(host.name) !== undefined;
    if (!settings?.isBlocked(host.name)) return;
    host.nextMs = 0;
    host.heldMs = 0;
    host.endedMs = Number.NEGATIVE_INFINITY;
  }

  /** The next URL whose host may be asked at `nowMs` and whose site may hold another place; `leave` must follow. */
  take(nowMs: number): Lease | undefined {
    this.#nowMs = nowMs;
    if (this.#resting.nextMs <= nowMs) this.#wakeResting(nowMs);
    const host = this.#ready.first(nowMs);
    if (host === undefined) return undefined;
    this.#shares.hold(host.site!);
    return this.#takeOf(host, nowMs);
  }

  /** The same for another thread, which counts its own places. */
  takeToLend(nowMs: number, mayLend: (site: Site) => boolean): Lease | undefined {
    this.#nowMs = nowMs;
    if (this.#resting.nextMs <= nowMs) this.#wakeResting(nowMs);
    const host = this.#ready.firstToLend(nowMs, mayLend);
    return host && this.#takeOf(host, nowMs);
  }

  /** A lease from `take` has ended, however it did: its place is free, and its site may use another one. */
  leave({ host }: Lease): void {
    if (this.#shares.leave(host.site!) && this.#ready.parked > 0) this.#ready.comeBack(host.site!);
  }

  #wakeResting(nowMs: number): void {
    for (let lease = this.#resting.takeDue(nowMs); lease; lease = this.#resting.takeDue(nowMs))
      this.#putBack(lease, 0);
  }

  #takeOf(host: Host, nowMs: number): Lease {
    const lease = this.#next(host);
    // Above one connection the delay spaces the starts.
    if (host.connections > 1) {
      host.spacedFor = lease;
      host.beforeMs = host.nextMs;
      host.nextMs = nowMs + host.delayMs;
    }
    this.#settle(host);
    return lease;
  }

  #next(host: Host): Lease {
    this.queued--;
    host.inFlight++;
    const back = host.returned.pop();
    if (back !== undefined) return back;
    return leaseOf(this.#queue.next(host), host, this.#rules.partOf?.(host.name) ?? this.number);
  }

  /**
   * The lease's request is over; with one connection the delay runs from `endMs`. An end before the lease was taken
   * means that nothing was asked: then the place it had among the starts is free again.
   */
  requestEnded(lease: Lease, endMs: number): void {
    const host = lease.host;
    host.inFlight--;
    if (host.connections === 1) host.nextMs = Math.max(host.nextMs, endMs + host.delayMs);
    else if (host.spacedFor === lease && endMs + host.delayMs < host.nextMs)
      host.nextMs = host.beforeMs;
    this.#obey(host);
    this.#settle(host);
  }

  /** Puts a lease back to the front. */
  giveBack(lease: Lease, notBeforeMs: number): void {
    const host = lease.host;
    host.inFlight--;
    // Its place among the starts is free again.
    if (host.spacedFor === lease) {
      host.nextMs = host.beforeMs;
      host.spacedFor = undefined;
    }
    if (notBeforeMs > host.nextMs) {
      host.nextMs = notBeforeMs;
      // It waits for this now, and no longer for the start before: that one must not set it back.
      host.spacedFor = undefined;
    }
    host.returned.push(lease);
    this.queued++;
    this.#obey(host);
    this.#settle(host);
  }

  /** Puts a lease aside until a moment of its own, while its host goes on. */
  rest(lease: Lease, untilMs: number): void {
    this.queued++;
    if (this.#resting.size < MAX_RESTING) this.#resting.add(lease, untilMs);
    else this.#putBack(lease, untilMs);
  }

  /** The host may have left memory meanwhile, and there must not be two of one name. */
  #putBack(lease: Lease, notBeforeMs: number): void {
    const { name } = lease.host;
    const host = this.#hosts.get(name) ?? this.#newHost(name);
    host.noteOrigin(lease.url);
    host.returned.push(host === lease.host ? lease : { ...lease, host });
    host.nextMs = Math.max(host.nextMs, notBeforeMs);
    this.#settle(host);
  }

  /** When something of this shard may be taken. */
  nextReadyMs(): number {
    return Math.min(this.#ready.nextMs(), this.#resting.nextMs);
  }

  /** When something of this shard may be lent. */
  nextToLendMs(): number {
    return Math.min(this.#ready.nextToLendMs(), this.#resting.nextMs);
  }

  /** Takes everything that waits, whatever its time: for a crawl that gives up waiting. */
  drain(): Lease[] {
    const all: Lease[] = this.#resting.takeAll();
    this.queued -= all.length;
    for (const lease of all) lease.host.inFlight++;
    for (let host = this.#ready.any(); host !== undefined; host = this.#ready.any()) {
      while (host.returned.length > 0 || this.#queue.has(host)) all.push(this.#next(host));
      this.#settle(host);
    }
    return all;
  }

  /** The URL is not waited for any more; its connection is free again. */
  abandon(lease: Lease): void {
    lease.host.inFlight--;
    this.#settle(lease.host);
  }

  /** What a host asked of an earlier run holds in this one, and its first request waits its own delay, too. */
  #recall({ low, high, delayMs: noted, untilWallMs }: HostNote): void {
    const { delayMs: least, startMs } = this.#rules;
    const delayMs = Math.max(least, noted);
    const heldMs = Math.min(untilWallMs - this.#wallAheadMs(), startMs + MAX_HOLD_MS);
    const nextMs = Math.max(startMs + delayMs - least, heldMs);
    this.#idle.keep(low, high, { delayMs, nextMs, step: 0 }, 0);
    this.#rules.onRecalled?.(low, delayMs, nextMs);
  }

  /** Applies what a host asked for, and journals it when it is new. */
  #obey(host: Host): void {
    host.nextMs = Math.max(host.nextMs, host.heldMs);
    // A delay that was set here is kept with the settings: what is noted is what the site asks for.
    const { delayMs: least } = this.#rules;
    const delayMs = host.hasSetDelay ? Math.max(least, host.askedMs) : host.delayMs;
    if (delayMs === host.notedDelayMs && host.heldMs === host.notedHeldMs) return;
    host.notedDelayMs = delayMs;
    host.notedHeldMs = host.heldMs;
    const { low, high } = this.#fingerprintOf(host.name);
    const untilWallMs = host.heldMs === 0 ? 0 : host.heldMs + this.#wallAheadMs();
    this.onNote({ low, high, delayMs, untilWallMs }, host);
  }

  #wallAheadMs(): number {
    return this.#rules.wallAheadMs?.() ?? 0;
  }

  #newHost(name: string): Host {
    if (this.#hosts.size >= this.#sweepAt) this.#sweep();
    const { delayMs, startMs } = this.#rules;
    const { low, high } = this.#fingerprintOf(name);
    const known = this.#idle.take(low, high);
    const host = new Host(name, low, known?.delayMs ?? delayMs);
    host.nextMs = known?.nextMs ?? startMs;
    host.failures = known?.step ?? 0;
    host.site = this.#shares.of(name);
    this.#keepSettings(host);
    this.#hosts.set(name, host);
    return host;
  }

  /** Replaces hosts that have nothing to fetch by a few bytes, or by nothing when a new host would be the same. */
  #sweep(): void {
    // A shard without a URL is not asked for one, so its thread may know better.
    const nowMs = Math.max(this.#nowMs, this.#shares.nowMs);
    for (const [name, host] of this.#hosts) {
      if (host.queued > 0 || host.inFlight > 0) continue;
      const { low, high } = this.#fingerprintOf(name);
      const nextMs = Math.max(host.nextMs, host.reservedMs);
      const idle = { nextMs, delayMs: host.delayMs, step: host.failures };
      this.#idle.keep(low, high, idle, nowMs);
      this.#hosts.delete(name);
      this.#queue.forget(host);
      this.#shares.release(host.site!);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#hosts.size);
  }

  #fingerprintOf(hostname: string): Readonly<typeof lastFingerprint> {
    fingerprint(hostname, this.#rules.seedLow, this.#rules.seedHigh);
    return lastFingerprint;
  }

  /** Restores: among the ready ones if and only if there is a URL to take and a free connection. */
  #settle(host: Host): void {
    const { inFlight, returned } = host;
    const isBusy = inFlight > 0 || host.chained > 0 || returned.length > 0;
    if (isBusy !== host.isBusy) this.#noteBusy(host, isBusy);
    const mayBeAsked = inFlight < host.connections;
    if (mayBeAsked && (returned.length > 0 || this.#queue.has(host))) this.#ready.place(host);
    else this.#ready.remove(host);
  }

  #noteBusy(host: Host, isBusy: boolean): void {
    host.isBusy = isBusy;
    if (isBusy) this.#shares.waits(host.site!);
    else this.#shares.waitsNoMore(host.site!);
  }
}
