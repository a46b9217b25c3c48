import { Mutex } from "../../../sync/mutex.ts";
import { NOBODY, NodeArena } from "./node-arena.ts";
import { type QueueShape, recordsOf } from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 *   HEAD ─► old ─► record ─► record ◄─ TAIL
 *
 * The first node is the one taken last, so that the list always has a node and each operation changes it by one store:
 * NEXT[tail] for an insert, HEAD for a take. The seed walks to the end for every insert; TAIL saves that.
 */
const LOCK = WAITING_WORDS;
const HEAD = LOCK + Mutex.WORDS;
const TAIL = HEAD + 1;
const COUNT = TAIL + 1;
const ARENA = COUNT + 1;

/** A linked list with one lock; it can grow. */
export class CoarseQueue extends WaitingQueue {
  readonly #lock: Mutex;
  readonly #arena: NodeArena;
  readonly #records: RecordSlots;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    const nodes = recordsOf(shape) + 1;
    const words = ARENA + NodeArena.words(nodes);
    super(new Int32Array(memory, 0, words), shape);
    this.#lock = new Mutex(this.words, LOCK, owner);
    this.#arena = new NodeArena(this.words, ARENA, nodes, owner, this.spins, this.patience);
    this.#records = new RecordSlots(memory, words * 4, nodes + 1, shape.slotBytes);
  }

  /** Bytes of shared memory; call `initialise` once before use. */
  static bytes(shape: QueueShape): number {
    const nodes = recordsOf(shape) + 1;
    return (ARENA + NodeArena.words(nodes)) * 4 + RecordSlots.bytes(nodes + 1, shape.slotBytes);
  }

  initialise(): void {
    const first = this.#arena.allocate(0);
    this.#arena.setNext(first, NOBODY);
    this.#arena.setLive(first);
    Atomics.store(this.words, HEAD, first);
    Atomics.store(this.words, TAIL, first);
  }

  protected override insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean {
    const node = this.#arena.allocate(waitMs);
    if (node === NOBODY) return false;
    this.#records.write(node, bytes, length);
    this.#arena.setNext(node, NOBODY);
    if (!this.enterLock(this.#lock, waitMs)) {
      this.#arena.free(node);
      this.announceRoom();
      return false;
    }
    this.#arena.setNext(Atomics.load(this.words, TAIL), node);
    this.#arena.setLive(node);
    Atomics.store(this.words, TAIL, node);
    Atomics.store(this.words, COUNT, Atomics.load(this.words, COUNT) + 1);
    this.#lock.unlock();
    return true;
  }

  protected override takeNow(into: Uint8Array, waitMs: number): number {
    if (!this.enterLock(this.#lock, waitMs)) return -1;
    const old = Atomics.load(this.words, HEAD);
    const first = this.#arena.next(old);
    if (first === NOBODY) {
      this.#lock.unlock();
      return -1;
    }
    const length = this.#records.read(first, into);
    this.#arena.setMine(old);
    Atomics.store(this.words, HEAD, first);
    Atomics.store(this.words, COUNT, Atomics.load(this.words, COUNT) - 1);
    this.#lock.unlock();
    this.#arena.free(old);
    return length;
  }

  override size(): number {
    return Atomics.load(this.words, COUNT);
  }

  protected override hasRoom(): boolean {
    return this.#arena.hasFree();
  }

  /** Nodes ever used; freed ones are used again. */
  nodesUsed(): number {
    return this.#arena.highest();
  }

  /** Linked nodes belong to the list, whatever their state says; the rest of what the dead thread held is freed. */
  protected override repair(deadOwner: number): number {
    let held = this.#arena.reclaim(deadOwner) ? 1 : 0;
    if (this.#lock.holder() === deadOwner) {
      let count = -1;
      let last: number = NOBODY;
      for (let n = Atomics.load(this.words, HEAD); n !== NOBODY; n = this.#arena.next(n)) {
        this.#arena.setLive(n);
        last = n;
        count++;
      }
      Atomics.store(this.words, TAIL, last);
      Atomics.store(this.words, COUNT, count);
    }
    held += this.#arena.freeAllOf(deadOwner);
    if (Mutex.reclaim(this.words, LOCK, deadOwner)) held++;
    return held;
  }
}
