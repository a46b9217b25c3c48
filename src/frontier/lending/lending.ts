import type { CommitCounts } from "../../sync/commit-counts.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import type { Discovery } from "../discovery.ts";
import { type LendingKind, type ShardMessage, shardMessage } from "../exchange/shard-message.ts";
import type { Finish, PageLocation, Settlement } from "../finish.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { readLinkBlock } from "../link/link-block.ts";
import type { Shard } from "../shard/shard.ts";
import { ForeignHosts } from "./foreign-hosts.ts";
import {
  keyOf,
  MAX_LENT_BYTES,
  readBack,
  readDone,
  readFound,
  readKey,
  readLent,
  readTime,
  writeBack,
  writeDone,
  writeEnded,
  writeFound,
  writeLent,
} from "./lease-message.ts";
import type { ThreadBoard } from "./thread-board.ts";

/*
 * Longer than 400 lines because both ends of one protocol stand here, side by side.
 *
 * A thread with idle places works on leases of another one; the owner keeps seen-set, queue and journal.
 *
 *   borrower                                   owner of the shard
 *      ask(places)            ────────────►
 *                             ◄────────────    lend(leases)          as many as leave both with the same
 *                             ◄────────────    lend(nothing)         fewer than asked for; more may follow
 *      ended(times)           ────────────►    the host's delay begins
 *      back(when, attempt)    ────────────►    a try that failed, or one that was not begun
 *      found(links), done     ────────────►    when the record is durable: committed as the owner's own
 *
 * When the borrower dies the owner takes its leases back; when the owner dies its URLs wait again, and what the
 * borrower sends for them later has no effect. Messages outlive a thread, so each names the run it is meant for: `ask`
 * and `lend` the borrower's, the others the owner's (which `lend` carries as its number).
 */

const MAX_HOSTS = 1 << 12;
/** When no thread has enough to lend, look again after this long. */
const NOBODY_BUSY_MS = 100;
const ASK_AGAIN_MS = 20;
/** With so many free places, a thread that lent everything asked for is asked again at once. */
const MIN_PLACES_TO_ASK_AT_ONCE = 16;
/** A thread that had nothing to lend is not waited for again for this long. */
const REFUSED_MS = 250;

/** How much threads lend each other. */
export interface LendingRules {
  readonly perHost: number;
  readonly linksPerThread: number;
  /** A shorter queue is left to its owner. */
  readonly minQueued: number;
}

/** What lending needs of its thread. */
export interface LendingParts {
  readonly thread: number;
  readonly threads: number;
  /** Number of this run of the thread. */
  readonly epoch: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly delayMs: number;
  readonly maxBytes: number;
  /** Undefined: threads lend each other nothing. */
  readonly rules: LendingRules | undefined;
  readonly board: ThreadBoard;
  readonly commits: CommitCounts;
  readonly bells: readonly Doorbell[];
  readonly port: JournalPort;
  readonly post: (message: ShardMessage) => void;
  readonly shardOf: (number: number) => Shard | undefined;
  /** Takes leases for another thread, each with its page permit. */
  readonly takeFor: (limit: number) => Lease[];
  /** Commits a visit that another thread has made. */
  readonly finish: (lease: Lease, end: Finish) => void;
  /** A lease was returned without a page: its permit is free. */
  readonly returned: () => void;
}

/** Leases of a thread that others have and whose requests have not ended. */
export interface LentSoFar {
  readonly toAsker: number;
  readonly toAll: number;
}

/**
 * How many more leases another thread may get from one that had `filled` requests in flight when it last took all it
 * could: as many as leave both with the same. A big site has `perHost` connections in all, and its owner would take
 * every one. With one connection per host there is nothing to share, and only a busy thread lends.
 */
export function leasesToLend(
  { perHost, linksPerThread }: Pick<LendingRules, "perHost" | "linksPerThread">,
  threads: number,
  filled: number,
  lent: LentSoFar,
): number {
  const all = filled + lent.toAll;
  const isBusy = perHost > 1 ? all > 1 : 2 * filled >= linksPerThread;
  return isBusy ? Math.max(0, Math.ceil(all / threads) - lent.toAsker) : 0;
}

interface Lent {
  readonly lease: Lease;
  readonly thread: number;
  /** The borrower's run. */
  readonly epoch: number;
  /** Its request has ended. */
  ended: boolean;
  readonly found: Discovery[];
}

