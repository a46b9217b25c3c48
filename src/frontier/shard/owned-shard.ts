import { StoreCorruptError } from "../../errors.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Discovery } from "../discovery.ts";
import { answerMessage, blockMessage, type ShardMessage } from "../exchange/shard-message.ts";
import type { Finish } from "../finish.ts";
import type { Lease } from "../host.ts";
import { readLinkBlock } from "../link/link-block.ts";
import type { ShardNumbers } from "../shard-numbers.ts";
import { Outbox } from "./outbox.ts";
import type { Shard } from "./shard.ts";
import { type Committed, ShardJournal } from "./shard-journal.ts";

/** So many answers in a row that ask for a block that is gone are no messages that overtook each other. */
const MAX_GAPS = 100;

/** What a shard needs to work. */
export interface OwnedShardParts {
  readonly shard: Shard;
  /** Number of this run. */
  readonly epoch: number;
  readonly maxBlockBytes: number;
  /** Sends a message to another shard, which may be one of the same thread. */
  readonly post: (message: ShardMessage) => void;
}

/** A shard at work: what it knows, what it is about to journal, and its blocks to and from other shards. */
export class OwnedShard {
  readonly shard: Shard;
  readonly journal: ShardJournal;
  /** Links for other shards. */
  readonly outbox: Outbox;
  readonly #post: (message: ShardMessage) => void;
  /** What is durable of the blocks received: only that is confirmed. */
  readonly #received: Map<string, number>;
  /** What is durable of the blocks sent: only that may be sent again. */
  readonly #sent: Map<string, number>;

  /** A URL was new here. */
  readonly #onNew = (one: Discovery, low: number, high: number): void => {
    this.shard.enqueueNew(one, hostnameOf(one.url), low, high);
    this.journal.batch.admit(one, low, high);
  };

  /** Answers in a row, by "target epoch", that asked for a block that is not there any more. */
  readonly #gaps = new Map<string, number>();

  constructor({ shard, epoch, maxBlockBytes, post }: OwnedShardParts) {
    this.shard = shard;
    this.journal = new ShardJournal(shard.number, shard.state, epoch);
    this.outbox = new Outbox(this.journal, maxBlockBytes, shard.state.cash !== undefined);
    this.#post = post;
    this.#received = new Map(shard.state.received);
    this.#sent = new Map(shard.state.sent);
    shard.onNote = (note) => this.journal.note(note);
  }

  /** Takes in URLs of this shard; returns how many are new. */
  admitAll(found: readonly Discovery[]): number {
    return this.shard.admitAll(found, this.#onNew);
  }

  /** A visit to a URL of this shard is over; returns how many of its links are new here. The others travel. */
  finish(lease: Lease, found: readonly Discovery[], how: Finish, numbers: ShardNumbers): number {
    if (found.length === 0) {
      this.journal.done(lease, how);
      return 0;
    }
    const own: Discovery[] = [];
    const others: Discovery[] = [];
    for (const one of found) (numbers.of(one.url).shard === lease.shard ? own : others).push(one);
    const fresh = this.shard.admitAll(own, this.#onNew);
    this.shard.fingerprintAll(others, (one, low, high) => {
      this.outbox.post(numbers.of(one.url).shard, low, high, 0, one);
    });
    this.journal.done(lease, how);
    return fresh;
  }

  /** True when a batch would have nothing but what can wait for the next one. */
  get isIdle(): boolean {
    return this.journal.isEmpty && this.outbox.isEmpty;
  }

  /** Closes the blocks for other shards; returns how many will leave with the batch. */
  closeBlocks(): number {
    this.outbox.closeBlocks();
    return this.journal.blocks;
  }

  /** Admits the links of a block; returns how many are new. */
  protected takeIn(block: Buffer): number {
    return this.admitAll(readLinkBlock(block, block.length));
  }

  /** A batch is durable: its blocks leave, and blocks whose links it holds are confirmed. */
  committed({ blocks, received }: Committed): void {
    const { number } = this.shard;
    for (const block of blocks) {
      this.#sent.set(`${block.target} ${block.epoch}`, block.number);
      this.#post(blockMessage(number, block));
    }
    for (const [producer, epoch, reached] of received) {
      this.#received.set(`${producer} ${epoch}`, reached);
      this.#post(answerMessage("confirm", number, producer, epoch, reached));
    }
  }

  /**
   * A block from another shard; returns how many of its links are new. Only the next block is journalled. A duplicate
   * is confirmed if it is durable, a gap is answered.
   */
  accept({ from, epoch, number, bytes }: ShardMessage): number {
    const arrival = this.shard.state.arrival(from, epoch, number);
    if (arrival.kind === "gap") {
      this.#post(answerMessage("gap", this.shard.number, from, epoch, arrival.reached));
      return 0;
    }
    if (arrival.kind === "duplicate") {
      const reached = this.#received.get(`${from} ${epoch}`) ?? 0;
      if (reached > 0)
        this.#post(answerMessage("confirm", this.shard.number, from, epoch, reached));
      return 0;
    }
    const fresh = this.takeIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.journal.received(from, epoch, number);
    return fresh;
  }

  /**
   * The receiver has reached `number`: sends every durable block behind it again. It can only go on with the next one,
   * so when that was confirmed and is gone the two journals contradict each other, and would for ever. An answer may be
   * older than the confirmation, where messages overtake each other: hence more than one.
   */
  sendAgain({ from, epoch, number }: ShardMessage): void {
    const name = `${from} ${epoch}`;
    const isGone =
      this.shard.state.outbox.get(name)?.some((block) => block.number === number + 1) !== true;
    const gaps = isGone ? (this.#gaps.get(name) ?? 0) + 1 : 0;
    this.#gaps.set(name, gaps);
    if (gaps > MAX_GAPS) {
      const what = `shard ${from} asks for block ${number + 1} of run ${epoch}, which it had confirmed to shard ${this.shard.number}`;
      throw new StoreCorruptError(
        `state/journals:0: ${what}: these journals are not of one crawl at one moment`,
      );
    }
    this.sendAgainWhere(
      (target, block) => target === from && block.epoch === epoch && block.number > number,
    );
  }

  /** Sends durable blocks that are not confirmed again. */
  sendAgainWhere(
    wanted: (target: number, block: { epoch: number; number: number }) => boolean,
  ): void {
    for (const block of this.shard.state.unconfirmed()) {
      const isDurable = block.number <= (this.#sent.get(`${block.target} ${block.epoch}`) ?? 0);
      if (isDurable && wanted(block.target, block))
        this.#post(blockMessage(this.shard.number, block));
    }
  }
}
