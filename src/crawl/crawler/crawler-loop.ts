import type { ByteCount } from "../../frontier/byte-count.ts";
import {
  type Discovery,
  type Frontier,
  type FrontierStats,
  type Lease,
  OUTCOME,
  type Retry,
} from "../../frontier/frontier.ts";
import type { WorkSource } from "../../sync/loop-doorbell.ts";
import { type BufferSender, outlookOf } from "../hand-off/buffer-sender.ts";
import type { HandOffPort } from "../hand-off/hand-off-port.ts";
import { type Account, type Control, MODES } from "../shared-memory.ts";
import type { VisitEnd } from "../visit/visit.ts";
import type { Uncommitted } from "./uncommitted.ts";

/** What the loop works with. A crawler thread passes in sockets and clocks, the simulation a simulated world. */
export interface CrawlerLoopParts {
  readonly frontier: Frontier;
  readonly handOff: BufferSender;
  readonly port: Pick<HandOffPort, "takeHurry">;
  readonly control: Control;
  readonly account: Account;
  readonly uncommitted: Uncommitted;
  readonly bytes: ByteCount;
  /** L: visits in flight. */
  readonly linksPerThread: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Starts a visit, which ends with `finish` or `retry`. */
  readonly visit: (lease: Lease) => void;
  /** A visit has ended, and its place is free. */
  readonly onOver: (lease: Lease) => void;
  /** The crawl gave up waiting for this URL's host. */
  readonly onUnavailable: (lease: Lease) => void;
}

/**
 * What a crawler thread does between two events: a round settles visits, takes URLs, commits and sends, and returns when
 * to look again. Nothing outside a round touches what the threads share, so that a recount finds every thread between
 * two rounds. Never blocks; the caller arms a doorbell when a round finds nothing more to do.
 */
export class CrawlerLoop implements WorkSource {
  readonly #parts: CrawlerLoopParts;
  #admitted: [found: readonly Discovery[], onDurable: (fresh: number) => void][] = [];
  #linksPerThread: number;
  #isPaused = false;
  /** Visits that have ended: lease and end of each. */
  #over: Lease[] = [];
  #ends: (VisitEnd | Retry)[] = [];
  #inFlight = 0;
  /** Visits that have ended since the thread began. */
  completed = 0;
  #givesUp = false;
  #mode: number = MODES.run;
  #recount = 0;
  #nowMs = 0;
  #stats: FrontierStats;
  /** The crawl ends and everything is handed over: there is no further round. */
  hasEnded = false;

  constructor(parts: CrawlerLoopParts) {
    this.#parts = parts;
    this.#linksPerThread = parts.linksPerThread;
    this.#stats = parts.frontier.stats();
  }

  /** Visits in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** What the frontier held after the last round. */
  get stats(): FrontierStats {
    return this.#stats;
  }

  /** Visits that have ended and wait for the next round. */
  get settling(): number {
    return this.#over.length;
  }

  /** A visit has ended and its place is free; the next round commits it. */
  finish(lease: Lease, end: VisitEnd | Retry): void {
    this.#over.push(lease);
    this.#ends.push(end);
    this.#inFlight--;
    this.completed++;
    this.#parts.onOver(lease);
  }

  /** A visit is to be repeated; its place is free. */
  retry(lease: Lease, untilMs: number, rests: boolean): void {
    this.finish(lease, { kind: "retry", untilMs, rests });
  }

  /** Whether every place is in use: one more would be used, too. */
  get isFull(): boolean {
    return this.#inFlight >= this.#linksPerThread;
  }

  /** L from now on; visits beyond it end as they would. */
  setPlaces(links: number): void {
    this.#linksPerThread = links;
    this.#parts.frontier.setPlaces?.(links);
  }

  /** The next round admits links that the supervisor found in scope after all, or new seeds. */
  admit(found: readonly Discovery[], onDurable: (fresh: number) => void): void {
    this.#admitted.push([found, onDurable]);
  }

  /** The next round abandons every URL that only waits for its host. */
  giveUpWaiting(): void {
    this.#givesUp = true;
  }

