import { FRAMES, type Frame } from "../../crawl/frames.ts";
import { FrameReader } from "../../crawl/hand-off.ts";
import { placeRecords } from "../../crawl/journal-desk.ts";
import type { PlaceOfRecord } from "../../crawl/journal-port.ts";
import { EventBatch } from "../../frontier/journal/event-batch.ts";
import { BATCH_HEADER_BYTES } from "../../frontier/journal/journal-format.ts";
import { BytePipe } from "../../sync/byte-pipe.ts";
import type { Random } from "../../web/random.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimParts } from "./sim-parts.ts";

interface Source {
  frames: FrameReader;
  unanswered: number;
  readonly places: number[];
  /** Records whose places the crawler wants to know. */
  asked: PlaceOfRecord[];
}

const PLACE = { file: "archive", length: 1 };

type Step = () => void;

/** The builder thread: reads frames out of the crawlers' pipes and commits in steps, between which the power may fail. */
export class SimBuilder {
  readonly #disk: SimDisk;
  readonly #parts: SimParts;
  readonly #stored: Int32Array;
  readonly #sources: Source[];
  readonly #batches = new Map<number, EventBatch>();
  readonly #tell: (thread: number, places: readonly PlaceOfRecord[]) => void;
  #steps: Step[] = [];

  constructor(
    disk: SimDisk,
    parts: SimParts,
    pipes: readonly SharedArrayBuffer[],
    stored: Int32Array,
    tell: (thread: number, places: readonly PlaceOfRecord[]) => void,
  ) {
    this.#tell = tell;
    this.#disk = disk;
    this.#parts = parts;
    this.#stored = stored;
    this.#sources = pipes.map(source);
  }

  /** True between the first and the last step of a commit. */
  get isCommitting(): boolean {
    return this.#steps.length > 0;
  }

  /** Does one thing: reads a frame, begins a commit or goes on with one. */
  step(random: Random): void {
    if (this.isCommitting) this.#steps.shift()!();
    else if (random.below(4) > 0) this.#read(random.below(this.#sources.length));
    else this.#begin();
  }

  /** Commits everything that arrived whole. */
  commit(): void {
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) step();
    for (const thread of this.#sources.keys()) while (this.#read(thread));
    this.#begin();
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) step();
  }

  /** A crawler is dead: what it handed over whole is committed; the next one uses a new pipe. */
  crawlerDied(thread: number, pipe: SharedArrayBuffer): void {
    this.commit();
    this.#sources[thread] = source(pipe);
  }

  #read(thread: number): boolean {
    const from = this.#sources[thread]!;
    const frame = from.frames.next();
    if (frame === undefined) return from.frames.roomMade() > 0;
    this.#take(from, frame);
    from.frames.roomMade();
    from.unanswered++;
    if (this.#parts.answers === "when read") this.#answer();
    return true;
  }

  #take({ places, asked }: Source, { kind, parts }: Frame): void {
    if (kind === FRAMES.capture) {
      places.push(this.#disk.records.push(parts[0]!.toString("latin1")) - 1);
    } else if (kind === FRAMES.journal) {
      const shard = parts[0]!.readUInt16LE(0);
      const batch = this.#batches.get(shard) ?? new EventBatch(1024);
      this.#batches.set(shard, batch);
      placeRecords(batch, parts[1]!, (record) => {
        return { ...PLACE, offset: places[record]! };
      });
    } else if (kind === FRAMES.askPlace) {
      const record = parts[0]!.readUInt32LE(0);
      asked.push([record, { ...PLACE, offset: places[record]! }]);
    }
  }

  /** Records first, then the journals that speak of them, then the answers: as in `crawl/build-worker.ts`. */
  #begin(): void {
    const disk = this.#disk;
    const records = disk.records.length;
    const archive = () => {
      disk.recordsSynced = records;
    };
    const shards = [...this.#batches.keys()];
    this.#steps = [
      ...shards.map((shard) => () => this.#append(shard)),
      ...shards.map((shard) => () => {
        disk.synced[shard] = disk.journals[shard]!.length;
      }),
    ];
    if (this.#parts.commits === "archive first") this.#steps.unshift(archive);
    else this.#steps.push(archive);
    this.#steps.push(() => this.#answer());
  }

  #append(shard: number): void {
    const batch = this.#batches.get(shard)!;
    this.#batches.delete(shard);
    const bytes = batch.finish();
    const events = bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + batch.eventBytes);
    this.#disk.journals[shard]!.push(Buffer.from(events));
  }

  #answer(): void {
    for (const [thread, from] of this.#sources.entries()) {
      this.#stored[thread]! += from.unanswered;
      from.unanswered = 0;
      if (from.asked.length > 0) this.#tell(thread, from.asked);
      from.asked = [];
    }
  }
}

function source(pipe: SharedArrayBuffer): Source {
  return { frames: new FrameReader(new BytePipe(pipe)), unanswered: 0, places: [], asked: [] };
}