/** Both ends of lending, for one thread. */
export class Lending {
  readonly #parts: LendingParts;
  readonly #lent = new Map<string, Lent>();
  /** By thread: leases lent to it whose requests have not ended. One that only waits for its commit needs no connection. */
  readonly #open: Int32Array;
  readonly #hosts: ForeignHosts;
  /** Borrowed and not begun. */
  #ready: Lease[] = [];
  /** The owner's run, of each borrowed lease. */
  readonly #owners = new WeakMap<Lease, number>();
  #borrowed = 0;
  readonly #awaiting: AwaitingCommit;
  /** Requests that this thread had in flight when it last took all it could. */
  filled = 0;
  /** Visits by other threads that wait for a commit of this one. */
  guests = 0;
  /** By thread: its newest run, and how many places it asked for and did not get. */
  readonly #asked = new Map<number, { readonly epoch: number; places: number }>();
  readonly #asking: Asking;

  constructor(parts: LendingParts) {
    this.#parts = parts;
    this.#hosts = new ForeignHosts(parts, MAX_HOSTS);
    this.#open = new Int32Array(parts.threads);
    const { thread, epoch, post, commits } = parts;
    this.#awaiting = new AwaitingCommit((owner) => commits.take(owner));
    this.#asking = new Asking((to, places) => post(shardMessage("ask", thread, to, epoch, places)));
  }

  /** Leases that are with another thread, or another thread's that are here. */
  get away(): number {
    return this.#lent.size + this.#borrowed;
  }

  /** Asks the thread with the longest queue for work; returns when it is worth looking again. */
  ask(places: number, nowMs: number): number {
    const { rules, threads, thread, board } = this.#parts;
    if (rules === undefined || threads === 1) return Number.POSITIVE_INFINITY;
    const owner = board.longestQueue(thread, rules.minQueued);
    if (owner < 0) return nowMs + NOBODY_BUSY_MS;
    return nowMs + this.#asking.idly(owner, places, nowMs);
  }

  /** Asks a thread whose pages are worth more; returns until when this thread's own pages wait. */
  askFirst(owner: number, places: number, nowMs: number): number {
    return this.#asking.first(owner, places, nowMs);
  }

  /** Borrowed leases to work on. */
  takeBorrowed(limit: number): Lease[] {
    return this.#ready.splice(Math.max(0, this.#ready.length - limit)).reverse();
  }

