import { Mutex } from "../../../sync/mutex.ts";
import { NOBODY, NodeArena } from "./node-arena.ts";
import { checkRecord, checkTarget, type QueueShape, recordsOf } from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

/*
 *   FIRST ─► record ─► record ─► record ◄─ TAIL        a lock per node; FIRST is node 1 and never leaves
 *
 * Hand over hand: a node is locked while its predecessor's lock is held, so nobody overtakes. TAIL is exact for a thread
 * that holds the lock of the node it names and finds that node live and last.
 *
 * A node is linked by one store and unlinked by one store, both to NEXT of a locked predecessor, and it is marked as its
 * owner's from before it is unlinked until after it is linked. So of a dead thread's nodes exactly those are in the list to
 * which a node that it locked points.
 */
const TAIL = WAITING_WORDS;
const COUNT = TAIL + 1;
const ARENA = COUNT + 1;

const FIRST = 1;

const MUTEXES = 4096;

/** Result of an insert behind a key. */
export type KeyedInsert = "inserted" | "no-key" | "full";

/** A linked list with a lock per node, locked hand over hand; it can grow. */
export class FineQueue extends WaitingQueue {
  readonly #owner: number;
  readonly #locks: number;
  /** Locks of the first nodes; a growing list has too many nodes to keep an object for each. */
  readonly #mutexes: readonly Mutex[];
  readonly #arena: NodeArena;
  readonly #records: RecordSlots;

