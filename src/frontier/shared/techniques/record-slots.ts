const LENGTH_BYTES = 4;

/** Byte strings in numbered slots of shared memory; only the thread that holds a slot touches it. */
export class RecordSlots {
  readonly #stride: number;
  readonly #payload: Uint8Array;
  readonly #lengths: DataView;

  constructor(memory: SharedArrayBuffer, start: number, slots: number, slotBytes: number) {
    this.#stride = RecordSlots.bytes(1, slotBytes);
    this.#payload = new Uint8Array(memory, start, slots * this.#stride);
    this.#lengths = new DataView(memory, start, slots * this.#stride);
  }

  /** Bytes of shared memory for that many slots. */
  static bytes(slots: number, slotBytes: number): number {
    // Whole words, so that no two slots share one.
    return slots * (LENGTH_BYTES + Math.ceil(slotBytes / 4) * 4);
  }

  /** Copies a record in. */
  write(slot: number, bytes: Uint8Array, length: number): void {
    const at = slot * this.#stride;
    this.#lengths.setInt32(at, length, true);
    this.#payload.set(bytes.subarray(0, length), at + LENGTH_BYTES);
  }

  /**
   * Adds bytes to the record of a slot; false when there is no room for them. The length is told last, so a thread that
   * ends in between has added nothing.
   */
  append(slot: number, bytes: Uint8Array, length: number): boolean {
    const at = slot * this.#stride;
    const before = this.#lengths.getInt32(at, true);
    if (LENGTH_BYTES + before + length > this.#stride) return false;
    this.#payload.set(bytes.subarray(0, length), at + LENGTH_BYTES + before);
    this.#lengths.setInt32(at, before + length, true);
    return true;
  }

  /** Copies a record out and returns its length. */
  read(slot: number, into: Uint8Array): number {
    const at = slot * this.#stride;
    const length = this.#lengths.getInt32(at, true);
    into.set(this.#payload.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length));
    return length;
  }

  /** Whether the slot holds exactly this record. */
  equals(slot: number, bytes: Uint8Array, length: number): boolean {
    const at = slot * this.#stride;
    if (this.#lengths.getInt32(at, true) !== length) return false;
    const record = this.#payload.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
    for (let i = 0; i < length; i++) if (record[i] !== bytes[i]) return false;
    return true;
  }
}
