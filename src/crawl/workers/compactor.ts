import { listJournals, type ShardFiles } from "../../frontier/journal/journal-listing.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import type { HeldLease } from "../../store/folder/lease.ts";
import { tailOf } from "./journal-tail.ts";

/** A snapshot is made when the closed segments behind the last one are at least this large. */
const MIN_BYTES = 32 * 1024 * 1024;
/** Or when there are this many of them: every death and every run begins new ones, and a successor opens them all. */
const MAX_SEGMENTS = 16;

/** Where the journals are, and the seeds of their fingerprints. */
export interface CompactorOptions {
  readonly folder: string;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Journals from this size on are folded. */
  readonly minBytes?: number | undefined;
  /** By which the folder is this process's. */
  readonly lease?: HeldLease | undefined;
}

/** Decides when a shard's journal is folded into a snapshot, and runs that in a thread of its own, one at a time. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #module = new URL("./compact-worker.js", import.meta.url);
  #running: (RunningWorker & { readonly shard: number; readonly upTo: number }) | undefined;
  #closed = new Map<number, number>();
  #isPaused = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** A builder has closed these segments. */
  onClosed(closed: readonly (readonly [shard: number, segment: number])[]): void {
    for (const [shard, segment] of closed) this.#closed.set(shard, segment);
    this.#next();
  }

  /** Breaks off what runs: a crawl that ends does not wait for it. */
  async close(): Promise<void> {
    await this.pause(() => true);
  }

  /**
   * Before a thread reads some shards: no compaction begins until `resume`, and a running one of these shards is broken
   * off, which changes nothing on disk. One of another shard continues.
   */
  async pause(isWanted: (shard: number) => boolean): Promise<void> {
    this.#isPaused = true;
    const running = this.#running;
    if (running === undefined || !isWanted(running.shard)) return;
    this.#closed.set(running.shard, running.upTo);
    await running.worker.terminate();
    await running.ended.catch(() => {});
  }

  resume(): void {
    this.#isPaused = false;
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined || this.#isPaused || this.#closed.size === 0) return;
    const listed = listJournals(this.#options.folder);
    for (const [shard, upTo] of this.#closed) {
      this.#closed.delete(shard);
      if (!this.#isDue(shard, upTo, listed(shard))) continue;
      const workerData = { ...this.#options, shard, upTo };
      const name = `compactor of shard ${shard}`;
      this.#running = { ...runWorker(this.#module, name, { workerData }), shard, upTo };
      // A compaction that fails leaves everything as it was; the next one tries again.
      void this.#running.ended
        .catch(() => {})
        .then(() => {
          this.#running = undefined;
          this.#next();
        });
      return;
    }
  }

  #isDue(shard: number, upTo: number, files: ShardFiles): boolean {
    const { folder, minBytes } = this.#options;
    const { segments, bytes, snapshotBytes } = tailOf(folder, shard, files, upTo);
    return segments >= MAX_SEGMENTS || isWorthFolding(bytes, snapshotBytes, minBytes);
  }
}

/**
 * A fold also reads the last snapshot. It waits until there is half as much to add, so that all folds together read
 * three times what the crawl has written, however long it runs.
 */
export function isWorthFolding(
  bytes: number,
  snapshotBytes: number,
  minBytes = MIN_BYTES,
): boolean {
  return bytes >= Math.max(minBytes, snapshotBytes / 2);
}
