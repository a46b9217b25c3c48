/** Of a record and those behind it; most records are shorter by far. */
export const READ_BYTES = 1 << 10;
/** Slots are made so many at a time: memory is taken as it is used. */
const SLAB_SLOTS = 1 << 10;

/** A record where it lies. */
interface Place {
  bytes: Buffer;
  at: number;
}

/**
 * A cache of pages on disk, from some record of each on. With many hosts a page is wanted again only after all the others,
 * and then for the next record: so a little is kept of many pages, rather than all of a few. The oldest goes first.
 */
export class ReadAhead {
  readonly #maxSlots: number;
  readonly #slabs: Buffer[] = [];
  readonly #slots = new Map<number, number>();
  /** Of each slot: its page, and where in the page its bytes begin and end. */
  readonly #keys: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The slot that is used next. */
  #hand = 0;

  constructor(maxBytes: number) {
    this.#maxSlots = Math.max(4, Math.floor(maxBytes / READ_BYTES));
  }

  /** Looks up an offset of a page: sets `place`, and returns how many bytes from there on are cached. */
  find(key: number, offset: number, place: Place): number {
    const slot = this.#slots.get(key);
    if (slot === undefined || offset < this.#starts[slot]!) return 0;
    return this.#show(slot, offset, place);
  }

  /** The same for what is not cached: `read` fills the bytes between two places with the page from this offset on. */
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
    place.at = (slot % SLAB_SLOTS) * READ_BYTES + offset - this.#starts[slot]!;
    return this.#ends[slot]! - offset;
  }

  #take(key: number): number {
    const slot = this.#hand;
    this.#hand = (slot + 1) % this.#maxSlots;
    if (slot === SLAB_SLOTS * this.#slabs.length)
      this.#slabs.push(Buffer.allocUnsafeSlow(SLAB_SLOTS * READ_BYTES));
    const before = this.#keys[slot] ?? -1;
    if (before >= 0) this.#slots.delete(before);
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    return slot;
  }
}
