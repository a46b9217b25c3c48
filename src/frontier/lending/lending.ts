import type { Discovery } from "../discovery.ts";
import { type LendingKind, lendingMessages, type ShardMessage } from "../exchange/shard-message.ts";
import type { Finish, PageLocation } from "../finish.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { readLinkBlock } from "../link/link-block.ts";
import type { Shard } from "../shard/shard.ts";
import { Asking } from "./asking.ts";
import { AwaitingCommit } from "./awaiting-commit.ts";
import { ForeignHosts } from "./foreign-hosts.ts";
import * as letter from "./lease-message.ts";
import { keyOf, PRINT_BYTES, packed, placeIn } from "./lease-message.ts";
import type { LentSoFar } from "./lender.ts";

/*
 * A thread with idle places works on leases of another one; the owner keeps seen-set, queue and journal.
 *
 *   borrower                                   owner of the shard
 *      ask(places)            ────────────►
 *                             ◄────────────    lend(records)         as many as leave each with the same
 *                             ◄────────────    lend(nothing)         fewer than asked for; more may come
 *      ended(times)           ────────────►    the host's delay begins
 *      back(when, attempt)    ────────────►    a try that failed, or one that was not begun
 *      found(links), done     ────────────►    when the record is durable: committed as the owner's own
 *
 * When the borrower dies the owner takes its leases back; when the owner dies its URLs wait again, and what the
 * borrower brings for them later has no effect. Mail outlives a thread, so it names the run it is meant for: `ask` and
 * `lend` the borrower's, the others the owner's (which `lend` carries as its number).
 */

const MAX_HOSTS = 1 << 12;
const NOBODY_BUSY_MS = 100;

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
  readonly port: JournalPort;
  readonly post: (mail: ShardMessage) => void;
  readonly shardOf: (number: number) => Shard | undefined;
  /** Takes leases that the thread itself has no place for. */
  readonly takeSpare: (limit: number, lent: LentSoFar) => Lease[];
  /** Commits a visit that another thread has made. */
  readonly finish: (lease: Lease, found: readonly Discovery[], end: LentEnd) => void;
  /** A lease came back: its page permit is free. */
  readonly returned: () => void;
  /** How many visits of this thread another one has committed since it was last asked. */
  readonly commitsOf: (owner: number) => number;
  /** Another thread with more queued URLs than it can work on; -1 when there is none. */
  readonly busiest: () => number;
}

/** How a visit ended that another thread made. */
export type LentEnd = Pick<Finish, "outcome" | "links"> & {
  readonly record: PageLocation | undefined;
  readonly borrower: number;
};

interface Lent {
  readonly lease: Lease;
  readonly thread: number;
  /** The borrower's run. */
  readonly epoch: number;
  ended: boolean;
  readonly found: Discovery[];
}

/** Both ends of lending, as one thread has them. */
export class Lending {
  readonly #parts: LendingParts;
  readonly #lent = new Map<string, Lent>();
  /** Leases that each thread has and whose requests are not over: what waits for its commit has no connection. */
  readonly #open: Int32Array;
  readonly #hosts: ForeignHosts;
  #ready: Lease[] = [];
  /** The owner's run, of each lease that was borrowed. */
  readonly #owners = new WeakMap<Lease, number>();
  #borrowed = 0;
  readonly #brought: AwaitingCommit;
  /** What each thread asked for last and has not got; it has no run before this one any more. */
  readonly #asked = new Map<number, { readonly epoch: number; places: number }>();
  readonly #asking: Asking;

