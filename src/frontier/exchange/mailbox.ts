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

/** The exchange's shared parts: one inbox ring, one doorbell and one "wants space" word per thread. */
export interface ExchangeParts {
  readonly inboxes: readonly Ring[];
  readonly bells: readonly Doorbell[];
  /** Word i is 1 while somebody waits for space in inbox i. */
  readonly wantsSpace: Int32Array;
}

/** How mail travels: by an exchange, or by whatever stands in for one. */
export type MessageRoute = Pick<Mailbox, keyof Mailbox>;

/**
 * Carries mail between the threads that own shards. It never blocks: a message that finds the inbox full stays here
 * and is tried again when its receiver has made room and rings.
 */
export class Mailbox {
  readonly #me: number;
  readonly #parts: ExchangeParts;
  readonly #waiting: Deque<ShardMessage>[];
  readonly #slot: Buffer;
  /** Blocks of links handed over so far. */
  blocksSent = 0;
  /** Messages about leases that wait here and are waited for. */
  unsentAboutLeases = 0;

  constructor(me: number, parts: ExchangeParts) {
    this.#me = me;
    this.#parts = parts;
    this.#waiting = parts.inboxes.map(() => new Deque<ShardMessage>());
    this.#slot = Buffer.alloc(parts.inboxes[me]!.slotBytes);
  }

  /** No block may be longer. */
  get maxBlockBytes(): number {
    return maxBlockBytes(this.#slot.length);
  }

  /** Puts a message on its way to a thread; it leaves with the next flush. */
  post(thread: number, mail: ShardMessage): void {
    this.#waiting[thread]!.pushBack(mail);
    if (isAwaited(mail)) this.unsentAboutLeases++;
  }

  /** Sends what can be sent now; false when something had to stay. */
  flush(): boolean {
    let all = true;
    for (let thread = 0; thread < this.#waiting.length; thread++) {
      if (this.#waiting[thread]!.size > 0 && !this.#send(thread)) all = false;
    }
    return all;
  }

  /** Calls `handle` for each message in the own inbox; its bytes are valid during the call only. */
  receive(handle: (mail: ShardMessage) => void): void {
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

  /** True when the inbox seems to hold something. */
  hasMessages(): boolean {
    return this.#parts.inboxes[this.#me]!.size() > 0;
  }

  #send(thread: number): boolean {
    const waiting = this.#waiting[thread]!;
    for (let mail = waiting.shift(); mail !== undefined; mail = waiting.shift()) {
      if (!this.#push(thread, mail)) {
        waiting.pushFront(mail);
        return false;
      }
      if (mail.kind === "links") this.blocksSent++;
      if (isAwaited(mail)) this.unsentAboutLeases--;
    }
    return true;
  }

  /** Tries, and tries once more after saying that space is wanted, so that the receiver's answer cannot be missed. */
  #push(thread: number, mail: ShardMessage): boolean {
    const inbox = this.#parts.inboxes[thread]!;
    const length = writeShardMessage(this.#slot, mail);
    let done = inbox.tryPush(this.#slot, length);
    if (!done) {
      Atomics.store(this.#parts.wantsSpace, thread, 1);
      done = inbox.tryPush(this.#slot, length);
    }
    this.#parts.bells[thread]!.ring();
    return done;
  }
}
