import { ShardState } from "../../frontier/fold/shard-state.ts";
import { GateTable } from "../../sync/gate-table.ts";
import { Pending } from "../../sync/pending.ts";
import type { Plan } from "./plan.ts";

/** The parts of a simulated crawl that a mutant may replace; the defaults are what ships. */
export interface SimParts {
  readonly name: string;
  readonly State: typeof ShardState;
  readonly Pending: typeof Pending;
  /** Knows when requests really began. */
  readonly Starts: typeof GateTable;
  /** When a crawler is told that its frames are durable. */
  readonly answers: "when synced" | "when read";
  /** What a builder syncs first. */
  readonly commits: "archive first" | "journals first";
  /** A crawler with nothing in flight says so to its buffer; without that a full hand-off waits for N. */
  readonly tellsStill: boolean;
  /** What a dead crawler had put whole is stored before its successor begins. */
  readonly storesLeft: boolean;
  /** What a thread finds in its journals is synced before it builds on that. */
  readonly syncsFound: boolean;
  /** Every run of a thread has a number of its own; without one, its blocks are numbered from 1 in the same row. */
  readonly epochs: boolean;
  /** How the end is found. */
  readonly ends: "by the counter" | "by idle flags";
  /** Hosts wait one delay when a run or a thread begins. */
  readonly waits: boolean;
  /** Which clock politeness goes by. */
  readonly clock: "monotonic" | "wall";
  /** A run knows what hosts asked of the runs before. */
  readonly recalls: boolean;
  /** The pending counter is held while a thread is being replaced. */
  readonly guards: boolean;
  /** A recount takes the permits of running visits into account. */
  readonly countsPermits: boolean;
  /** What a replaced thread had not confirmed goes to it once more. */
  readonly sendsAgain: boolean;
  /** A thread looks for work once more when its bell is armed. */
  readonly looksTwice: boolean;
  /** Where it is kept that a seed's redirect widens the scope. */
  readonly facts: "with the page" | "in memory";
  /** A thread that takes over is told what was found out. */
  readonly tellsSuccessors: boolean;
  /** Links that were refused are judged again when the scope has grown. */
  readonly looksAgain: boolean;
  /** Budgets of sites, and bytes received, go on where an earlier run ended. */
  readonly recallsBudgets: boolean;
  readonly recallsBytes: boolean;
  /** A change by hand is in its log before it is obeyed. */
  readonly logsControl: boolean;
  /** The crawls in which a rare fault of a broken variant shows; absent: all. */
  readonly planOf?: (seed: number) => Plan;
}

/** The crawl as it ships. */
export const SHIPPED: SimParts = {
  name: "shipped",
  State: ShardState,
  Pending,
  Starts: GateTable,
  answers: "when synced",
  commits: "archive first",
  tellsStill: true,
  storesLeft: true,
  syncsFound: true,
  epochs: true,
  ends: "by the counter",
  waits: true,
  clock: "monotonic",
  recalls: true,
  guards: true,
  countsPermits: true,
  sendsAgain: true,
  looksTwice: true,
  facts: "with the page",
  tellsSuccessors: true,
  looksAgain: true,
  recallsBudgets: true,
  recallsBytes: true,
  logsControl: true,
};
