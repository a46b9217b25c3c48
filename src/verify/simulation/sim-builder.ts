import { placeRecords } from "../../crawl/builder/journal-writers.ts";
import { BufferReader } from "../../crawl/hand-off/buffer-reader.ts";
import { FRAMES, type Frame } from "../../crawl/hand-off/frames.ts";
import type { PlaceOfRecord } from "../../crawl/hand-off/hand-off-port.ts";
import { EventBatch } from "../../frontier/journal/event-batch.ts";
import { BATCH_HEADER_BYTES } from "../../frontier/journal/journal-format.ts";
import type { HandOffBuffer } from "../../sync/hand-off-buffer.ts";
import type { Random } from "../../web/seeded-random.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimMemory } from "./sim-memory.ts";
import type { SimParts } from "./sim-parts.ts";

interface Source {
  readonly thread: number;
  unanswered: number;
  places: number[];
  /** Records whose places the crawler wants to know. */
  asked: PlaceOfRecord[];
}

/** A buffer and its crawlers, in the order of their lanes. */
interface Intake {
  readonly buffer: HandOffBuffer;
  readonly reader: BufferReader;
  readonly lanes: Source[];
}

const PLACE = { file: "archive", length: 1 };

type Step = () => void;

/** The builder thread: reads records out of the crawlers' buffers and commits in steps, between which the power may fail. */
export class SimBuilder {
  readonly #disk: SimDisk;
  readonly #parts: SimParts;
  readonly #memory: SimMemory;
  readonly #together: boolean;
  readonly #intakes: Intake[];
  readonly #batches = new Map<number, EventBatch>();
  readonly #tell: (thread: number, places: readonly PlaceOfRecord[]) => void;
  #steps: Step[] = [];

  constructor(
    disk: SimDisk,
    parts: SimParts,
    memory: SimMemory,
    together: boolean,
    tell: (thread: number, places: readonly PlaceOfRecord[]) => void,
  ) {
    this.#tell = tell;
    this.#disk = disk;
    this.#parts = parts;
    this.#memory = memory;
    this.#together = together;
    this.#intakes = Array.from({ length: memory.buffers.count }, (_, number) => {
      const buffer = memory.bufferAt(number);
      const lanes = memory.buffers.crawlersOf(number).map(source);
      return { buffer, reader: new BufferReader(buffer), lanes };
    });
  }

  /** True between the first and the last step of a commit. */
  get isCommitting(): boolean {
    return this.#steps.length > 0;
  }

  /** Does one thing: reads a little, begins a commit or goes on with one. */
  step(random: Random): void {
    if (this.isCommitting) this.#steps.shift()!();
    else if (random.below(4) > 0) this.#read(random.below(this.#intakes.length), false);
    else this.#begin();
  }

  /** Reads a little of every buffer, unless it commits; false when there is nothing. */
  read(): boolean {
    if (this.isCommitting) return false;
    return [...this.#intakes.keys()].map((number) => this.#read(number, false)).includes(true);
  }

  /** The next step of a commit, or the beginning of one; false when there is nothing to commit. */
  goOn(): boolean {
    const waits = this.#intakes.some(({ lanes }) => lanes.some(({ unanswered }) => unanswered > 0));
    if (this.isCommitting) this.#steps.shift()!();
    else if (waits) this.#begin();
    return waits || this.isCommitting;
  }

  /** Commits everything that arrived whole. */
  commit(): void {
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) step();
    for (const intake of this.#intakes.keys()) while (this.#read(intake, true));
    this.#begin();
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) step();
  }

  /** A crawler is dead: what it put whole is committed, what it held of its buffer is free again. */
  crawlerDied(thread: number): void {
    const { buffers } = this.#memory;
    const { buffer, reader, lanes } = this.#intakes[buffers.bufferOf(thread)]!;
    const lane = buffers.laneOf(thread);
    buffer.reclaim(lane);
    if (this.#parts.storesLeft) this.commit();
    reader.forget(lane);
    Object.assign(lanes[lane]!, source(thread));
  }

  /** With "full" a buffer is left alone until somebody calls, unless it is to be emptied anyway. */
  #read(number: number, anyway: boolean): boolean {
    const { buffer, reader, lanes } = this.#intakes[number]!;
    const isDue = reader.isReading || buffer.takeCall() !== 0;
    if (this.#together && !anyway && !isDue) return false;
    if (!reader.take()) return false;
    const { counts } = reader.read(anyway ? Number.POSITIVE_INFINITY : 1, (frame, lane) =>
      this.#take(lanes[lane]!, frame),
    );
    for (const [lane, from] of lanes.entries()) from.unanswered += counts[lane]!;
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
    for (const from of this.#intakes.flatMap(({ lanes }) => lanes)) {
      this.#memory.stored[from.thread]! += from.unanswered;
      from.unanswered = 0;
      if (from.asked.length > 0) this.#tell(from.thread, from.asked);
      from.asked = [];
    }
  }
}

function source(thread: number): Source {
  return { thread, unanswered: 0, places: [], asked: [] };
}
