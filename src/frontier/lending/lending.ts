import type { CommitCounts } from "../../sync/commit-counts.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import type { Discovery } from "../discovery.ts";
import { type LendingKind, type ShardMessage, shardMessage } from "../exchange/shard-message.ts";
import type { Fact } from "../fact.ts";
import type { Finish, PageLocation, Settlement } from "../finish.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { readLinkBlock } from "../link/link-block.ts";
import type { Shard } from "../shard/shard.ts";
import { Askers, hostsToLend, type LendingRules, type Stock } from "./askers.ts";
import { Asking } from "./asking.ts";
import { ForeignHosts } from "./foreign-hosts.ts";
import {
  keyOf,
  MAX_LENT_BYTES,
  readBack,
  readDone,
  readFact,
  readFound,
  readKey,
  readLent,
  readTime,
  writeBack,
  writeDone,
  writeEnded,
  writeFact,
  writeFound,
  writeLent,
} from "./lease-message.ts";
import type { WorkBoard } from "./work-board.ts";

/*
 * Longer than 400 lines because both ends of one protocol stand here, side by side.
 *
 * A thread with idle places works on leases of another one; the owner keeps seen-set, queue and journal.
 *
 *   borrower                                   owner of the shard
 *      ask(places)            ────────────►    remembered; 0 places: no more wanted
 *      askFirst(places)       ────────────►    the same of a thread that has work of its own: it wants an answer
 *                             ◄────────────    lend(leases)          as many as leave both with the same
 *                             ◄────────────    lend(nothing)         there is nothing (more); who only asked is forgotten
 *      ended(times)           ────────────►    the host's delay begins
 *      back(when, attempt)    ────────────►    a try that failed, or one that was not begun
 *      found, fact, done      ────────────►    when the record is durable: committed as the owner's own
 *
 * When the borrower dies the owner takes its leases back; when the owner dies its URLs wait again, and what the
 * borrower sends for them later has no effect. Messages outlive a thread, so each names the run it is meant for: those
 * that ask and `lend` the borrower's, the others the owner's (which `lend` carries as its number).
 */

const MAX_HOSTS = 1 << 12;
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
  readonly work: WorkBoard;
  readonly commits: CommitCounts;
  readonly bells: readonly Doorbell[];
  readonly port: JournalPort;
  readonly post: (message: ShardMessage) => void;
  readonly shardOf: (number: number) => Shard | undefined;
  /** Takes leases that another thread may work on, each with its page permit. */
  readonly takeFor: (limit: number, borrower: number) => Lease[];
  /** What there is to lend. */
  readonly stock: Stock;
  /** Whether this thread knows that robots.txt allows the URL: others must not have to ask. Absent where nobody asks. */
  readonly mayLend?: ((lease: Lease) => boolean) | undefined;
  /** Commits a visit that another thread has made. */
  readonly finish: (lease: Lease, end: Finish) => void;
  /** A lease was returned without a page: its permit is free. */
  readonly returned: (lease: Lease) => void;
}

interface Lent {
  readonly lease: Lease;
  readonly thread: number;
  /** The borrower's run. */
  readonly epoch: number;
  /** Its request has ended. */
  ended: boolean;
  readonly found: Discovery[];
  /** What the visit found out; mostly nothing. */
  facts: Fact[] | undefined;
}

/** Both ends of lending, for one thread. */
export class Lending {
  readonly #parts: LendingParts;
  readonly #lent = new Map<string, Lent>();
  readonly #hosts: ForeignHosts;
  /** Borrowed and not begun. */
  #ready: Lease[] = [];
  /** The owner's run, of each borrowed lease. */
  readonly #owners = new WeakMap<Lease, number>();
  #borrowed = 0;
  readonly #awaiting: AwaitingCommit;
  /** Visits by other threads that wait for a commit of this one. */
  guests = 0;
  /** Undefined: this thread neither lends nor asks. */
  readonly #askers: Askers | undefined;
  readonly #asking: Asking;

