import { Deque } from "../../runtime/deque.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import type { Ring } from "../../sync/ring.ts";
import {
  isAwaited,
  maxBlockBytes,
  readShardMessage,
  type ShardMessage,
  writeShardMessage,
} from "./shard-message.ts";

/** What the threads share: one inbox ring, one doorbell and one "wants space" word each. */
export interface ExchangeParts {
  readonly inboxes: readonly Ring[];
  readonly bells: readonly Doorbell[];
  /** Word i is 1 while somebody waits for space in inbox i. */
  readonly wantsSpace: Int32Array;
}

/** How messages travel: by a mailbox, or by a substitute in simulations. */
export type MessageRoute = Pick<Mailbox, keyof Mailbox>;

/**
 * Carries messages between the threads that own shards. It never blocks: a message that finds the inbox full stays here
 * and is sent again when its receiver has made room and rings.
 */
export class Mailbox {
  readonly #me: number;
  readonly #parts: ExchangeParts;
  readonly #waiting: Deque<ShardMessage>[];
  readonly #slot: Buffer;
  /** Blocks of links handed over so far. */
  blocksSent = 0;
  /** Messages that wait here and whose receiver waits for them: `isAwaited`. */
  unsentAboutLeases = 0;

  constructor(me: number, parts: ExchangeParts) {
    this.#me = me;
    this.#parts = parts;
    this.#waiting = parts.inboxes.map(() => new Deque<ShardMessage>());
    this.#slot = Buffer.alloc(parts.inboxes[me]!.slotBytes);
  }

  /** Longest block. */
  get maxBlockBytes(): number {
    return maxBlockBytes(this.#slot.length);
  }

  /** Queues a message for a thread; it leaves with the next flush. */
  post(thread: number, message: ShardMessage): void {
    this.#waiting[thread]!.pushBack(message);
    if (isAwaited(message)) this.unsentAboutLeases++;
  }

  /** Sends what can be sent now. */
  flush(): void {
    for (let thread = 0; thread < this.#waiting.length; thread++) this.#send(thread);
  }

  /** Calls `handle` for each message in this thread's inbox; its bytes are valid during the call only. */
  receive(handle: (message: ShardMessage) => void): void {
    const inbox = this.#parts.inboxes[this.#me]!;
    for (;;) {
      const length = inbox.tryTake(this.#slot);
      if (length < 0) break;
      handle(readShardMessage(this.#slot, length));
    }
    if (Atomics.exchange(this.#parts.wantsSpace, this.#me, 0) === 1) {
      for (const bell of this.#parts.bells) bell.ring();
    }
  }

  #send(thread: number): void {
    const waiting = this.#waiting[thread]!;
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      if (!this.#push(thread, message)) {
        waiting.pushFront(message);
        return;
      }
      if (message.kind === "links") this.blocksSent++;
      if (isAwaited(message)) this.unsentAboutLeases--;
    }
  }

  /** Tries again after setting the "wants space" word: the receiver may have made room just before. */
  #push(thread: number, message: ShardMessage): boolean {
    const inbox = this.#parts.inboxes[thread]!;
    const length = writeShardMessage(this.#slot, message);
    let done = inbox.tryPush(this.#slot, length);
    if (!done) {
      Atomics.store(this.#parts.wantsSpace, thread, 1);
      done = inbox.tryPush(this.#slot, length);
    }
    this.#parts.bells[thread]!.ring();
    return done;
  }
}