  /** One round. Returns when to look again if nothing happens before: now, later, or never (Infinity). */
  round(): number {
    const { frontier, handOff, control, uncommitted, port } = this.#parts;
    const nowMs = this.#parts.clock();
    const { recount, mode } = control;
    this.#nowMs = nowMs;
    this.#mode = mode;
    this.#isPaused = control.isPaused;
    this.#recount = recount;
    if (recount > 0) {
      const { share, pages, heldPermits } = frontier.stats();
      this.#parts.account.publish(recount, share, pages, heldPermits);
      return Number.POSITIVE_INFINITY;
    }
    handOff.settle();
    this.#settleVisits();
    if (this.#admitted.length > 0) this.#admitLate();
    if (this.#givesUp) this.#abandonWaiting();
    const isRunning = mode === MODES.run;
    const hasRoom = isRunning && this.#takeMore(nowMs);
    const wasCongested = handOff.congested;
    const lookMs = this.#turn();
    this.#stats = frontier.stats();
    const { hostsWaiting, lacksPermits } = this.#stats;
    // With enough hosts that only wait for their time, what a commit would bring is not urgent, unless it ends the crawl.
    const isIdle =
      this.#isPaused || (hasRoom && (hostsWaiting < this.#linksPerThread || lacksPermits));
    const isStill = this.#inFlight === 0 || !isRunning;
    handOff.flush(outlookOf(isStill, isIdle));
    if (this.#mayEnd()) {
      this.hasEnded = true;
      return Number.POSITIVE_INFINITY;
    }
    if (handOff.outstanding > 0) {
      const isStuck = this.#inFlight === 0 && (!isRunning || isIdle);
      const isSoon = port.takeHurry() || isIdle || lacksPermits;
      uncommitted.hurry(isStuck, isSoon, this.#stats.guests);
    }
    // The buffer was full when URLs were taken, and has room now.
    return isRunning && wasCongested && !handOff.congested ? nowMs : lookMs;
  }

  /** Everything a ring may mean, checked after the bell is armed: mode, recount, answers, room, messages, permits. */
  hasWork(): boolean {
    const { control, handOff } = this.#parts;
    if (control.recount !== this.#recount) return true;
    if (this.#recount > 0) return false;
    if (control.isPaused !== this.#isPaused) return true;
    if (control.mode !== this.#mode || handOff.hasAnswers()) return true;
    if (handOff.congested && handOff.retry()) return true;
    return this.#turn() <= this.#nowMs;
  }

  #turn(): number {
    return this.#parts.frontier.turn(this.#nowMs, this.#mode === MODES.run ? "run" : "end");
  }

  #settleVisits(): void {
    const { frontier, uncommitted } = this.#parts;
    const over = this.#over;
    const ends = this.#ends;
    if (over.length === 0) return;
    this.#over = [];
    this.#ends = [];
    for (let i = 0; i < over.length; i++) {
      const lease = over[i]!;
      const end = ends[i]!;
      if ("kind" in end) {
        frontier.settle(lease, end);
        continue;
      }
      const { bytes, found, links, known, facts, record } = end;
      frontier.settle(lease, {
        kind: "finish",
        outcome: OUTCOME[end.outcome],
        found,
        links,
        known,
        facts,
        record,
        onCommitted: uncommitted.add(bytes),
      });
    }
  }

  #admitLate(): void {
    for (const [found, onDurable] of this.#admitted) this.#parts.frontier.admit(found, onDurable);
    this.#admitted = [];
  }

  #abandonWaiting(): void {
    for (const lease of this.#parts.frontier.drain()) {
      this.#parts.onUnavailable(lease);
      this.#parts.frontier.settle(lease, { kind: "abandon" });
    }
    this.#givesUp = this.#parts.frontier.drains?.() ?? false;
  }

  /** Takes as much as possible; true when there was room for more. */
  #takeMore(nowMs: number): boolean {
    const { frontier, handOff, uncommitted, bytes, visit } = this.#parts;
    for (let isFirst = true; ; isFirst = false) {
      const room = Math.min(this.#linksPerThread, uncommitted.room) - this.#inFlight;
      if (room <= 0 || this.#isPaused || handOff.congested || bytes.isReached()) {
        // Tells the frontier that nobody waits for more.
        if (isFirst) frontier.take(0, nowMs);
        return false;
      }
      const leases = frontier.take(room, nowMs);
      if (leases.length === 0) return true;
      this.#inFlight += leases.length;
      for (const lease of leases) visit(lease);
    }
  }

  /**
   * True when nothing is in flight and everything is stored; an aborted crawl leaves the rest where it is. Blocks for a
   * thread that has ended already are in the journal, and the next run sends them.
   */
  #mayEnd(): boolean {
    if (this.#mode === MODES.run || this.#inFlight > 0) return false;
    const { outstanding } = this.#parts.handOff;
    return this.#mode === MODES.abort || outstanding + this.#stats.away === 0;
  }
}