  constructor(parts: LendingParts) {
    this.#parts = parts;
    this.#hosts = new ForeignHosts(parts, MAX_HOSTS);
    const { thread, threads, epoch, post, commits, rules, bells } = parts;
    this.#awaiting = new AwaitingCommit((owner) => commits.take(owner));
    this.#asking = new Asking({
      ...parts,
      send: (kind, to, places) => post(shardMessage(kind, thread, to, epoch, places)),
    });
    if (rules !== undefined && threads > 1)
      this.#askers = new Askers({ ...parts, rules, ring: (other) => bells[other]?.ring() });
  }

  /** Leases that are with another thread, or another thread's that are here. */
  get away(): number {
    return this.#lent.size + this.#borrowed;
  }

  /** Lends what was asked for before the thread takes what it can for itself: of a big site it would take everything. */
  lendFirst(): void {
    if (this.#parts.rules?.perHost !== 1) this.#lendOut(false);
  }

  /**
   * Lends what is left when the thread has taken what it can: it had `filled` requests in flight and found nothing for
   * `idlePlaces` more. With such places it asks others.
   */
  share(filled: number, idlePlaces: number): void {
    if (this.#askers === undefined) return;
    const { thread, epoch: mine, post, stock } = this.#parts;
    const isFull = idlePlaces === 0;
    this.#askers.filled = filled;
    this.#lendOut(isFull);
    for (const asker of this.#askers.balance(isFull, stock))
      post(shardMessage("lend", thread, asker, this.#askers.epochOf(asker), mine));
    if (isFull) this.#asking.full();
    else this.#asking.idly(idlePlaces);
  }

  /** Asks a thread whose pages are worth more; returns until when this thread's own pages wait. */
  askFirst(owner: number, places: number, nowMs: number): number {
    return this.#askers === undefined ? 0 : this.#asking.first(owner, places, nowMs);
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
    const { outcome, found, links, facts, record, onCommitted } = end;
    const send = (place: PageLocation | undefined) => {
      const { threads, maxBytes } = this.#parts;
      this.#borrowed--;
      this.#awaiting.add(lease.shard % threads, this.#owners.get(lease)!, onCommitted);
      for (const bytes of writeFound(lease, found, maxBytes)) this.#post("found", lease, 0, bytes);
      for (const { kind, bytes } of facts ?? [])
        this.#post("fact", lease, kind, writeFact(lease, bytes));
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
    const { epoch: mine } = this.#parts;
    if (message.kind === "ask" || message.kind === "askFirst") {
      const { kind, from, epoch, number: places } = message;
      this.#askers?.asked(from, epoch, places, kind === "askFirst");
    } else if (message.epoch === mine) {
      if (message.kind === "lend") this.#borrow(message);
      else this.#onLent(message);
    }
  }

  /** A thread was replaced by its run `epoch`: what it had borrowed is taken back, what it had lent is dropped. */
  forget(thread: number, epoch: number, nowMs: number): void {
    this.#askers?.forget(thread, epoch);
    this.#asking.forget(thread);
    for (const [key, lent] of this.#lent) {
      const { lease, ended } = lent;
      // The new run may have borrowed already.
      if (lent.thread !== thread || lent.epoch >= epoch) continue;
      this.#remove(key, lent);
      this.#takeBack(lease, nowMs + lease.host.delayMs, ended);
    }
    this.#borrowed -= this.#ready.length;
    this.#ready = this.#ready.filter(
      (lease) => lease.shard % this.#parts.threads !== thread || this.#owners.get(lease)! >= epoch,
    );
    this.#borrowed += this.#ready.length;
    this.#awaiting.forget(thread, epoch);
  }

  /** Lends to those who wait, as long as there is something; with one connection per host no more than there are hosts. */
  #lendOut(isFull: boolean): void {
    const { rules, stock, takeFor } = this.#parts;
    const askers = this.#askers;
    if (askers === undefined || askers.waiting.length === 0) return;
    const isOneEach = rules!.perHost === 1;
    let left = isOneEach ? hostsToLend(isFull, stock) : Number.POSITIVE_INFINITY;
    for (let i = askers.waiting.length - 1; i >= 0 && left > 0; i--) {
      const borrower = askers.waiting[i]!;
      const limit = Math.min(left, askers.limitFor(borrower, isFull || isOneEach));
      if (limit <= 0) continue;
      const leases = takeFor(limit, borrower);
      this.#lend(borrower, leases);
      // Another thread may have places for a site of which this one has its share.
      if (leases.length < limit && !stock.isReady) return;
      left -= leases.length;
    }
  }

  #lend(borrower: number, leases: readonly Lease[]): void {
    if (leases.length === 0) return;
    const { thread, epoch: mine, post, maxBytes } = this.#parts;
    const epoch = this.#askers!.epochOf(borrower);
    const room = Buffer.allocUnsafe(Math.min(maxBytes, leases.length * MAX_LENT_BYTES));
    let used = 0;
    const send = () => {
      if (used === 0) return;
      const bytes = new Uint8Array(room.subarray(0, used));
      post(shardMessage("lend", thread, borrower, epoch, mine, bytes));
      used = 0;
    };
    const isCleared = this.#parts.mayLend !== undefined;
    for (const lease of leases) {
      if (used + MAX_LENT_BYTES > room.length) send();
      used += writeLent(room, used, lease, isCleared);
      const lent = {
        lease,
        thread: borrower,
        epoch,
        ended: false,
        found: [],
        facts: undefined,
      };
      this.#lent.set(keyOf(lease.low, lease.high), lent);
    }
    send();
    this.#askers!.lent(borrower, leases.length);
  }

  #borrow({ from: thread, bytes, number: owner }: ShardMessage): void {
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
    this.#asking.came(thread, came);
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
    if (kind === "fact") {
      lent.facts = [...(lent.facts ?? []), { kind: number, bytes: readFact(bytes) }];
      return;
    }
    if (kind === "ended") {
      this.#endRequest(lent);
      this.#parts.shardOf(lease.shard)!.requestEnded(lease, readTime(bytes, lease));
      return;
    }
    this.#remove(key, lent);
    if (kind === "back") {
      this.#takeBack(lease, readTime(bytes, lease), readBack(bytes, lease));
      return;
    }
    this.guests++;
    const { record, links } = readDone(bytes);
    const onCommitted = () => this.#committedFor(lent.thread);
    const { found, facts } = lent;
    this.#parts.finish(lease, {
      kind: "finish",
      outcome: number,
      found,
      links,
      facts,
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

  /** The visit is over, and with it the place that it had there. */
  #remove(key: string, lent: Lent): void {
    this.#lent.delete(key);
    this.#endRequest(lent);
    leavePlace(lent.lease, lent.thread);
  }

  #endRequest(lent: Lent): void {
    if (!lent.ended) this.#askers!.ended(lent.thread);
    lent.ended = true;
  }

  #takeBack(lease: Lease, notBeforeMs: number, ended: boolean): void {
    const shard = this.#parts.shardOf(lease.shard)!;
    this.#parts.returned(lease);
    if (ended) shard.rest(lease, notBeforeMs);
    else shard.giveBack(lease, notBeforeMs);
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

/** A lease of the site no longer holds a place of that thread. */
function leavePlace({ host }: Lease, borrower: number): void {
  const places = host.site?.lent;
  if (places !== undefined) places[borrower]!--;
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
