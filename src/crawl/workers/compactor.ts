import { listJournals, type ShardFiles } from "../../frontier/journal/journal-listing.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { tailOf } from "./journal-tail.ts";

/** A snapshot is made when the closed segments behind the last one are at least this large. */
const MIN_BYTES = 32 * 1024 * 1024;
/** However small they are: every death and every run begins segments, and who takes over opens all of them. */
const MAX_SEGMENTS = 16;

/** Where the journals are, and the seeds of their fingerprints. */
export interface CompactorOptions {
  readonly folder: string;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly leastBytes?: number;
}

/** Decides when a shard's journal is folded into a snapshot, and has that done in a thread of its own, one at a time. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #module = new URL("./compact-worker.js", import.meta.url);
  #running: (RunningWorker & { readonly shard: number; readonly upTo: number }) | undefined;
  #closed = new Map<number, number>();
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** A builder has closed these segments. */
  onClosed(closed: readonly (readonly [shard: number, segment: number])[]): void {
    for (const [shard, segment] of closed) this.#closed.set(shard, segment);
    this.#next();
  }

  /** Ends: what runs is broken off, because a crawl that was told to stop has no time for it. */
  async close(): Promise<void> {
    await this.makeWay(() => true);
  }

  /**
   * For a thread that wants to read some shards: no compaction begins until `go`, and one of these shards is broken off,
   * which leaves everything as it was; one of another shard goes on.
   */
  async makeWay(isWanted: (shard: number) => boolean): Promise<void> {
    this.#stopped = true;
    const running = this.#running;
    if (running === undefined || !isWanted(running.shard)) return;
    this.#closed.set(running.shard, running.upTo);
    await running.worker.terminate();
    await running.ended.catch(() => {});
  }

  go(): void {
    this.#stopped = false;
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined || this.#stopped || this.#closed.size === 0) return;
    const listed = listJournals(this.#options.folder);
    for (const [shard, upTo] of this.#closed) {
      this.#closed.delete(shard);
      if (!this.#isDue(shard, upTo, listed(shard))) continue;
      const workerData = { ...this.#options, shard, upTo };
      const name = `compactor of shard ${shard}`;
      this.#running = { ...runWorker(this.#module, name, { workerData }), shard, upTo };
      // A compaction that fails leaves everything as it was; the next one tries again.
      void this.#running.ended.catch(() => {}).then(() => this.#ended());
      return;
    }
  }

  #ended(): void {
    this.#running = undefined;
    this.#next();
  }

  #isDue(shard: number, upTo: number, files: ShardFiles): boolean {
    const { folder, leastBytes = MIN_BYTES } = this.#options;
    const { segments, bytes, snapshotBytes } = tailOf(folder, shard, files, upTo);
    return segments >= MAX_SEGMENTS || isWorthFolding(bytes, snapshotBytes, leastBytes);
  }
}

/**
 * A fold goes over the last snapshot, too. It waits until there is half as much to add, so that all folds together go
 * over three times what the crawl has written, however long it is.
 */
export function isWorthFolding(
  bytes: number,
  snapshotBytes: number,
  leastBytes = MIN_BYTES,
): boolean {
  return bytes >= Math.max(leastBytes, snapshotBytes / 2);
}
