import { BufferPlan } from "../../crawl/buffer-plan.ts";
import { ACCOUNT_WORDS, CONTROL_WORDS, Control } from "../../crawl/shared-memory.ts";
import type { Gates } from "../../frontier/gatekeeper.ts";
import { ThreadBoard, threadBoardBytes } from "../../frontier/lending/thread-board.ts";
import { WorkBoard, workBoardBytes } from "../../frontier/lending/work-board.ts";
import { cashBoardBytes } from "../../frontier/opic/cash-board.ts";
import { commitCountBytes } from "../../sync/commit-counts.ts";
import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import { bufferBytes, HandOffBuffer } from "../../sync/hand-off-buffer.ts";
import { MaximumTable, maximumBytes } from "../../sync/maximum-table.ts";
import type { Pending } from "../../sync/pending.ts";
import { Ring, ringBytes } from "../../sync/ring.ts";
import type { SimParts } from "./sim-parts.ts";

/** Journal batches and long URLs go in several frames. */
const LANE_BYTES = 256;
const RING_SLOTS = 2;
const SLOT_BYTES = 512;
const GATES = 64;

/** The shared memory of a small crawl: full buffers and rings are the rule here, not the exception. */
export class SimMemory {
  readonly threads: number;
  /** Each crawler has a builder in its own thread. */
  readonly isJoined: boolean;
  readonly control: Control;
  readonly pending: Pending;
  readonly accounts: SharedArrayBuffer;
  readonly cashBoard: SharedArrayBuffer;
  readonly stored: Int32Array;
  readonly taken: Int32Array;
  readonly commitCounts: SharedArrayBuffer;
  readonly board: ThreadBoard;
  readonly work: WorkBoard;
  readonly wantsSpace: Int32Array;
  readonly bells: readonly Doorbell[];
  readonly buffers: BufferPlan;
  readonly #bufferMemory: SharedArrayBuffer[];
  readonly #bufferSize: number;
  readonly #inboxes: SharedArrayBuffer[];
  readonly #hostGates = new SharedArrayBuffer(gateBytes(GATES));
  readonly #addressGates = new SharedArrayBuffer(gateBytes(GATES));
  readonly #Starts: typeof GateTable;
  readonly #hostDelays = new SharedArrayBuffer(maximumBytes(GATES));
  readonly #hostHolds = new SharedArrayBuffer(maximumBytes(GATES));
  readonly #startGates = new SharedArrayBuffer(gateBytes(GATES));

  constructor(threads: number, bufferSize: number, parts: SimParts, isJoined = false) {
    this.isJoined = isJoined;
    this.threads = threads;
    this.#Starts = parts.Starts;
    this.#bufferSize = bufferSize;
    const words = new SharedArrayBuffer(4 * CONTROL_WORDS);
    this.control = new Control({ control: words });
    this.pending = new parts.Pending(new Int32Array(words), 0);
    this.accounts = new SharedArrayBuffer(4 * ACCOUNT_WORDS * threads);
    this.cashBoard = new SharedArrayBuffer(cashBoardBytes(threads));
    this.commitCounts = new SharedArrayBuffer(commitCountBytes(threads));
    this.board = new ThreadBoard(new SharedArrayBuffer(threadBoardBytes(threads)));
    this.work = new WorkBoard(new SharedArrayBuffer(workBoardBytes(threads)), threads);
    this.stored = new Int32Array(new SharedArrayBuffer(4 * threads));
    this.taken = new Int32Array(new SharedArrayBuffer(4 * threads));
    this.wantsSpace = new Int32Array(new SharedArrayBuffer(4 * threads));
    const bells = new Int32Array(new SharedArrayBuffer(4 * DOORBELL_WORDS * (threads + 1)));
    const each = Array.from({ length: threads }, (_, thread) => thread);
    this.bells = [...each, threads].map((i) => new Doorbell(bells, i * DOORBELL_WORDS));
    this.buffers = new BufferPlan({ threads, builders: isJoined ? 0 : 1 });
    this.#bufferMemory = Array.from(
      { length: this.buffers.count },
      () => new SharedArrayBuffer(bufferBytes(LANE_BYTES)),
    );
    this.#inboxes = each.map(() => new SharedArrayBuffer(ringBytes(RING_SLOTS, SLOT_BYTES)));
  }

  /** The successor of a builder that died with its crawler begins with an empty buffer. */
  renewBuffer(buffer: number): void {
    this.#bufferMemory[buffer] = new SharedArrayBuffer(bufferBytes(LANE_BYTES));
  }

  /** Wakes everybody. */
  ringAll(): void {
    for (const bell of this.bells) bell.ring();
  }

  /** The last bell is the builder's. */
  bufferAt(buffer: number): HandOffBuffer {
    const crawlers = this.buffers.crawlersOf(buffer).length;
    const [memory, bell] = [this.#bufferMemory[buffer]!, this.bells.at(-1)!];
    return new HandOffBuffer(memory, this.#bufferSize, crawlers, bell);
  }

  inboxesOf(thread: number): Ring[] {
    return this.#inboxes.map((inbox) => new Ring(inbox, RING_SLOTS, SLOT_BYTES, thread + 1));
  }

  gatesOf(thread: number): Gates {
    return {
      hosts: new GateTable(this.#hostGates, thread + 1),
      addresses: new GateTable(this.#addressGates, thread + 1),
      starts: new this.#Starts(this.#startGates, thread + 1),
      delays: new MaximumTable(this.#hostDelays),
      holds: new MaximumTable(this.#hostHolds),
    };
  }
}
