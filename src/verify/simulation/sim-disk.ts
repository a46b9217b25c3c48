import type { ControlChange } from "../../crawl/control/control-change.ts";
import type { EventBytes } from "../../frontier/journal/event-cursor.ts";

/** Where a cut goes through: how many batches of each shard and how many records are left. */
export interface Cut {
  readonly batches: readonly number[];
  readonly records: number;
}

/** What is on the disk, as journals of batches and an archive of records; some of the last ones are not synced. */
export class SimDisk {
  readonly journals: Buffer[][];
  readonly synced: number[];
  readonly records: string[] = [];
  recordsSynced = 0;
  /** Number of the newest run of a thread; written durably before it begins. */
  epoch = 0;
  /** The log of changes by hand: each is synced before it is obeyed. */
  readonly controls: ControlChange[] = [];

  constructor(shards: number) {
    this.journals = Array.from({ length: shards }, () => []);
    this.synced = this.journals.map(() => 0);
  }

  /** The batches of a shard, as the fold takes them. */
  *batches(shard: number): Generator<EventBytes & { sequence: number }> {
    for (const [i, bytes] of this.journals[shard]!.entries()) {
      const file = `shard ${shard}`;
      yield { bytes, from: 0, to: bytes.length, file, offset: 0, sequence: i + 1 };
    }
  }

  /** Everything, as a process that is killed leaves it. */
  get all(): Cut {
    return { batches: this.journals.map((j) => j.length), records: this.records.length };
  }

  /** Only what is synced. */
  get safe(): Cut {
    return { batches: [...this.synced], records: this.recordsSynced };
  }

  /** The disk after a loss: what is left counts as synced, because the next run syncs it before it builds on it. */
  after(cut: Cut): SimDisk {
    const left = new SimDisk(this.journals.length);
    for (const [shard, count] of cut.batches.entries()) {
      left.journals[shard] = this.journals[shard]!.slice(0, count);
      left.synced[shard] = count;
    }
    left.records.push(...this.records.slice(0, cut.records));
    left.recordsSynced = cut.records;
    left.epoch = this.epoch;
    left.controls.push(...this.controls);
    return left;
  }
}
