import type { Doorbell } from "../sync/doorbell.ts";
import type { Ring } from "../sync/ring.ts";
import { Deque } from "./deque.ts";
import type { Discovery } from "./frontier.ts";
import { LinkBlock, readLinkBlock } from "./link-block.ts";

/** The exchange's shared parts: one inbox ring, one doorbell and one "wants space" word per thread. */
export interface ExchangeParts {
  readonly inboxes: readonly Ring[];
  readonly bells: readonly Doorbell[];
  /** Word i is 1 while somebody waits for space in inbox i. */
  readonly wantsSpace: Int32Array;
}

/**
 * Sends links to the threads that own their sites, and receives one's own. It never blocks: a block that finds the
 * inbox full stays here and is tried again when its receiver has made room and rings.
 */
export class Exchange {
  readonly #me: number;
  readonly #parts: ExchangeParts;
  readonly #open: (LinkBlock | undefined)[];
  readonly #closed: Deque<LinkBlock>[];
  readonly #received: Buffer;
  /** Blocks handed over so far. */
  blocksSent = 0;

  constructor(me: number, parts: ExchangeParts) {
    this.#me = me;
    this.#parts = parts;
    this.#open = parts.inboxes.map(() => undefined);
    this.#closed = parts.inboxes.map(() => new Deque<LinkBlock>());
    this.#received = Buffer.alloc(parts.inboxes[me]!.slotBytes);
  }

  /** Puts a link into the block for `thread`. The caller has counted it already. */
  add(thread: number, found: Discovery): void {
    if (this.#open[thread]?.tryAdd(found)) return;
    this.#close(thread);
    const block = new LinkBlock(this.#parts.inboxes[thread]!.slotBytes);
    block.tryAdd(found);
    this.#open[thread] = block;
  }

  /** Sends what can be sent now, partly filled blocks too; false when something had to stay. */
  flush(): boolean {
    let all = true;
    for (let thread = 0; thread < this.#open.length; thread++) {
      this.#close(thread);
      if (this.#closed[thread]!.size > 0 && !this.#send(thread)) all = false;
    }
    return all;
  }

  /** Takes everything out of the own inbox. */
  receive(): Discovery[] {
    const inbox = this.#parts.inboxes[this.#me]!;
    const found: Discovery[] = [];
    for (;;) {
      const length = inbox.tryTake(this.#received);
      if (length < 0) break;
      found.push(...readLinkBlock(this.#received, length));
    }
    if (Atomics.exchange(this.#parts.wantsSpace, this.#me, 0) === 1) {
      for (const bell of this.#parts.bells) bell.ring();
    }
    return found;
  }

  /** True when the inbox seems to hold something. */
  hasMail(): boolean {
    return this.#parts.inboxes[this.#me]!.size() > 0;
  }

  #close(thread: number): void {
    const block = this.#open[thread];
    if (block === undefined) return;
    this.#open[thread] = undefined;
    this.#closed[thread]!.pushBack(block);
  }

  #send(thread: number): boolean {
    const waiting = this.#closed[thread]!;
    for (let block = waiting.shift(); block !== undefined; block = waiting.shift()) {
      if (!this.#push(thread, block)) {
        waiting.pushFront(block);
        return false;
      }
      this.blocksSent++;
    }
    return true;
  }

  /** Tries, and tries once more after saying that space is wanted, so that the receiver's answer cannot be missed. */
  #push(thread: number, block: LinkBlock): boolean {
    const inbox = this.#parts.inboxes[thread]!;
    let done = inbox.tryPush(block.bytes, block.used);
    if (!done) {
      Atomics.store(this.#parts.wantsSpace, thread, 1);
      done = inbox.tryPush(block.bytes, block.used);
    }
    this.#parts.bells[thread]!.ring();
    return done;
  }
}