  constructor(parts: LendingParts) {
    this.#parts = parts;
    this.#hosts = new ForeignHosts(parts, MAX_HOSTS);
    this.#open = new Int32Array(parts.threads);
    this.#brought = new AwaitingCommit(parts.commitsOf);
    const { thread, epoch, post } = parts;
    this.#asking = new Asking((to, places) =>
      post(lendingMessages("ask", thread, to, epoch, places)),
    );
  }

  /** Leases that are elsewhere, or somebody else's that are here. */
  get away(): number {
    return this.#lent.size + this.#borrowed;
  }

  /** Asks the busiest thread for work; answers after how many milliseconds it is worth looking again. */
  ask(places: number, nowMs: number): number {
    if (this.#parts.threads === 1) return Number.POSITIVE_INFINITY;
    const owner = this.#parts.busiest();
    return owner < 0 ? NOBODY_BUSY_MS : this.#asking.idly(owner, places, nowMs);
  }

  /** Asks a thread whose pages are worth more; answers until when the own ones wait. */
  askFirst(owner: number, places: number, nowMs: number): number {
    return this.#asking.first(owner, places, nowMs);
  }

  /** A borrowed lease to work on. */
  take(): Lease | undefined {
    return this.#ready.pop();
  }

  /** Gives back what was borrowed and not begun. */
  returnReady(): void {
    for (const lease of this.#ready.splice(0)) this.back(lease, 0, false);
  }

  /** The request of a borrowed lease is over. */
  requestEnded(lease: Lease, endMs: number): void {
    this.#post("ended", lease, 0, letter.ended(lease, endMs));
  }

  /** A borrowed lease did not come to an end: its owner tries again, not before a moment. */
  back(lease: Lease, notBeforeMs: number, rests: boolean): void {
    this.#borrowed--;
    this.#post("back", lease, 0, letter.back(lease, notBeforeMs, rests));
  }

  /** A borrowed visit is over: its owner hears of it when the record is durable. */
  finish(
    lease: Lease,
    found: readonly Discovery[],
    { outcome, links, record, onCommitted }: Finish,
  ): void {
    const tell = (place: PageLocation | undefined) => {
      this.#borrowed--;
      const owner = lease.shard % this.#parts.threads;
      this.#brought.add(owner, this.#owners.get(lease)!, onCommitted);
      for (const bytes of packed(lease, found, this.#parts.maxBytes))
        this.#post("found", lease, 0, bytes);
      this.#post("done", lease, outcome, letter.done(lease, place, links));
    };
    if (typeof record === "number") this.#parts.port.place(record, tell);
    else tell(record);
  }

  /** Hears what owners have committed; true when there was anything. */
  settle(): boolean {
    return this.#brought.settle();
  }

  /** Mail about leases. */
  handle(mail: ShardMessage): void {
    if (mail.kind === "ask") {
      const { from, epoch, number: places } = mail;
      if (epoch < (this.#asked.get(from)?.epoch ?? 0)) return;
      this.#asked.set(from, { epoch, places });
      if (this.#lend(from)) return;
      this.#parts.post(lendingMessages("lend", this.#parts.thread, from, epoch, this.#parts.epoch));
    } else if (mail.epoch !== this.#parts.epoch) return;
    else if (mail.kind === "lend") this.#borrow(mail);
    else this.#hear(mail);
  }

  /** Lends what was asked for and was not there: before the thread takes what it can for itself. */
  lendMore(): void {
    for (const [borrower, { places }] of this.#asked) if (places > 0) this.#lend(borrower);
  }

  /** A thread was replaced by its run `epoch`: what it had borrowed is here again, what it had lent is no longer wanted. */
  forget(thread: number, epoch: number, nowMs: number): void {
    if ((this.#asked.get(thread)?.epoch ?? 0) < epoch)
      this.#asked.set(thread, { epoch, places: 0 });
    for (const [key, lent] of this.#lent) {
      const { lease, ended } = lent;
      // The new one may have borrowed already.
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
    this.#brought.forget(thread, epoch);
  }

  /** True when all is lent that was asked for. */
  #lend(borrower: number): boolean {
    const asked = this.#asked.get(borrower)!;
    const { thread, epoch: mine, post } = this.#parts;
    let used = 0;
    const send = () => {
      if (used === 0) return;
      const bytes = new Uint8Array(room.subarray(0, used));
      post(lendingMessages("lend", thread, borrower, asked.epoch, mine, bytes));
      used = 0;
    };
    const lent = { toAsker: this.#open[borrower]!, toAll: this.#open.reduce((a, b) => a + b, 0) };
    const leases = this.#parts.takeSpare(asked.places, lent);
    // Who has nothing to lend needs no room to write it in: it is asked again and again.
    const room = Buffer.allocUnsafe(leases.length === 0 ? 0 : this.#parts.maxBytes);
    this.#open[borrower]! += leases.length;
    for (const lease of leases) {
      if (used + letter.MAX_LENT_BYTES > room.length) send();
      used += letter.writeLent(room, used, lease);
      const how = { thread: borrower, epoch: asked.epoch, ended: false, found: [] };
      this.#lent.set(keyOf(lease.low, lease.high), { lease, ...how });
    }
    send();
    asked.places -= leases.length;
    return asked.places === 0;
  }

  #borrow({ bytes, number: owner }: ShardMessage): void {
    const before = this.#ready.length;
    const from = Buffer.from(bytes);
    for (let at = 0; at < from.length; ) {
      const lent = letter.readLent(from, at);
      const host = this.#hosts.of(lent.lease.url);
      host.delayMs = Math.max(host.delayMs, lent.delayMs);
      host.heldMs = Math.max(host.heldMs, lent.heldMs);
      host.hasSeveralOrigins ||= lent.hasSeveralOrigins;
      const lease = { ...lent.lease, host };
      this.#owners.set(lease, owner);
      this.#ready.push(lease);
      this.#borrowed++;
      at += lent.bytes;
    }
    this.#asking.came(this.#ready.length - before);
  }

  #hear({ kind, number, bytes: view }: ShardMessage): void {
    const bytes = Buffer.from(view);
    const key = keyOf(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
    const lent = this.#lent.get(key);
    if (lent === undefined) return;
    const lease = lent.lease;
    if (kind === "ended") {
      this.#endRequest(lent);
      this.#parts.shardOf(lease.shard)!.requestEnded(lease, letter.readTime(bytes, lease));
    } else if (kind === "found") {
      const block = bytes.subarray(PRINT_BYTES);
      lent.found.push(...readLinkBlock(block, block.length));
    } else {
      this.#lent.delete(key);
      this.#endRequest(lent);
      if (kind === "done") {
        this.#parts.finish(lease, lent.found, {
          outcome: number,
          borrower: lent.thread,
          links: bytes.readUInt32LE(PRINT_BYTES + 16),
          record: placeIn(bytes),
        });
      } else {
        const notBeforeMs = letter.readTime(bytes, lease);
        this.#takeBack(lease, notBeforeMs, letter.readBack(bytes, lease));
      }
    }
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

  #post(kind: LendingKind, lease: Lease, number: number, bytes: Buffer): void {
    const { thread, post } = this.#parts;
    post(lendingMessages(kind, thread, lease.shard, this.#owners.get(lease)!, number, bytes));
  }
}
