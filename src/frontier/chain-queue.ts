import type { Discovery } from "./frontier.ts";
import type { Host } from "./host.ts";
import type { WaitingLink } from "./journal/waiting-link.ts";
import type { QueueLog } from "./queue-log.ts";
import { copyRecord, type QueuedUrl, readNext, readRecord, writeRecord } from "./queue-record.ts";
import type { ShardQueue } from "./shard-queue.ts";

/** One chain of records per host: breadth-first adds behind the others of the host, depth-first before them. */
export class ChainQueue implements ShardQueue {
  onReady: (host: Host) => void = () => {};
  readonly #log: QueueLog;
  readonly #depthFirst: boolean;

  constructor(log: QueueLog, depthFirst: boolean) {
    this.#log = log;
    this.#depthFirst = depthFirst;
  }

  add(host: Host, found: Discovery, low: number, high: number): void {
    const { bytes, at } = this.#log.room();
    this.#chain(host, writeRecord(bytes, at, found, low, high, this.#nextOf(host)));
  }

  restore(host: Host, link: WaitingLink): void {
    const { bytes, at } = this.#log.room();
    this.#chain(host, copyRecord(bytes, at, link, this.#nextOf(host)));
  }

  has(host: Host): boolean {
    return host.chained > 0;
  }

  next(host: Host): QueuedUrl {
    const reference = host.first;
    const { bytes, at } = this.#log.read(reference);
    const taken = readRecord(bytes, at);
    host.first = readNext(bytes, at);
    host.chained--;
    this.#log.free(reference);
    return taken;
  }

  forget(): void {}

  #nextOf(host: Host): number {
    return this.#depthFirst ? host.first : 0;
  }

  /** Makes the record just written one of the host's. */
  #chain(host: Host, length: number): void {
    const reference = this.#log.commit(length);
    if (this.#depthFirst || host.chained === 0) host.first = reference;
    else this.#log.link(host.last, reference);
    if (!this.#depthFirst) host.last = reference;
    if (host.chained++ === 0) this.onReady(host);
  }
}
