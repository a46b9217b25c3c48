import type { Discovery } from "../discovery.ts";
import type { Host } from "../host.ts";
import type { FoundLink } from "../link/link-codec.ts";
import { eachLink, type WaitingLink, type WaitingRun } from "../link/waiting-run.ts";
import type { QueueLog } from "./queue-log.ts";
import {
  copyRecord,
  isPlace,
  readNext,
  readPlace,
  readRecord,
  writePlace,
  writeRecord,
} from "./queue-record.ts";
import type { RecoveredFiles } from "./recovered-files.ts";
import type { ShardQueue } from "./shard-queue.ts";

/** Fewer links are copied sooner than noted. */
const MIN_LINKS = 4;

/**
 * One chain of records per host: breadth-first adds behind the others of the host, depth-first before them. What
 * recovery finds stays in its file, and a record stands for a run of links there until one of them is wanted: so a
 * crawl goes on before its queue is copied, and most of that is done while it waits for others.
 */
export class ChainQueue implements ShardQueue {
  onReady: (host: Host) => void = () => {};
  readonly #log: QueueLog;
  readonly #depthFirst: boolean;
  readonly #files: RecoveredFiles | undefined;

  /** Without `files` everything is copied at once. */
  constructor(log: QueueLog, depthFirst: boolean, files?: RecoveredFiles) {
    this.#log = log;
    this.#depthFirst = depthFirst;
    this.#files = files;
  }

  add(host: Host, found: Discovery, low: number, high: number): void {
    const { bytes, at } = this.#log.room();
    const next = this.#depthFirst ? host.first : 0;
    this.#chain(host, writeRecord(bytes, at, found, low, high, next), 1);
  }

  restore(host: Host, run: WaitingRun): void {
    const stays = run.fileAhead !== undefined && run.links >= MIN_LINKS;
    const file = stays ? (this.#files?.keep(run.file) ?? 0) : 0;
    if (file !== 0) {
      const { bytes, at } = this.#log.room();
      this.#chain(host, writePlace(bytes, at, run, file, this.#nextOf(host)), run.links);
    } else {
      eachLink(run, (link) => {
        const { bytes, at } = this.#log.room();
        this.#chain(host, copyRecord(bytes, at, link, this.#nextOf(host)), 1);
      });
    }
  }

  has(host: Host): boolean {
    return host.chained > 0;
  }

  next(host: Host): FoundLink {
    let { bytes, at } = this.#log.take(host.first);
    if (isPlace(bytes, at)) {
      this.#unfold(host, bytes, at);
      ({ bytes, at } = this.#log.take(host.first));
    }
    const taken = readRecord(bytes, at);
    host.first = readNext(bytes, at);
    host.chained--;
    return taken;
  }

  forget(): void {}

  /** Puts the links for which the host's first record stands, which was just taken, in its place. */
  #unfold(host: Host, bytes: Buffer, at: number): void {
    const reference = host.first;
    const place = readPlace(bytes, at);
    let next = readNext(bytes, at);
    const links: WaitingLink[] = [];
    eachLink(this.#files!.read(place), (link) => links.push({ ...link }));
    // The one to be taken last is written first, so that each can name the one behind it.
    if (!this.#depthFirst) links.reverse();
    for (const [i, link] of links.entries()) {
      const room = this.#log.room();
      const length = copyRecord(room.bytes, room.at, link, next);
      next = this.#log.commit(length);
      if (i === 0 && host.last === reference) host.last = next;
    }
    host.first = next;
    this.#files!.release(place.file);
  }

  #nextOf(host: Host): number {
    return this.#depthFirst ? host.first : 0;
  }

  /** Makes the record just written, which stands for so many links, one of the host's. */
  #chain(host: Host, length: number, links: number): void {
    const wasEmpty = host.chained === 0;
    const isBehind = !this.#depthFirst && !wasEmpty;
    const reference = this.#log.commit(length, isBehind ? host.last : 0);
    if (!isBehind) host.first = reference;
    if (!this.#depthFirst) host.last = reference;
    host.chained += links;
    if (wasEmpty) this.onReady(host);
  }
}
