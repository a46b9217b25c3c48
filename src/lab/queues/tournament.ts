import { type Key, Keys } from "../../frontier/queue/keys.ts";
import { available, type PriorityQueue, whole } from "../../frontier/queue/priority-queue.ts";
import { Selection } from "./selection.ts";
import { ChunkPool, type WatchedBlocks } from "./tournament-chunks.ts";

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

/** Priority queue of logarithmic worst case per chunk. */
export class Tournament implements PriorityQueue {
  readonly #chunks: ChunkPool;
  /** Fewer than n keys that are in no leaf yet. */
  readonly #waiting: Keys;
  /** Two chunks side by side, for matches. */
  readonly #arena: Keys;
  readonly #select: Selection;
  #winners = new Int32Array(16);
  #leaves = 0;
  #size = 0;

  /** `blocks` is for experiments that count block transfers. */
  constructor(chunkKeys: number, seed?: number, blocks?: WatchedBlocks) {
    this.#chunks = new ChunkPool(whole(chunkKeys, 1, "the keys of a chunk"), blocks);
    this.#waiting = new Keys(chunkKeys);
    this.#arena = new Keys(2 * chunkKeys);
    this.#select = new Selection(seed);
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
      const at = this.#waiting.extend(take);
      this.#waiting.priorities.set(keys.priorities.subarray(from, from + take), at);
      this.#waiting.ids.set(keys.ids.subarray(from, from + take), at);
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

  /** Figure 1: a full chunk of new keys walks from the root to a new leaf and leaves its best keys with the winners. */
  #addLeaf(): void {
    const chunks = this.#chunks;
    const newcomer = chunks.take();
    chunks.fill(newcomer, this.#waiting);
    chunks.floors[newcomer] = Number.NEGATIVE_INFINITY; // it has beaten nobody yet
    this.#waiting.clear();
    const leaf = this.#growTree(newcomer);
    for (let level = Math.floor(Math.log2(leaf)), before = -1; level > 0; level--) {
      const winner = this.#winners[leaf >> level]!;
      if (winner !== before) this.#match(winner, newcomer); // a winner stands on several levels of its path
      before = winner;
    }
  }

  /** The first leaf becomes an inner node with its old item and the newcomer below; returns the newcomer's leaf. */
  #growTree(newcomer: number): number {
    const leaves = this.#leaves++;
    if (2 * leaves + 2 > this.#winners.length) {
      const winners = new Int32Array(this.#winners.length * 2);
      winners.set(this.#winners);
      this.#winners = winners;
    }
    if (leaves === 0) {
      this.#seat(newcomer, 1);
      return 1;
    }
    this.#seat(this.#winners[leaves]!, 2 * leaves);
    this.#seat(newcomer, 2 * leaves + 1);
    return 2 * leaves + 1;
  }

  /** Keys outside the tree may be better than the root's: exchange them, sizes kept. */
  #challengeRoot(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const root = this.#winners[1]!;
    const arena = this.#arena;
    const count = this.#chunks.load(root, arena, 0);
    arena.priorities.set(waiting.priorities.subarray(0, waiting.length), count);
    arena.ids.set(waiting.ids.subarray(0, waiting.length), count);
    const all = count + waiting.length;
    this.#select.top(arena.priorities, arena.ids, all, count);
    this.#chunks.store(root, arena, 0, count); // its keys only rise, so its floor still holds
    waiting.priorities.set(arena.priorities.subarray(count, all));
    waiting.ids.set(arena.ids.subarray(count, all));
  }

  #takeFromRoot(most: number, into: Keys): number {
    const root = this.#winners[1]!;
    const arena = this.#arena;
    const count = this.#chunks.load(root, arena, 0);
    const take = Math.min(most, count);
    if (take < count) this.#select.top(arena.priorities, arena.ids, count, take);
    const at = into.extend(take);
    into.priorities.set(arena.priorities.subarray(0, take), at);
    into.ids.set(arena.ids.subarray(0, take), at);
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
    const aWins = floors[a]! >= floors[b]!;
    this.#select.comparisons++;
    this.#winners[node] = aWins ? a : b;
    this.#match(aWins ? a : b, aWins ? b : a);
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
    const at = into.extend(count);
    into.priorities.set(priorities.subarray(0, count), at);
    into.ids.set(ids.subarray(0, count), at);
    priorities.copyWithin(0, count, length);
    ids.copyWithin(0, count, length);
    this.#waiting.length = length - count;
  }

  #seat(item: number, leaf: number): void {
    this.#winners[leaf] = item;
    this.#chunks.leafOf[item] = leaf;
  }
}
