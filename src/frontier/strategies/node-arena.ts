import { Mutex } from "../../sync/mutex.ts";

/*
 * Nodes of linked structures in shared memory. Node 0 is nobody.
 *
 *   NEXT[node]   the node behind it in its list, or below it in the stack of free nodes
 *   STATE[node]  LIVE, or the id of the thread that took it out of the stack or out of its list; inside the stack
 *                it means nothing
 *
 * Nodes never used lie behind UNUSED and cost no memory until they are touched, so an arena may be made far larger
 * than it will ever be. Nodes given back are used again first.
 *
 * Pushing is lock-free; popping holds LOCK. One popper at a time is what makes compare-and-exchange safe here: a
 * node cannot leave the stack and come back between a popper's look and its exchange.
 */
const LOCK = 0;
const TOP = 1;
const UNUSED = 2;
const NODES = 3;
const NEXT = 0;
const STATE = 1;
const NODE_WORDS = 2;

/** No node. */
export const NOBODY = 0;

/** State of a node that is part of its structure. */
export const LIVE = -1;

/** Gives out numbered nodes and takes them back, each naming the thread that has it in hand. */
export class NodeArena {
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #nodes: number;
  readonly #me: number;
  readonly #spins: number;
  readonly #lock: Mutex;

  /** Nodes are numbered 1 to `nodes`. */
  constructor(words: Int32Array, index: number, nodes: number, ownerId: number, spins: number) {
    this.#words = words;
    this.#base = index + NODES - NODE_WORDS;
    this.#nodes = nodes;
    this.#me = ownerId;
    this.#spins = spins;
    this.#lock = new Mutex(words, index + LOCK, ownerId);
  }

  /** Words needed; zero means that no node was ever used. */
  static words(nodes: number): number {
    return NODES + nodes * NODE_WORDS;
  }

  /** A node that belongs to the caller until it is made LIVE or freed; NOBODY when there is none or no lock. */
  allocate(waitMs: number): number {
    const entered = waitMs > 0 ? this.#lock.lock(waitMs) : this.#lock.spinLock(this.#spins);
    if (!entered) return NOBODY;
    const node = this.#pop();
    this.#lock.unlock();
    return node;
  }

  /** Gives a node back that the caller has in hand. */
  free(node: number): void {
    const top = this.#base + NODE_WORDS - NODES + TOP;
    for (;;) {
      const below = Atomics.load(this.#words, top);
      this.setNext(node, below);
      if (Atomics.compareExchange(this.#words, top, below, node) === below) return;
    }
  }

  /** The node behind. */
  next(node: number): number {
    return Atomics.load(this.#words, this.#base + node * NODE_WORDS + NEXT);
  }

  /** Links a node behind. */
  setNext(node: number, to: number): void {
    Atomics.store(this.#words, this.#base + node * NODE_WORDS + NEXT, to);
  }

  /** Is it part of its structure? */
  isLive(node: number): boolean {
    return Atomics.load(this.#words, this.#base + node * NODE_WORDS + STATE) === LIVE;
  }

  /** From now on it is part of its structure. */
  setLive(node: number): void {
    Atomics.store(this.#words, this.#base + node * NODE_WORDS + STATE, LIVE);
  }

  /** Says whose hand it is in, before it is taken out of its structure. */
  setMine(node: number): void {
    Atomics.store(this.#words, this.#base + node * NODE_WORDS + STATE, this.#me);
  }

  /** Highest node ever used. */
  highest(): number {
    return Atomics.load(this.#words, this.#base + NODE_WORDS - NODES + UNUSED);
  }

  /** Nodes a dead thread had in hand. Call `unlockFor` afterwards; until then no node is given out. */
  lockFor(deadOwner: number): number[] {
    // Its own lock is as good as ours: nobody else can take it.
    if (this.#lock.holder() !== deadOwner) this.#lock.lock();
    const inStack = new Set<number>();
    let node = Atomics.load(this.#words, this.#base + NODE_WORDS - NODES + TOP);
    for (; node !== NOBODY; node = this.next(node)) inStack.add(node);
    const found: number[] = [];
    for (let n = 1; n <= this.highest(); n++) {
      const state = Atomics.load(this.#words, this.#base + n * NODE_WORDS + STATE);
      if (state === deadOwner && !inStack.has(n)) found.push(n);
    }
    return found;
  }

  /** Ends `lockFor`; true when the dead thread held the lock. */
  unlockFor(deadOwner: number): boolean {
    const lock = this.#base + NODE_WORDS - NODES + LOCK;
    const held = Mutex.reclaim(this.#words, lock, deadOwner);
    if (!held) this.#lock.unlock();
    return held;
  }

  #pop(): number {
    const top = this.#base + NODE_WORDS - NODES + TOP;
    for (;;) {
      const node = Atomics.load(this.#words, top);
      if (node === NOBODY) return this.#useNew();
      // Named before it leaves the stack: at no moment is a node in nobody's hand.
      this.setMine(node);
      const below = this.next(node);
      if (Atomics.compareExchange(this.#words, top, node, below) === node) return node;
    }
  }

  #useNew(): number {
    const node = this.highest() + 1;
    if (node > this.#nodes) return NOBODY;
    this.setMine(node);
    Atomics.store(this.#words, this.#base + NODE_WORDS - NODES + UNUSED, node);
    return node;
  }
}
