import { OrbweaverError } from "../../errors.ts";
import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue, whole } from "../../frontier/queue/priority-queue.ts";
import type { AccessWatch } from "./block-cache.ts";
import { Quickselect } from "./quickselect.ts";

const NONE = -1;

/*
 * Binary tournament on a complete binary tree whose leaves hold chunks of up to n keys
 * (Marin, Paredes, Bonacic 2008, figures 1-2; n = 1 is their classic CBT).
 *
 *   winners[1 .. N-1]   inner nodes: the item that won the match of the two children
 *   winners[N .. 2N-1]  leaves: one item each; the children of k are 2k and 2k+1
 *   leafOf[item]        where the item's leaf is; free items are chained through the same array
 *
 * Invariant: every item has a floor; its own keys are not below it, the keys of all it has beaten not above. So the item
 * at the root holds the best keys of all. A match redistributes the keys of two chunks and KEEPS BOTH SIZES: the winner,
 * which had the higher floor, had that many keys above it already, so its lowest key does not fall below, and the cut
 * may raise its floor. The loser gets nothing below its own floor, so what it beat stays beaten.
 *
 * The figures as printed overwrite Prio[a] before they compute the rest, mix leaf positions with item ids, and cut by
 * value, which ties break. They also find the lowest keys by scanning; the floors come for free from SELECT.
 *
 * All chunks are full except the root's while it is being consumed; keys that do not fill a chunk wait outside.
 */

/** Learns about the use of chunks, and how long a disk block is. */
export interface WatchedBlocks {
  readonly watch: AccessWatch;
  readonly blockKeys: number;
}

/** The chunks of a tournament, by item number. Free item numbers are chained through `leafOf`, as in the paper. */
class ChunkPool {
  readonly chunkKeys: number;
  /** The item's leaf, or the next free item. */
  readonly leafOf: number[] = [];
  /** None of the item's keys is below, none of those it has beaten above. */
  readonly floors: number[] = [];
  readonly #counts: number[] = [];
  readonly #keys = new Keys();
  #free = NONE;
  readonly #watch: AccessWatch | undefined;
  /** Distance of two chunks on disk, in keys: every chunk begins a block. */
  readonly #stride: number;

  constructor(chunkKeys: number, blocks?: WatchedBlocks) {
    this.chunkKeys = chunkKeys;
    this.#watch = blocks?.watch;
    const blockKeys = blocks?.blockKeys ?? 1;
    this.#stride = Math.ceil(chunkKeys / blockKeys) * blockKeys;
  }