  constructor(memory: SharedArrayBuffer, shape: QueueShape, owner: number) {
    const nodes = recordsOf(shape) + 1;
    const locks = ARENA + NodeArena.words(nodes);
    const words = locks + (nodes + 1) * Mutex.WORDS;
    super(new Int32Array(memory, 0, words), shape);
    this.#owner = owner;
    this.#locks = locks;
    this.#mutexes = Array.from(
      { length: Math.min(nodes + 1, MUTEXES) },
      (_, node) => new Mutex(this.words, locks + node * Mutex.WORDS, owner),
    );
    this.#arena = new NodeArena(this.words, ARENA, nodes, owner, this.spins, this.patience);
    this.#records = new RecordSlots(memory, words * 4, nodes + 1, shape.slotBytes);
  }

  /** Bytes of shared memory; call `initialise` once before use. */
  static bytes(shape: QueueShape): number {
    const nodes = recordsOf(shape) + 1;
    const words = ARENA + NodeArena.words(nodes) + (nodes + 1) * Mutex.WORDS;
    return words * 4 + RecordSlots.bytes(nodes + 1, shape.slotBytes);
  }

  initialise(): void {
    this.#arena.allocate(0);
    this.#arena.setNext(FIRST, NOBODY);
    this.#arena.setLive(FIRST);
    Atomics.store(this.words, TAIL, FIRST);
  }

  protected override insertNow(bytes: Uint8Array, length: number, waitMs: number): boolean {
    const node = this.#prepare(bytes, length, waitMs);
    if (node === NOBODY) return false;
    const last = this.#lockLast(waitMs);
    if (last !== NOBODY && this.#linkBehind(last, node, waitMs)) return true;
    this.#arena.free(node);
    this.announceRoom();
    return false;
  }

  protected override takeNow(into: Uint8Array, waitMs: number): number {
    if (!this.#lock(FIRST, waitMs)) return -1;
    const node = this.#arena.next(FIRST);
    if (node === NOBODY || !this.#lock(node, waitMs)) {
      this.#unlock(FIRST);
      return -1;
    }
    const length = this.#records.read(node, into);
    this.#unlink(FIRST, node);
    return length;
  }

  /** Inserts a record behind the first one that equals the key. */
  insertAfter(key: Uint8Array, keyLength: number, bytes: Uint8Array, length: number): KeyedInsert {
    checkRecord(length, this.slotBytes);
    const node = this.#prepare(bytes, length, Number.POSITIVE_INFINITY);
    if (node === NOBODY) return "full";
    const before = this.#lockBefore(key, keyLength);
    if (before === NOBODY) {
      this.#arena.free(node);
      this.announceRoom();
      return "no-key";
    }
    const found = this.#arena.next(before);
    this.#unlock(before);
    this.#linkBehind(found, node, Number.POSITIVE_INFINITY);
    this.announceRecord();
    return "inserted";
  }

  /** Copies the first record that equals the key, without taking it; -1 when there is none. */
  get(key: Uint8Array, keyLength: number, into: Uint8Array): number {
    checkTarget(into, this.slotBytes);
    const before = this.#lockBefore(key, keyLength);
    if (before === NOBODY) return -1;
    const found = this.#arena.next(before);
    const length = this.#records.read(found, into);
    this.#unlock(before);
    this.#unlock(found);
    return length;
  }

  /** Removes the first record that equals the key; false when there is none. */
  delete(key: Uint8Array, keyLength: number): boolean {
    const before = this.#lockBefore(key, keyLength);
    if (before === NOBODY) return false;
    this.#unlink(before, this.#arena.next(before));
    this.announceRoom();
    return true;
  }

  /** Off by at most one per thread that died; nothing depends on it. */
  override size(): number {
    return Math.max(0, Atomics.load(this.words, COUNT));
  }

  protected override hasRecord(): boolean {
    return this.#arena.next(FIRST) !== NOBODY;
  }

  protected override hasRoom(): boolean {
    return this.#arena.hasFree();
  }

  /** Nodes ever used; freed ones are used again. */
  nodesUsed(): number {
    return this.#arena.highest();
  }

  protected override repair(deadOwner: number): number {
    let held = this.#arena.reclaim(deadOwner) ? 1 : 0;
    for (let node = FIRST; node <= this.#arena.highest(); node++) {
      if (!this.#arena.isHeldBy(node, deadOwner) || !this.#isLinkedBy(deadOwner, node)) continue;
      this.#arena.setLive(node);
      if (this.#arena.next(node) === NOBODY) Atomics.store(this.words, TAIL, node);
    }
    held += this.#arena.freeAllOf(deadOwner);
    for (let node = FIRST; node <= this.#arena.highest(); node++) {
      if (Mutex.reclaim(this.words, this.#locks + node * Mutex.WORDS, deadOwner)) held++;
    }
    return held;
  }

  /** Whether a node that the dead thread locked points to this one. */
  #isLinkedBy(deadOwner: number, node: number): boolean {
    for (let before = FIRST; before <= this.#arena.highest(); before++) {
      const isLocked = this.#lockOf(before).holder() === deadOwner;
      if (isLocked && this.#arena.next(before) === node) return true;
    }
    return false;
  }

  #prepare(bytes: Uint8Array, length: number, waitMs: number): number {
    const node = this.#arena.allocate(waitMs);
    if (node !== NOBODY) this.#records.write(node, bytes, length);
    return node;
  }

  /** Locks the last node; NOBODY when a lock stayed busy. */
  #lockLast(waitMs: number): number {
    for (;;) {
      const last = Atomics.load(this.words, TAIL);
      if (!this.#lock(last, waitMs)) return NOBODY;
      if (this.#arena.isLive(last) && this.#arena.next(last) === NOBODY) return last;
      // It was taken, or got a successor, before this thread had its lock.
      this.#unlock(last);
    }
  }

  /** Locks the first node that equals the key and the one before, which it returns; NOBODY if there is none. */
  #lockBefore(key: Uint8Array, keyLength: number): number {
    const waitMs = Number.POSITIVE_INFINITY;
    let before = FIRST;
    this.#lock(before, waitMs);
    for (;;) {
      const node = this.#arena.next(before);
      if (node === NOBODY) {
        this.#unlock(before);
        return NOBODY;
      }
      this.#lock(node, waitMs);
      if (this.#records.equals(node, key, keyLength)) return before;
      this.#unlock(before);
      before = node;
    }
  }

  /** Links a node behind one that the caller has locked, and unlocks that. */
  #linkBehind(before: number, node: number, waitMs: number): boolean {
    // Locked until it is linked: a late inserter may still take it for the last node, which it was before it was freed.
    if (!this.#lock(node, waitMs)) {
      this.#unlock(before);
      return false;
    }
    const after = this.#arena.next(before);
    this.#arena.setNext(node, after);
    this.#arena.setNext(before, node);
    if (after === NOBODY) Atomics.store(this.words, TAIL, node);
    this.#arena.setLive(node);
    Atomics.add(this.words, COUNT, 1);
    this.#unlock(before);
    this.#unlock(node);
    return true;
  }

  /** Takes out a node; the caller has locked it and its predecessor, and both are unlocked. */
  #unlink(before: number, node: number): void {
    const after = this.#arena.next(node);
    this.#arena.setMine(node);
    if (after === NOBODY) Atomics.store(this.words, TAIL, before);
    this.#arena.setNext(before, after);
    Atomics.sub(this.words, COUNT, 1);
    this.#unlock(node);
    this.#unlock(before);
    this.#arena.free(node);
  }

  #lock(node: number, waitMs: number): boolean {
    return this.enterLock(this.#lockOf(node), waitMs);
  }

  #unlock(node: number): void {
    this.#lockOf(node).unlock();
  }

  #lockOf(node: number): Mutex {
    return (
      this.#mutexes[node] ?? new Mutex(this.words, this.#locks + node * Mutex.WORDS, this.#owner)
    );
  }
}
