import { Mutex } from "../../../sync/mutex.ts";

/*
 * Nodes of linked structures in shared memory. Node 0 is no node.
 *
 *   NEXT[node]   the node behind it in its list, or below it in the stack of free nodes
 *   STATE[node]  LIVE; or the id of the thread that holds it; or, freed, -1 minus the id of the thread that freed it
 *   HAND[owner]  the node that this thread is moving into or out of the stack: the one doubtful case after a death
 *
 * Nodes never used lie behind UNUSED and cost no memory until they are touched, so an arena may be made far larger than
 * it will ever be. Freed nodes are used again first.
 *
 * Pushing is lock-free; popping holds LOCK. One popper at a time makes compare-and-exchange safe here: a node cannot leave
 * the stack and come back between a popper's look and its exchange.
 */
const LOCK = 0;
const TOP = 1;
const UNUSED = 2;
const HANDS = 3;
const OWNERS = 256;
const NODES = HANDS + OWNERS;
const NEXT = 0;
const STATE = 1;
const NODE_WORDS = 2;

/** No node. */
export const NOBODY = 0;

/** State of a node that is part of its structure. */
export const LIVE = -1;

/** Allocates and frees numbered nodes, each of which names the thread that holds it. */
export class NodeArena {
  readonly #words: Int32Array;
  readonly #head: number;
  readonly #base: number;
  readonly #nodes: number;
  readonly #me: number;
  readonly #spins: number;
  readonly #patience: number;
  readonly #lock: Mutex;

  /** Nodes are numbered 1 to `nodes`. */
  constructor(
    words: Int32Array,
    index: number,
    nodes: number,
    ownerId: number,
    spins: number,
    patience: number,
  ) {
    this.#words = words;
    this.#head = index;
    this.#base = index + NODES - NODE_WORDS;
    this.#nodes = nodes;
    this.#me = ownerId;
    this.#spins = spins;
    this.#patience = patience;
    this.#lock = new Mutex(words, index + LOCK, ownerId);
  }

  /** Words needed, zero at first. */
  static words(nodes: number): number {
    return NODES + nodes * NODE_WORDS;
  }

  /** A node that the caller holds until it is made LIVE or freed; NOBODY when there is none, or no lock. */
  allocate(waitMs: number): number {
    if (!this.#lock.spinLock(waitMs > 0 ? this.#patience : this.#spins)) {
      if (waitMs <= 0 || !this.#lock.lock(waitMs)) return NOBODY;
    }
    const node = this.#pop();
    this.#lock.unlock();
    return node;
  }

  /** Frees a node that the caller holds. */
  free(node: number): void {
    this.#setHand(node);
    this.#setState(node, -1 - this.#me);
    for (;;) {
      const below = Atomics.load(this.#words, this.#head + TOP);
      this.setNext(node, below);
      if (Atomics.compareExchange(this.#words, this.#head + TOP, below, node) === below) break;
    }
    this.#setHand(NOBODY);
  }

  /** Whether there is a node to allocate. */
  hasFree(): boolean {
    return Atomics.load(this.#words, this.#head + TOP) !== NOBODY || this.highest() < this.#nodes;
  }

  /** The node behind. */
  next(node: number): number {
    return Atomics.load(this.#words, this.#base + node * NODE_WORDS + NEXT);
  }

  /** Links a node behind. */
  setNext(node: number, to: number): void {
    Atomics.store(this.#words, this.#base + node * NODE_WORDS + NEXT, to);
  }

  /** Whether the node is part of its structure. */
  isLive(node: number): boolean {
    return this.isHeldBy(node, LIVE);
  }

  /** Whether a thread holds the node. */
  isHeldBy(node: number, owner: number): boolean {
    return Atomics.load(this.#words, this.#base + node * NODE_WORDS + STATE) === owner;
  }

  /** The node is part of its structure from now on. */
  setLive(node: number): void {
    this.#setState(node, LIVE);
  }

  /** The caller holds the node from now on; before it is taken out of its structure. */
  setMine(node: number): void {
    this.#setState(node, this.#me);
  }

  /** Highest node ever used. */
  highest(): number {
    return Atomics.load(this.#words, this.#head + UNUSED);
  }

  /**
   * Settles the one doubtful node of a dead thread and frees its lock; true when it held the lock. After that the nodes
   * that `isHeldBy` it and cannot be reached are exactly those outside the stack and outside their structure.
   */
  reclaim(deadOwner: number): boolean {
    // The dead thread's lock serves as well as ours: nobody else can take it, so nobody pops meanwhile.
    const popped = this.#lock.holder() === deadOwner;
    if (!popped) this.#lock.lock();
    const node = Atomics.load(this.#words, this.#head + HANDS + deadOwner);
    // With the lock it was popping this node; without, it was pushing it, unless the node has been used since.
    const isDoubtful = popped
      ? !this.isHeldBy(node, deadOwner)
      : this.isHeldBy(node, -1 - deadOwner);
    if (node !== NOBODY && isDoubtful && !this.#isInStack(node)) this.free(node);
    Atomics.store(this.#words, this.#head + HANDS + deadOwner, NOBODY);
    if (!popped) this.#lock.unlock();
    return Mutex.reclaim(this.#words, this.#head + LOCK, deadOwner);
  }

  /** Frees every node that a dead thread holds; call it when the reachable ones have been made LIVE. */
  freeAllOf(deadOwner: number): number {
    let freed = 0;
    for (let node = 1; node <= this.highest(); node++) {
      if (!this.isHeldBy(node, deadOwner)) continue;
      this.free(node);
      freed++;
    }
    return freed;
  }

  #pop(): number {
    for (;;) {
      const node = Atomics.load(this.#words, this.#head + TOP);
      if (node === NOBODY) return this.#useNew();
      this.#setHand(node);
      const below = this.next(node);
      const found = Atomics.compareExchange(this.#words, this.#head + TOP, node, below);
      if (found === node) {
        this.setMine(node);
        this.#setHand(NOBODY);
        return node;
      }
    }
  }

  #useNew(): number {
    const node = this.highest() + 1;
    if (node > this.#nodes) return NOBODY;
    this.setMine(node);
    Atomics.store(this.#words, this.#head + UNUSED, node);
    return node;
  }

  #isInStack(node: number): boolean {
    let at = Atomics.load(this.#words, this.#head + TOP);
    while (at !== NOBODY && at !== node) at = this.next(at);
    return at === node;
  }

  #setHand(node: number): void {
    Atomics.store(this.#words, this.#head + HANDS + this.#me, node);
  }

  #setState(node: number, state: number): void {
    Atomics.store(this.#words, this.#base + node * NODE_WORDS + STATE, state);
  }
}
