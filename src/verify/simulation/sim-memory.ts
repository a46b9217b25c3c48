import { Control } from "../../crawl/shared-memory.ts";
import { cashBoardBytes } from "../../frontier/opic/cash-board.ts";
import { counterBytes } from "../../stats/counters.ts";
import { pipeBytes } from "../../sync/byte-pipe.ts";
import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import type { Pending } from "../../sync/pending.ts";
import { Ring, ringBytes } from "../../sync/ring.ts";
import type { SimParts } from "./sim-parts.ts";

const CONTROL_WORDS = 8;
const ACCOUNT_WORDS = 5;
const PIPE_BYTES = 1024;
const RING_SLOTS = 2;
const SLOT_BYTES = 512;
const GATES = 64;

/** The shared memory of a small crawl: full pipes and rings are the rule here, not the exception. */
export class SimMemory {
  readonly threads: number;
  readonly control: Control;
  readonly pending: Pending;
  readonly accounts: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  readonly cashBoard: SharedArrayBuffer;
  readonly stored: Int32Array;
  readonly wantsSpace: Int32Array;
  readonly bells: readonly Doorbell[];
  readonly pipes: SharedArrayBuffer[];
  readonly #inboxes: SharedArrayBuffer[];
  readonly #hostGates = new SharedArrayBuffer(gateBytes(GATES));
  readonly #addressGates = new SharedArrayBuffer(gateBytes(GATES));

  constructor(threads: number, parts: SimParts) {
    this.threads = threads;
    const words = new SharedArrayBuffer(4 * CONTROL_WORDS);
    this.control = new Control({ control: words });
    this.pending = new parts.Pending(new Int32Array(words), 0);
    this.accounts = new SharedArrayBuffer(4 * ACCOUNT_WORDS * threads);
    this.counters = new SharedArrayBuffer(counterBytes(threads));
    this.cashBoard = new SharedArrayBuffer(cashBoardBytes(threads));
    this.stored = new Int32Array(new SharedArrayBuffer(4 * threads));
    this.wantsSpace = new Int32Array(new SharedArrayBuffer(4 * threads));
    const bells = new Int32Array(new SharedArrayBuffer(4 * DOORBELL_WORDS * threads));
    const each = Array.from({ length: threads }, (_, thread) => thread);
    this.bells = each.map((thread) => new Doorbell(bells, thread * DOORBELL_WORDS));
    this.pipes = each.map(() => newPipe());
    this.#inboxes = each.map(() => new SharedArrayBuffer(ringBytes(RING_SLOTS, SLOT_BYTES)));
  }

  /** A thread that replaces a dead one gets a pipe of its own. */
  replacePipe(thread: number): SharedArrayBuffer {
    this.pipes[thread] = newPipe();
    return this.pipes[thread];
  }

  inboxesOf(thread: number): Ring[] {
    return this.#inboxes.map((inbox) => new Ring(inbox, RING_SLOTS, SLOT_BYTES, thread + 1));
  }

  gatesOf(thread: number): { hosts: GateTable; addresses: GateTable } {
    return {
      hosts: new GateTable(this.#hostGates, thread + 1),
      addresses: new GateTable(this.#addressGates, thread + 1),
    };
  }
}

function newPipe(): SharedArrayBuffer {
  return new SharedArrayBuffer(pipeBytes(PIPE_BYTES));
}
