import { type Arrival, ShardState } from "../../frontier/fold/shard-state.ts";
import type { HostNote } from "../../frontier/journal/host-note.ts";
import type { OutboxBlock } from "../../frontier/link/link-block.ts";
import { GateTable } from "../../sync/gate-table.ts";
import { Pending } from "../../sync/pending.ts";
import { controlledPlanOf, joinedPlanOf, lossyPlanOf, scopedPlanOf } from "./plan.ts";
import { SHIPPED, type SimParts } from "./sim-parts.ts";

/** Takes every number above the last one for the next. */
class LastNumberState extends ShardState {
  override arrival(producer: number, epoch: number, number: number): Arrival {
    const arrival = super.arrival(producer, epoch, number);
    return arrival.kind === "gap" ? { kind: "next" } : arrival;
  }

  override receive(shard: number, epoch: number, number: number): void {
    if (this.arrival(shard, epoch, number).kind === "next")
      this.received.set(`${shard} ${epoch}`, number);
  }
}

/** Does not send again what was not confirmed. */
class ForgetfulState extends ShardState {
  override unconfirmed(): OutboxBlock[] {
    return [];
  }
}

/** Takes a duplicate for new. */
class NoDuplicatesState extends ShardState {
  override admit(low: number, high: number): boolean {
    if (!this.seen.addFingerprint(low, high) && this.finished !== undefined) return false;
    this.waiting++;
    return true;
  }

  override admitAll(prints: Uint32Array, count: number, isNew: Uint8Array): number {
    let fresh = 0;
    for (let i = 0; i < count; i++) {
      isNew[i] = this.admit(prints[2 * i]!, prints[2 * i + 1]!) ? 1 : 0;
      fresh += isNew[i]!;
    }
    return fresh;
  }
}

/** Knows a host's delay in the next run, but not that it asked to be left alone. */
class PauselessState extends ShardState {
  override note(note: HostNote): void {
    super.note({ ...note, untilWallMs: 0 });
  }
}

/** Counts children after their parent is released. */
class LatePending extends Pending {
  #late = 0;

  override get value(): number {
    return super.value + this.#late;
  }

  override add(count: number): void {
    this.#late += count;
  }

  override release(count: number): boolean {
    const last = super.release(count);
    super.add(this.#late);
    this.#late = 0;
    return last;
  }
}

/** Who comes late begins all the same, however shortly before the next one. */
class ReservedStarts extends GateTable {
  override untilStart(): number {
    return 0;
  }

  override tryStart(): number {
    return 0;
  }
}

const mutant = (name: string, change: Partial<SimParts>): SimParts => ({
  ...SHIPPED,
  ...change,
  name,
});

/** Broken variants, each of which must be caught. */
export const MUTANTS: readonly SimParts[] = [
  mutant("send before sync", { answers: "when read" }),
  mutant("no epoch", { epochs: false }),
  mutant("last number instead of contiguous", { State: LastNumberState, planOf: lossyPlanOf }),
  mutant("done before archive", { commits: "journals first" }),
  mutant("parent released before its children are counted", { Pending: LatePending }),
  mutant("a full hand-off waits for N alone", { tellsStill: false }),
  mutant("a dead crawler's records go to its successor", { storesLeft: false }),
  mutant("what a dead thread has written is not synced", {
    syncsFound: false,
    planOf: joinedPlanOf,
  }),
  mutant("end by a scan of idle flags", { ends: "by idle flags" }),
  mutant("unconfirmed blocks are not sent again", { State: ForgetfulState }),
  mutant("a URL is admitted twice", { State: NoDuplicatesState }),
  mutant("no delay after a restart", { waits: false }),
  mutant("politeness by the wall clock", { clock: "wall" }),
  mutant("what hosts asked for is forgotten", { recalls: false }),
  mutant("a pause that a host asked for is forgotten", { State: PauselessState }),
  mutant("an address is spaced by reservations alone", { Starts: ReservedStarts }),
  mutant("no guard while a thread is replaced", { guards: false }),
  mutant("a recount forgets the permits of running visits", { countsPermits: false }),
  mutant("nothing is sent again to a replaced thread", { sendsAgain: false }),
  mutant("a thread falls asleep without a second look", { looksTwice: false }),
  mutant("the widened scope is kept in memory", { facts: "in memory" }),
  mutant("a successor is not told what widened the scope", {
    tellsSuccessors: false,
    planOf: scopedPlanOf,
  }),
  mutant("no second look at refused links", { looksAgain: false }),
  mutant("budgets of sites are kept in memory", { recallsBudgets: false }),
  mutant("received bytes are kept in memory", { recallsBytes: false }),
  mutant("changes by hand are kept in memory", { logsControl: false, planOf: controlledPlanOf }),
];