  /** Returns what was borrowed and not begun. */
  returnReady(): void {
    for (const lease of this.#ready.splice(0)) this.#return(lease, 0, false);
  }

  /** The request of a borrowed lease has ended. */
  requestEnded(lease: Lease, endMs: number): void {
    this.#post("ended", lease, 0, writeEnded(lease, endMs));
  }

  /** A borrowed lease ends here; its owner learns of a finished visit when the record is durable. */
  settle(lease: Lease, end: Settlement): void {
    if (end.kind !== "finish") {
      const isRetry = end.kind === "retry";
      this.#return(lease, isRetry ? end.untilMs : 0, isRetry && end.rests);
      return;
    }
    const { outcome, found, links, record, onCommitted } = end;
    const send = (place: PageLocation | undefined) => {
      const { threads, maxBytes } = this.#parts;
      this.#borrowed--;
      this.#awaiting.add(lease.shard % threads, this.#owners.get(lease)!, onCommitted);
      for (const bytes of writeFound(lease, found, maxBytes)) this.#post("found", lease, 0, bytes);
      this.#post("done", lease, outcome, writeDone(lease, place, links));
    };
    if (typeof record === "number") this.#parts.port.place(record, send);
    else send(record);
  }

  /** Ends visits that their owners have committed; true when there was one. */
  takeCommits(): boolean {
    return this.#awaiting.settle();
  }

  /** Receives a message about leases. */
  handle(message: ShardMessage): void {
    const { thread, epoch: mine, post } = this.#parts;
    if (message.kind === "ask") {
      const { from, epoch, number: places } = message;
      if (epoch < (this.#asked.get(from)?.epoch ?? 0)) return;
      this.#asked.set(from, { epoch, places });
      if (!this.#lend(from)) post(shardMessage("lend", thread, from, epoch, mine));
    } else if (message.epoch === mine) {
      if (message.kind === "lend") this.#borrow(message);
      else this.#onLent(message);
    }
  }

  /** Lends what was asked for earlier and was not there; before the thread takes what it can for itself. */
  lendMore(): void {
    for (const [borrower, { places }] of this.#asked) if (places > 0) this.#lend(borrower);
  }

  /** A thread was replaced by its run `epoch`: what it had borrowed is taken back, what it had lent is dropped. */
  forget(thread: number, epoch: number, nowMs: number): void {
    if ((this.#asked.get(thread)?.epoch ?? 0) < epoch)
      this.#asked.set(thread, { epoch, places: 0 });
    for (const [key, lent] of this.#lent) {
      const { lease, ended } = lent;
      // The new run may have borrowed already.
      if (lent.thread !== thread || lent.epoch >= epoch) continue;
      this.#lent.delete(key);
      this.#endRequest(lent);
      this.#takeBack(lease, nowMs + lease.host.delayMs, ended);
    }
    this.#borrowed -= this.#ready.length;
    this.#ready = this.#ready.filter(
      (lease) => lease.shard % this.#parts.threads !== thread || this.#owners.get(lease)! >= epoch,
    );
    this.#borrowed += this.#ready.length;
    this.#awaiting.forget(thread, epoch);
  }

  /** True when everything that was asked for is lent. */
  #lend(borrower: number): boolean {
    const asked = this.#asked.get(borrower)!;
    const { thread, epoch: mine, post, maxBytes } = this.#parts;
    let used = 0;
    const send = () => {
      if (used === 0) return;
      const bytes = new Uint8Array(room.subarray(0, used));
      post(shardMessage("lend", thread, borrower, asked.epoch, mine, bytes));
      used = 0;
    };
    const leases = this.#takeFor(borrower, asked.places);
    // Often there is nothing to lend: that needs no room.
    const room = Buffer.allocUnsafe(leases.length === 0 ? 0 : maxBytes);
    this.#open[borrower]! += leases.length;
    for (const lease of leases) {
      if (used + MAX_LENT_BYTES > room.length) send();
      used += writeLent(room, used, lease);
      const lent = { lease, thread: borrower, epoch: asked.epoch, ended: false, found: [] };
      this.#lent.set(keyOf(lease.low, lease.high), lent);
    }
    send();
    asked.places -= leases.length;
    return asked.places === 0;
  }

  #takeFor(borrower: number, places: number): Lease[] {
    const { rules, threads, takeFor } = this.#parts;
    if (rules === undefined) return [];
    const lent = { toAsker: this.#open[borrower]!, toAll: this.#open.reduce((a, b) => a + b, 0) };
    const limit = Math.min(places, leasesToLend(rules, threads, this.filled, lent));
    return limit > 0 ? takeFor(limit) : [];
  }

  #borrow({ bytes, number: owner }: ShardMessage): void {
    const before = this.#ready.length;
    const from = Buffer.from(bytes);
    for (let at = 0; at < from.length; ) {
      const lent = readLent(from, at);
      const host = this.#hosts.of(lent.lease.url);
      host.delayMs = Math.max(host.delayMs, lent.delayMs);
      host.heldMs = Math.max(host.heldMs, lent.heldMs);
      host.hasSeveralOrigins ||= lent.hasSeveralOrigins;
      const lease = { ...lent.lease, host };
      this.#owners.set(lease, owner);
      this.#ready.push(lease);
      at += lent.bytes;
    }
    const came = this.#ready.length - before;
    this.#borrowed += came;
    this.#asking.came(came);
  }

  /** A message of the borrower about a lease of this thread. */
  #onLent({ kind, number, bytes: view }: ShardMessage): void {
    const bytes = Buffer.from(view);
    const key = readKey(bytes);
    const lent = this.#lent.get(key);
    if (lent === undefined) return;
    const { lease } = lent;
    if (kind === "found") {
      const block = readFound(bytes);
      lent.found.push(...readLinkBlock(block, block.length));
      return;
    }
    this.#endRequest(lent);
    if (kind === "ended") {
      this.#parts.shardOf(lease.shard)!.requestEnded(lease, readTime(bytes, lease));
      return;
    }
    this.#lent.delete(key);
    if (kind === "back") {
      this.#takeBack(lease, readTime(bytes, lease), readBack(bytes, lease));
      return;
    }
    this.guests++;
    const { record, links } = readDone(bytes);
    const onCommitted = () => this.#committedFor(lent.thread);
    const { found } = lent;
    this.#parts.finish(lease, {
      kind: "finish",
      outcome: number,
      found,
      links,
      record,
      onCommitted,
    });
  }

  /** A visit that `borrower` made is committed. */
  #committedFor(borrower: number): void {
    this.guests--;
    this.#parts.commits.add(borrower);
    this.#parts.bells[borrower]!.ring();
  }

