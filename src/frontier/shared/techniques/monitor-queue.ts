import { deadlineAfter, msUntil } from "../../../runtime/clock.ts";
import { Monitor } from "../../../sync/monitor.ts";
import { Positions } from "./positions.ts";
import {
  checkRecord,
  checkTarget,
  type Inserted,
  PATIENCE,
  type QueueShape,
  type RecordQueue,
  recordsOf,
  SPINS,
} from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";

const HEAD = 0;
const TAIL = 1;
const SHUTDOWN = 2;
const MONITOR = 3;
const WORDS = MONITOR + Monitor.words(2);

/**
 * A queue inside a monitor. With two conditions a signal reaches a thread that can use it. With one, kept to show how it
 * fails, inserters and takers share a wait set: a signal meant for a taker may wake an inserter, which sleeps again, and
 * from 2 * size + 1 threads on all can be asleep.
 *
 * The count is the distance of two words, each changed by one store after the copy: a thread that dies inside leaves
 * the queue whole.
 */
export class MonitorQueue implements RecordQueue {
  /** On this word threads sleep for the lock, on others for a condition. */
  static readonly LOCK_WORD = MONITOR;
  readonly slotBytes: number;
  readonly #words: Int32Array;
  readonly #positions: Positions;
  readonly #monitor: Monitor;
  readonly #slots: RecordSlots;
  readonly #spins: number;
  readonly #patience: number;
  readonly #conditions: number;
  /** Signalled when room appears. */
  readonly #notFull: number;
  /** Signalled when a record appears. */
  readonly #notEmpty: number;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number, conditions = 2) {
    const size = recordsOf(shape);
    this.slotBytes = shape.slotBytes;
    this.#spins = shape.spins ?? SPINS;
    this.#patience = shape.patience ?? PATIENCE;
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#positions = new Positions(size);
    this.#monitor = new Monitor(this.#words, MONITOR, owner);
    this.#slots = new RecordSlots(memory, WORDS * 4, size, shape.slotBytes);
    this.#conditions = conditions;
    this.#notFull = 0;
    this.#notEmpty = conditions - 1;
  }

  /** Bytes of shared memory, zero at first. */
  static bytes(shape: QueueShape): number {
    return WORDS * 4 + RecordSlots.bytes(recordsOf(shape), shape.slotBytes);
  }

  insert(bytes: Uint8Array, length: number, timeoutMs = Number.POSITIVE_INFINITY): Inserted {
    checkRecord(length, this.slotBytes);
    if (!this.#enter(timeoutMs)) return "timeout";
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    while (this.size() === this.#positions.slots) {
      if (expired || this.#isShutDown()) {
        this.#monitor.leave();
        return expired ? "timeout" : "shutdown";
      }
      expired = !this.#monitor.wait(this.#notFull, msUntil(deadline), this.#patience);
    }
    this.#insertInside(bytes, length);
    this.#monitor.leaveSignalling(this.#notEmpty);
    return "inserted";
  }

  take(into: Uint8Array, timeoutMs = Number.POSITIVE_INFINITY): number {
    checkTarget(into, this.slotBytes);
    if (!this.#enter(timeoutMs)) return -1;
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    while (this.size() === 0) {
      if (expired || this.#isShutDown()) {
        this.#monitor.leave();
        return -1;
      }
      expired = !this.#monitor.wait(this.#notEmpty, msUntil(deadline), this.#patience);
    }
    const length = this.#takeInside(into);
    this.#monitor.leaveSignalling(this.#notFull);
    return length;
  }

  tryInsert(bytes: Uint8Array, length: number): boolean {
    checkRecord(length, this.slotBytes);
    if (!this.#monitor.spinEnter(this.#spins)) return false;
    const fits = this.size() < this.#positions.slots;
    if (fits) {
      this.#insertInside(bytes, length);
      this.#monitor.leaveSignalling(this.#notEmpty);
    } else this.#monitor.leave();
    return fits;
  }

  tryTake(into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    if (!this.#monitor.spinEnter(this.#spins)) return -1;
    const found = this.size() > 0;
    const length = found ? this.#takeInside(into) : -1;
    if (found) this.#monitor.leaveSignalling(this.#notFull);
    else this.#monitor.leave();
    return length;
  }

  size(): number {
    return this.#positions.used(this.#words, HEAD, TAIL);
  }

  /** Inside the monitor, so that a thread about to wait does not miss it; may sleep for that. */
  shutDown(): void {
    this.#monitor.enter();
    Atomics.store(this.#words, SHUTDOWN, 1);
    this.#monitor.broadcast(this.#notFull);
    this.#monitor.broadcast(this.#notEmpty);
    this.#monitor.leave();
  }

  reclaim(deadOwner: number): number {
    return Monitor.reclaim(this.#words, MONITOR, this.#conditions, deadOwner) ? 1 : 0;
  }

  #enter(timeoutMs: number): boolean {
    return this.#monitor.spinEnter(this.#patience) || this.#monitor.enter(timeoutMs);
  }

  #insertInside(bytes: Uint8Array, length: number): void {
    const head = Atomics.load(this.#words, HEAD);
    this.#slots.write(this.#positions.slotOf(head), bytes, length);
    Atomics.store(this.#words, HEAD, this.#positions.after(head));
  }

  #takeInside(into: Uint8Array): number {
    const tail = Atomics.load(this.#words, TAIL);
    const length = this.#slots.read(this.#positions.slotOf(tail), into);
    Atomics.store(this.#words, TAIL, this.#positions.after(tail));
    return length;
  }

  #isShutDown(): boolean {
    return Atomics.load(this.#words, SHUTDOWN) !== 0;
  }
}

/** The variant that can deadlock. */
export class OneConditionQueue extends MonitorQueue {
  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    super(memory, shape, owner, 1);
  }
}
