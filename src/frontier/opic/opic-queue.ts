import type { CashBook } from "../cash/cash-book.ts";
import type { ShardCash } from "../cash/shard-cash.ts";
import type { Discovery } from "../discovery.ts";
import type { Host } from "../host.ts";
import { eachLink, type WaitingRun } from "../link/waiting-run.ts";
import type { BlockFile } from "../queue/block-table.ts";
import type { QueueLog } from "../queue/queue-log.ts";
import { copyRecord, readRecord, writeRecord } from "../queue/queue-record.ts";
import { RangeQueue } from "../queue/range-queue.ts";
import type { ShardQueue, TakenUrl } from "../queue/shard-queue.ts";
import { OpicOrder } from "./opic-order.ts";
import { RecordPlaces } from "./record-places.ts";
import type { ThreadOrder } from "./thread-order.ts";

/** Blocks of keys that a shard keeps in memory, 4 KiB each, taken when needed. */
export const QUEUE_FRAMES = 256;

/**
 * The waiting URLs of a shard by cash. Their records lie in the queue log, each on its own; a page's number leads to
 * its record, its host and its cash. The thread's order decides which pages hosts have to take.
 */
export class OpicQueue implements ShardQueue {
  onReady: (host: Host) => void = () => {};
  readonly order: OpicOrder;
  readonly #cash: ShardCash;
  readonly #log: QueueLog;
  readonly #places = new RecordPlaces();
  /** Hosts by number, as long as pages of theirs wait. */
  readonly #hosts = new Map<number, Host>();
  #lastHost = 0;
  readonly #thread: ThreadOrder;
  readonly #index: number;

  constructor(cash: ShardCash, log: QueueLog, openScratch: () => BlockFile, thread: ThreadOrder) {
    this.#cash = cash;
    this.#log = log;
    const queue = new RangeQueue(openScratch, QUEUE_FRAMES);
    this.order = new OpicOrder(cash.book, queue, thread.counts, thread.recorder);
    this.#thread = thread;
    this.#index = thread.join(this);
  }

  add(host: Host, found: Discovery, low: number, high: number): void {
    const { bytes, at } = this.#log.room();
    // The page that was just admitted has the last number.
    const page = this.#cash.pages.size - 1;
    this.#put(host, page, writeRecord(bytes, at, found, low, high, 0));
  }

  restore(host: Host, run: WaitingRun): void {
    eachLink(run, (link) => {
      const { bytes, at } = this.#log.room();
      const page = this.#cash.pages.find(link.low, link.high);
      this.#put(host, page, copyRecord(bytes, at, link, 0));
    });
  }

  has(host: Host): boolean {
    return this.#thread.has(this.#index, host.number);
  }

  next(host: Host): TakenUrl {
    const page = this.#thread.next(this.#index, host.number);
    const { bytes, at } = this.#log.take(this.#places.place(page));
    const taken: TakenUrl = readRecord(bytes, at);
    taken.cash = this.#cash.book.cash(page);
    host.chained--;
    return taken;
  }

  forget(host: Host): void {
    this.#hosts.delete(host.number);
  }

  /** The number of a page's host. */
  hostOf(page: number): number {
    return this.#places.host(page);
  }

  get book(): CashBook {
    return this.#cash.book;
  }

  cashOf(page: number): number {
    return this.#cash.book.cash(page);
  }

  /** The thread's order has drawn a page of a host that had none. */
  woken(number: number): void {
    this.onReady(this.#hosts.get(number)!);
  }

  /** The record just written is this page's. */
  #put(host: Host, page: number, length: number): void {
    if (host.number === 0) {
      host.number = ++this.#lastHost;
      this.#hosts.set(host.number, host);
    }
    this.#places.set(page, this.#log.commit(length), host.number);
    host.chained++;
    this.order.restore(page);
  }
}