  /** An item with an empty chunk that has beaten nobody yet. */
  take(): number {
    const item =
      this.#free === NONE ? this.#keys.extend(this.chunkKeys) / this.chunkKeys : this.#free;
    if (item === this.#free) this.#free = this.leafOf[item]!;
    this.floors[item] = Number.NEGATIVE_INFINITY;
    this.#counts[item] = 0;
    return item;
  }

  release(item: number): void {
    this.#watch?.forget(item * this.#stride, (item + 1) * this.#stride);
    this.#counts[item] = 0;
    this.leafOf[item] = this.#free;
    this.#free = item;
  }

  /** Copies the item's keys to `arena` at `at`; returns how many. */
  load(item: number, arena: Keys, at: number): number {
    const count = this.#counts[item]!;
    this.#watch?.touch(item * this.#stride, item * this.#stride + count, "read");
    arena.put(at, this.#keys, item * this.chunkKeys, count);
    return count;
  }

  /** Replaces the item's keys by `count` keys of `arena`. */
  store(item: number, arena: Keys, from: number, count: number): void {
    this.#keys.put(item * this.chunkKeys, arena, from, count);
    this.#counts[item] = count;
    this.#watch?.touch(item * this.#stride, item * this.#stride + count, "fresh");
  }

  /** Where the key with this id lies, if one does. */
  find(id: number): { item: number; at: number; priority: number } | undefined {
    const { ids, priorities } = this.#keys;
    for (let from = 0; ; ) {
      const place = ids.subarray(0, this.#keys.length).indexOf(id, from);
      if (place < 0) return undefined;
      const item = Math.floor(place / this.chunkKeys);
      const at = place - item * this.chunkKeys;
      // A released chunk has no keys, and a chunk that is not full has old ones behind its end.
      if (at < this.#counts[item]!) return { item, at, priority: priorities[place]! };
      from = place + 1;
    }
  }

  /** The item's keys in place. */
  view(item: number): Keys {
    const from = item * this.chunkKeys;
    const to = from + this.#counts[item]!;
    return Keys.over(this.#keys.priorities.subarray(from, to), this.#keys.ids.subarray(from, to));
  }
}

function checkRaise(id: number, from: number, to: number): void {
  if (to >= from) return;
  throw new OrbweaverError(
    "OW_BAD_KEY",
    `key ${id} can be raised from ${from}, not lowered to ${to}`,
  );
}

/** Priority queue of logarithmic worst case per chunk. */
export class Tournament implements PriorityQueue {
  readonly #chunks: ChunkPool;
  /** Fewer than n keys that are in no leaf yet. */
  readonly #waiting: Keys;
  /** Two chunks side by side, for matches. */
  readonly #arena: Keys;
  readonly #select: Quickselect;
  readonly #winners: number[] = [NONE];
  #leaves = 0;
  #size = 0;

  /** `blocks` is for experiments that count block transfers. */
  constructor(chunkKeys: number, seed?: number, blocks?: WatchedBlocks) {
    this.#chunks = new ChunkPool(whole(chunkKeys, 1, "the keys of a chunk"), blocks);
    this.#waiting = new Keys(chunkKeys);
    this.#arena = new Keys(2 * chunkKeys);
    this.#select = new Quickselect(seed);
  }

  get size(): number {
    return this.#size;
  }

  get comparisons(): number {
    return this.#select.comparisons;
  }

  insertMany(keys: Keys): void {
    keys.check();
    const chunkKeys = this.#chunks.chunkKeys;
    for (let from = 0; from < keys.length; ) {
      const take = Math.min(chunkKeys - this.#waiting.length, keys.length - from);
      this.#waiting.append(keys, from, take);
      from += take;
      if (this.#waiting.length === chunkKeys) this.#addLeaf();
    }
    this.#size += keys.length;
  }

  extractTop(count: number, into: Keys = new Keys(available(count, this.#size))): Keys {
    let missing = available(count, this.#size);
    this.#size -= missing;
    while (missing > 0 && this.#leaves > 0) {
      this.#challengeRoot();
      missing -= this.#takeFromRoot(missing, into);
    }
    if (missing > 0) this.#takeWaiting(missing, into);
    return into;
  }

  peek(): Key | undefined {
    if (this.#size === 0) return undefined;
    if (this.#leaves > 0) this.#challengeRoot();
    const best = this.#leaves > 0 ? this.#chunks.view(this.#winners[1]!) : this.#waiting;
    let at = 0;
    for (let i = 1; i < best.length; i++) if (best.priorities[i]! > best.priorities[at]!) at = i;
    this.#select.comparisons += best.length - 1;
    return { priority: best.priorities[at]!, id: best.ids[at]! };
  }

  /**
   * Lifts a key to a higher priority and plays the matches on its way to the root again: the paper's update-cbt. Finding
   * the key is a pass over all ids, without comparing priorities; of several with this id one is lifted. False when no key
   * has the id; a lower priority throws OW_BAD_KEY and changes nothing.
   */
  raise(id: number, priority: number): boolean {
    Keys.of([priority], [id]); // checks both
    const place = this.#chunks.find(id);
    if (place === undefined) {
      const at = this.#waiting.ids.subarray(0, this.#waiting.length).indexOf(id);
      if (at < 0) return false;
      checkRaise(id, this.#waiting.priorities[at]!, priority);
      this.#waiting.priorities[at] = priority;
      return true;
    }
    checkRaise(id, place.priority, priority);
    const arena = this.#arena;
    const count = this.#chunks.load(place.item, arena, 0);
    arena.priorities[place.at] = priority;
    this.#chunks.store(place.item, arena, 0, count);
    // Those that have beaten the item may hold worse keys now. From the root down, as in figure 1: each keeps its number
    // of keys, so floors and sizes hold.
    const leaf = this.#chunks.leafOf[place.item]!;
    for (let level = Math.floor(Math.log2(leaf)), before = -1; level > 0; level--) {
      const winner = this.#winners[leaf >> level]!;
      if (winner === place.item) break; // nobody below has beaten it
      if (winner !== before) this.#match(winner, place.item);
      before = winner;
    }
    return true;
  }

  /** Figure 1: a full chunk of new keys walks from the root to a new leaf and leaves its best keys with the winners. */
  #addLeaf(): void {
    const chunks = this.#chunks;
    const newcomer = chunks.take();
    chunks.store(newcomer, this.#waiting, 0, chunks.chunkKeys);
    this.#waiting.clear();
    // The first leaf becomes an inner node with its old item and the newcomer below.
    const leaves = this.#leaves++;
    const leaf = 2 * leaves + 1;
    if (leaves > 0) this.#seat(this.#winners[leaves]!, leaf - 1);
    this.#seat(newcomer, leaf);
    for (let level = Math.floor(Math.log2(leaf)), before = -1; level > 0; level--) {
      const winner = this.#winners[leaf >> level]!;
      if (winner !== before) this.#match(winner, newcomer); // a winner stands on several levels of its path
      before = winner;
    }
  }

  /** Keys outside the tree may be better than the root's: exchange them, sizes kept. */
  #challengeRoot(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const root = this.#winners[1]!;
    const arena = this.#arena;
    const count = this.#chunks.load(root, arena, 0);
    arena.put(count, waiting, 0, waiting.length);
    const all = count + waiting.length;
    this.#select.top(arena.priorities, arena.ids, all, count);
    this.#chunks.store(root, arena, 0, count); // its keys only rise, so its floor still holds
    waiting.put(0, arena, count, waiting.length);
  }

  #takeFromRoot(most: number, into: Keys): number {
    const root = this.#winners[1]!;
    const arena = this.#arena;
    const count = this.#chunks.load(root, arena, 0);
    const take = Math.min(most, count);
    if (take < count) this.#select.top(arena.priorities, arena.ids, count, take);
    into.append(arena, 0, take);
    if (take === count) this.#removeRoot();
    else this.#chunks.store(root, arena, take, count - take);
    return take;
  }

  /** Figure 2: the loser of the last pair takes the empty leaf, and the matches on its way up are played again. */
  #removeRoot(): void {
    const gone = this.#winners[1]!;
    const hole = this.#chunks.leafOf[gone]!;
    const parent = --this.#leaves;
    this.#chunks.release(gone);
    if (parent === 0) return;
    const left = this.#winners[2 * parent]!;
    const winner = this.#winners[parent]!;
    const loser = winner === left ? this.#winners[2 * parent + 1]! : left;
    // The pair's parent becomes a leaf. If the removed item was of this pair it had won it, and only the loser stays.
    if (winner !== gone) this.#seat(winner, parent);
    const seat = winner === gone ? parent : hole;
    this.#seat(loser, seat);
    for (let node = seat >> 1; node > 0; node >>= 1) this.#replay(node);
  }

  #replay(node: number): void {
    const a = this.#winners[2 * node]!;
    const b = this.#winners[2 * node + 1]!;
    const { floors } = this.#chunks;
    const winner = floors[a]! >= floors[b]! ? a : b;
    this.#select.comparisons++;
    this.#winners[node] = winner;
    this.#match(winner, winner === a ? b : a);
  }

  /** Gives the best keys of both to the winner, as many as it had, and the others to the loser. */
  #match(winner: number, loser: number): void {
    const arena = this.#arena;
    const won = this.#chunks.load(winner, arena, 0);
    const all = won + this.#chunks.load(loser, arena, won);
    this.#select.top(arena.priorities, arena.ids, all, won);
    this.#chunks.store(winner, arena, 0, won);
    this.#chunks.store(loser, arena, won, all - won);
    const { floors } = this.#chunks;
    floors[winner] = Math.max(floors[winner]!, this.#select.cut); // the cut may lie below what it has beaten before
  }

  #takeWaiting(count: number, into: Keys): void {
    const { priorities, ids, length } = this.#waiting;
    if (count < length) this.#select.top(priorities, ids, length, count);
    into.append(this.#waiting, 0, count);
    this.#waiting.put(0, this.#waiting, count, length - count);
    this.#waiting.length = length - count;
  }

  #seat(item: number, leaf: number): void {
    this.#winners[leaf] = item;
    this.#chunks.leafOf[item] = leaf;
  }
}
