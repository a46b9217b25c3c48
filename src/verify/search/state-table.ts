import { GrowingInts } from "../../runtime/growing-ints.ts";
import type { Trail } from "../machine/trail.ts";

/** Rows per piece, so that no piece comes near the longest possible array. */
const PIECE_BITS = 14;
const PIECE_ROWS = 1 << PIECE_BITS;
/** Columns are added this many at a time. */
const MORE_COLUMNS = 8;
/** A choice says in its higher bits how often it is repeated. */
export const REPEATS = 8;
const CHOICE_MASK = (1 << REPEATS) - 1;
const MIX = 0x9e3779b1;

/**
 * All states found so far, each stored once and whole, with the path that first led to it.
 *
 * A row holds only those cells that have ever changed, as the difference (xor) to the first state: what never
 * changed is the same in every state, and a column that comes later is 0 in every row before.
 */
export class StateTable {
  readonly #trail: Trail;
  readonly #first: Int32Array;
  readonly #keepEdges: boolean;
  #width = MORE_COLUMNS;
  #row = new Int32Array(MORE_COLUMNS);
  #pieces: Int32Array[] = [];
  #slots = new Int32Array(1 << 14);
  readonly #hashes = new GrowingInts();
  readonly #from = new GrowingInts();
  readonly #choice = new GrowingInts();
  /** Successors of state n: edges firstEdge[n] to firstEdge[n + 1]. */
  readonly edges = new GrowingInts();
  readonly edgeChoices = new GrowingInts();
  readonly firstEdge = new GrowingInts();
  size = 0;

  /** `trail` is as it was made: nothing has changed yet. */
  constructor(trail: Trail, keepEdges: boolean) {
    this.#trail = trail;
    this.#first = trail.mem.slice();
    this.#keepEdges = keepEdges;
    this.firstEdge.push(0);
  }

  /** Memory that the states take. */
  get bytes(): number {
    const lists = [this.#hashes, this.#from, this.#choice, this.edges, this.edgeChoices];
    const listed = lists.reduce((sum, list) => sum + list.bytes, this.firstEdge.bytes);
    return this.#pieces.length * PIECE_ROWS * this.#width * 4 + this.#slots.byteLength + listed;
  }

  /** Adds the state that the trail is in, unless it is known, and returns its number. */
  add(from: number, choice: number): number {
    const hash = this.#fillRow();
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    let id = this.#slots[slot]! - 1;
    while (id >= 0 && !(this.#hashes.at(id) === hash && this.#equalsRow(id))) {
      slot = (slot + 1) & mask;
      id = this.#slots[slot]! - 1;
    }
    if (id < 0) {
      id = this.size++;
      this.#store(id);
      this.#hashes.push(hash);
      this.#from.push(from);
      this.#choice.push(choice);
      this.#slots[slot] = id + 1;
      if (this.size * 2 > this.#slots.length) this.#rehash();
    }
    if (this.#keepEdges && from >= 0) {
      this.edges.push(id);
      this.edgeChoices.push(choice);
    }
    return id;
  }

  /** The first successor of a state that `take` accepts, or -1; `take` gets the choice that leads there, too. */
  findSuccessor(state: number, take: (to: number, choice: number) => boolean): number {
    for (let e = this.firstEdge.at(state); e < this.firstEdge.at(state + 1); e++) {
      if (take(this.edges.at(e), this.edgeChoices.at(e))) return this.edges.at(e);
    }
    return -1;
  }

  /** All successors of the next state in order have been added. */
  closeEdges(): void {
    if (this.#keepEdges) this.firstEdge.push(this.edges.length);
  }

  /** Brings the trail to a state. */
  read(id: number): void {
    const { mem, changed } = this.#trail;
    const piece = this.#pieces[id >> PIECE_BITS]!;
    const at = (id & (PIECE_ROWS - 1)) * this.#width;
    const columns = Math.min(changed.length, this.#width);
    for (let i = 0; i < columns; i++) {
      mem[changed[i]!] = piece[at + i]! ^ this.#first[changed[i]!]!;
    }
    for (let i = columns; i < changed.length; i++) mem[changed[i]!] = this.#first[changed[i]!]!;
  }

  /** The choices that first led to a state. */
  pathTo(id: number): number[] {
    const path: number[] = [];
    for (let at = id; this.#from.at(at) >= 0; at = this.#from.at(at)) {
      const choice = this.#choice.at(at);
      for (let i = choice >> REPEATS; i >= 0; i--) path.push(choice & CHOICE_MASK);
    }
    return path.reverse();
  }

  /** Zero adds nothing to the hash, so later columns leave the hashes of earlier rows as they are. */
  #fillRow(): number {
    const { mem, changed } = this.#trail;
    if (changed.length > this.#width) this.#widen(changed.length);
    let hash = 0;
    let factor = MIX;
    for (let i = 0; i < changed.length; i++) {
      const cell = changed[i]!;
      const value = mem[cell]! ^ this.#first[cell]!;
      this.#row[i] = value;
      factor = Math.imul(factor, MIX);
      hash = (hash + Math.imul(value ^ (value >>> 15), factor)) | 0;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  #equalsRow(id: number): boolean {
    const piece = this.#pieces[id >> PIECE_BITS]!;
    const at = (id & (PIECE_ROWS - 1)) * this.#width;
    for (let i = 0; i < this.#width; i++) if (piece[at + i] !== this.#row[i]) return false;
    return true;
  }

  #store(id: number): void {
    if (id >> PIECE_BITS === this.#pieces.length) {
      this.#pieces.push(new Int32Array(PIECE_ROWS * this.#width));
    }
    this.#pieces[id >> PIECE_BITS]!.set(this.#row, (id & (PIECE_ROWS - 1)) * this.#width);
  }

  #widen(columns: number): void {
    const old = this.#width;
    this.#width = Math.ceil(columns / MORE_COLUMNS) * MORE_COLUMNS;
    this.#row = new Int32Array(this.#width);
    this.#pieces = this.#pieces.map((piece) => {
      const wider = new Int32Array(PIECE_ROWS * this.#width);
      for (let row = 0; row < PIECE_ROWS; row++) {
        wider.set(piece.subarray(row * old, (row + 1) * old), row * this.#width);
      }
      return wider;
    });
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.size; id++) {
      let slot = this.#hashes.at(id) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}