  #endRequest(lent: Lent): void {
    if (!lent.ended) this.#open[lent.thread]!--;
    lent.ended = true;
  }

  #takeBack(lease: Lease, notBeforeMs: number, ended: boolean): void {
    const shard = this.#parts.shardOf(lease.shard)!;
    if (ended) shard.rest(lease, notBeforeMs);
    else shard.giveBack(lease, notBeforeMs);
    this.#parts.returned();
  }

  /** A borrowed lease did not come to an end: its owner tries again, not before that time. */
  #return(lease: Lease, notBeforeMs: number, rests: boolean): void {
    this.#borrowed--;
    this.#post("back", lease, 0, writeBack(lease, notBeforeMs, rests));
  }

  #post(kind: LendingKind, lease: Lease, number: number, bytes: Buffer): void {
    const { thread, post } = this.#parts;
    post(shardMessage(kind, thread, lease.shard, this.#owners.get(lease)!, number, bytes));
  }
}

/** Asks other threads for leases, one request at a time. */
export class Asking {
  readonly #send: (owner: number, places: number) => void;
  /** The last request: when it was made, what it asked for, what has come, and whether more will come soon. */
  #last = { atMs: Number.NEGATIVE_INFINITY, places: 0, came: 0, isOver: false };

  constructor(send: (owner: number, places: number) => void) {
    this.#send = send;
  }

  /** Asks because there is no own work; returns after how many milliseconds it is worth looking again. */
  idly(owner: number, places: number, nowMs: number): number {
    const { atMs, places: wanted, came } = this.#last;
    const isServed = wanted > 0 && came >= wanted;
    if (nowMs - atMs >= ASK_AGAIN_MS || (isServed && places >= MIN_PLACES_TO_ASK_AT_ONCE))
      this.#ask(owner, places, nowMs);
    return ASK_AGAIN_MS;
  }

  /**
   * Asks a thread whose pages are worth more. Returns until when the own pages wait for what it lends: not at all if it
   * had less than was asked for, and never long, so that no place is idle for the sake of the order.
   */
  first(owner: number, places: number, nowMs: number): number {
    const { atMs, places: wanted, came, isOver } = this.#last;
    const patienceMs = isOver && came === 0 ? REFUSED_MS : ASK_AGAIN_MS;
    if (came >= wanted || nowMs - atMs >= patienceMs) this.#ask(owner, places, nowMs);
    else if (isOver) return 0;
    return this.#last.atMs + ASK_AGAIN_MS;
  }

  /** Leases have come; none means that there are no more for now. */
  came(leases: number): void {
    this.#last.came += leases;
    if (leases === 0) this.#last.isOver = true;
  }

  #ask(owner: number, places: number, nowMs: number): void {
    this.#last = { atMs: nowMs, places, came: 0, isOver: false };
    this.#send(owner, places);
  }
}

interface AwaitedVisit {
  /** The owner's run. */
  readonly run: number;
  onCommitted(): void;
}

/**
 * Visits of borrowed leases that their owners have received and not committed. They count as the borrower's until then,
 * because a crash would cost them. Owners publish how many they have committed, not which: they commit in order.
 */
export class AwaitingCommit {
  readonly #commitsOf: (owner: number) => number;
  readonly #byOwner = new Map<number, AwaitedVisit[]>();
  /** The current run of owners that were replaced. */
  readonly #runs = new Map<number, number>();

  /** `commitsOf` returns how many visits of this thread an owner has committed since the last call. */
  constructor(commitsOf: (owner: number) => number) {
    this.#commitsOf = commitsOf;
  }

  /** Waits for the commit of one more visit, unless its owner is gone. */
  add(owner: number, run: number, onCommitted: () => void): void {
    if (run < (this.#runs.get(owner) ?? 0)) {
      onCommitted();
      return;
    }
    const visits = this.#byOwner.get(owner) ?? [];
    this.#byOwner.set(owner, visits);
    visits.push({ run, onCommitted });
  }

  /** Ends the visits that owners have committed; true when there was one. */
  settle(): boolean {
    let any = false;
    for (const [owner, visits] of this.#byOwner) {
      if (visits.length === 0) continue;
      const count = this.#commitsOf(owner);
      for (const visit of visits.splice(0, count)) visit.onCommitted();
      any ||= count > 0;
    }
    return any;
  }

  /** An owner was replaced by its run `run`: what it had not committed is lost, and will be lent again. */
  forget(owner: number, run: number): void {
    this.#runs.set(owner, run);
    const visits = this.#byOwner.get(owner) ?? [];
    this.#byOwner.set(
      owner,
      visits.filter((visit) => visit.run >= run),
    );
    for (const visit of visits) if (visit.run < run) visit.onCommitted();
  }
}
