/** Of a record and those behind it; most records are shorter by far. */
export const NEAR_BYTES = 1 << 10;
/** Slots are made so many at a time: memory is taken as it is used. */
const SLAB_SLOTS = 1 << 10;

/** A record where it lies. */
interface Place {
  bytes: Buffer;
  at: number;
}

/**
 * What was read of pages on disk, from some record of each on. With many hosts a page is asked for again only after all
 * the others, and then for the record behind: so much is kept of many pages, rather than all of a few. The page that
 * came first goes first.
 */
export class ReadAhead {
  readonly #most: number;
  readonly #slabs: Buffer[] = [];
  readonly #slots = new Map<number, number>();
  /** Of each slot: its page, and where in the page its bytes begin and end. */
  readonly #keys: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The slot that is used next. */
  #hand = 0;

  constructor(mostBytes: number) {
    this.#most = Math.max(4, Math.floor(mostBytes / NEAR_BYTES));
  }

  /** Puts the place of what stands at an offset of a page into `place`; returns how many bytes of it are known. */
  find(key: number, offset: number, place: Place): number {
    const slot = this.#slots.get(key);
    if (slot === undefined || offset < this.#starts[slot]!) return 0;
    return this.#show(slot, offset, place);
  }

  /** The same, after `read` has filled the bytes between two places with what stands in the page from this offset on. */
  fill(
    key: number,
    offset: number,
    length: number,
    place: Place,
    read: (into: Buffer, from: number, to: number) => void,
  ): number {
    const slot = this.#slots.get(key) ?? this.#take(key);
    this.#starts[slot] = offset;
    this.#ends[slot] = offset + length;
    const known = this.#show(slot, offset, place);
    read(place.bytes, place.at, place.at + length);
    return known;
  }

  forget(key: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    this.#keys[slot] = -1;
  }

  #show(slot: number, offset: number, place: Place): number {
    place.bytes = this.#slabs[Math.floor(slot / SLAB_SLOTS)]!;
    place.at = (slot % SLAB_SLOTS) * NEAR_BYTES + offset - this.#starts[slot]!;
    return this.#ends[slot]! - offset;
  }

  #take(key: number): number {
    const slot = this.#hand;
    this.#hand = (slot + 1) % this.#most;
    if (slot === SLAB_SLOTS * this.#slabs.length)
      this.#slabs.push(Buffer.allocUnsafeSlow(SLAB_SLOTS * NEAR_BYTES));
    const before = this.#keys[slot] ?? -1;
    if (before >= 0) this.#slots.delete(before);
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    return slot;
  }
}
