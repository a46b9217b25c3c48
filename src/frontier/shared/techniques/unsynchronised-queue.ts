import { Positions } from "./positions.ts";
import { type QueueShape, recordsOf } from "./record-queue.ts";
import { RecordSlots } from "./record-slots.ts";
import { WAITING_WORDS, WaitingQueue } from "./waiting-queue.ts";

const HEAD = WAITING_WORDS;
const TAIL = HEAD + 1;
const WORDS = TAIL + 1;

/**
 * The seed's "lock-free" queue: a ring without any guard. Two inserts at once overwrite each other, two takes at once get
 * the same record. Kept to measure it and to show what goes wrong; a sleeper may miss its wake-up.
 */
export class UnsynchronisedQueue extends WaitingQueue {
  readonly #positions: Positions;
  readonly #slots: RecordSlots;

  constructor(memory: SharedArrayBuffer, shape: QueueShape) {
    super(new Int32Array(memory, 0, WORDS), shape);
    this.#positions = new Positions(recordsOf(shape));
    this.#slots = new RecordSlots(memory, WORDS * 4, recordsOf(shape), shape.slotBytes);
  }

  /** Bytes of shared memory, zero at first. */
  static bytes(shape: QueueShape): number {
    return WORDS * 4 + RecordSlots.bytes(recordsOf(shape), shape.slotBytes);
  }

  protected override insertNow(bytes: Uint8Array, length: number): boolean {
    const head = this.words[HEAD]!;
    if (this.#positions.between(head, this.words[TAIL]!) >= this.#positions.slots) return false;
    this.#slots.write(this.#positions.slotOf(head), bytes, length);
    this.words[HEAD] = this.#positions.after(head);
    return true;
  }

  protected override takeNow(into: Uint8Array): number {
    const tail = this.words[TAIL]!;
    if (this.words[HEAD] === tail) return -1;
    const length = this.#slots.read(this.#positions.slotOf(tail), into);
    this.words[TAIL] = this.#positions.after(tail);
    return length;
  }

  override size(): number {
    return Math.min(
      this.#positions.slots,
      this.#positions.between(this.words[HEAD]!, this.words[TAIL]!),
    );
  }

  protected override hasRoom(): boolean {
    return this.size() < this.#positions.slots;
  }

  protected override repair(): number {
    return 0;
  }
}
