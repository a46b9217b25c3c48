import { existsSync } from "node:fs";
import { DiskFullError } from "../errors.ts";
import { JsonlFile, jsonLine, parseJson } from "../store/files/jsonl.ts";
import { readLines } from "../store/files/read-file.ts";

/** How much went into something and came out of it, since the start. */
export interface Flow {
  readonly added: number;
  readonly removed: number;
}

/** What the crawl has done, in all its runs. */
export interface FlowSample {
  /** Pages stored. */
  readonly stored: number;
  /** Bytes of bodies received. */
  readonly bytes: number;
  /** Frontier of each crawler thread. */
  readonly queues: readonly Flow[];
  /** Pages in each hand-off buffer; of this run. */
  readonly buffers: readonly Flow[];
}

/** One line of reports/hourly_statistics.jsonl. */
export interface HourlyLine {
  readonly time: string;
  /** Number of the run, from 1 on. */
  readonly run: number;
  readonly seconds: number;
  /** Pages stored in the interval, and in all so far. */
  readonly stored: number;
  readonly pages: number;
  /** Bytes received in the interval. */
  readonly bytes: number;
  readonly queues: readonly Flow[];
  readonly buffers: readonly Flow[];
}

/** What the lines of a file add up to. */
export interface HourlySums {
  readonly stored: number;
  readonly bytes: number;
  readonly added: number;
  readonly removed: number;
}

const NOTHING: HourlySums = { stored: 0, bytes: 0, added: 0, removed: 0 };

/** Which run a line tells of, and how long it took if it was killed. */
export interface HourlyRun {
  readonly run: number;
  /** Of the run before, as far as its lines do not tell; 0 if it ended in order. */
  readonly lostSeconds: number;
}

/**
 * Writes reports/hourly_statistics.jsonl: a line per interval with what was stored, and what was added to and removed
 * from every queue and every buffer in it. The last line of a run is the rest of an interval. A run that was killed could
 * not write it: the next one writes what is missing as a line of that run, so the lines of all runs add up to the crawl.
 */
export class HourlyStatistics {
  readonly #path: string;
  readonly #writer: JsonlFile;
  readonly #everyMs: number;
  #run = 1;
  #since: number;
  #isLast = false;
  /** Undefined until the threads have read what earlier runs did. */
  #before: FlowSample | undefined;

  constructor(path: string, everyMs: number, nowMs: number) {
    this.#path = path;
    this.#writer = new JsonlFile(path);
    this.#everyMs = everyMs;
    this.#since = nowMs;
  }

  /** The threads have read what earlier runs did: `sample`. Before that nothing is written. */
  begin({ run, lostSeconds }: HourlyRun, wallMs: number, sample: FlowSample): void {
    this.#run = run;
    this.#before = sample;
    const told = run > 1 ? sumHourly(this.#path) : NOTHING;
    const { added, removed } = totalOf(sample.queues);
    const missed = { added: added - told.added, removed: removed - told.removed };
    const stored = sample.stored - told.stored;
    const bytes = sample.bytes - told.bytes;
    if (stored === 0 && bytes === 0 && missed.added === 0 && missed.removed === 0) return;
    this.#hold({
      time: new Date(wallMs).toISOString(),
      run: run - 1,
      seconds: lostSeconds,
      stored,
      pages: sample.stored,
      bytes,
      queues: [missed],
      buffers: [],
    });
  }

  /** Writes a line if the interval is over; `sample` is asked for only then. On a full disk the line waits. */
  tick(nowMs: number, wallMs: number, sample: () => FlowSample): void {
    if (nowMs - this.#since < this.#everyMs || this.#before === undefined) return;
    this.#add(nowMs, wallMs, sample(), this.#before);
    try {
      this.#writer.flush();
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
    }
  }

  /** Writes the last line and closes the file; may be repeated after a DiskFullError. */
  close(nowMs: number, wallMs: number, sample: FlowSample): void {
    if (!this.#isLast && this.#before !== undefined) this.#add(nowMs, wallMs, sample, this.#before);
    this.#isLast = true;
    this.#writer.close();
  }

  /** Closes the file as it is; does nothing after `close`. */
  abandon(): void {
    this.#writer.abandon();
  }

  #add(nowMs: number, wallMs: number, sample: FlowSample, before: FlowSample): void {
    this.#hold({
      time: new Date(wallMs).toISOString(),
      run: this.#run,
      seconds: Math.round(nowMs - this.#since) / 1000,
      stored: sample.stored - before.stored,
      pages: sample.stored,
      bytes: sample.bytes - before.bytes,
      queues: differences(sample.queues, before.queues),
      buffers: differences(sample.buffers, before.buffers),
    });
    this.#since = nowMs;
    this.#before = sample;
  }

  #hold(line: HourlyLine): void {
    this.#writer.hold(jsonLine(line));
  }
}

/** What all lines of a file add up to; what is no line of ours counts nothing. */
export function sumHourly(path: string): HourlySums {
  const sums = { ...NOTHING };
  if (!existsSync(path)) return sums;
  for (const text of readLines(path)) {
    const line = parseJson(text) as Partial<HourlyLine> | undefined;
    if (line === undefined || line === null) continue;
    sums.stored += line.stored ?? 0;
    sums.bytes += line.bytes ?? 0;
    const { added, removed } = totalOf(line.queues ?? []);
    sums.added += added;
    sums.removed += removed;
  }
  return sums;
}

function totalOf(flows: readonly Flow[]): Flow {
  let added = 0;
  let removed = 0;
  for (const flow of flows) {
    added += flow.added;
    removed += flow.removed;
  }
  return { added, removed };
}

function differences(now: readonly Flow[], before: readonly Flow[]): Flow[] {
  return now.map(({ added, removed }, i) => ({
    added: added - (before[i]?.added ?? 0),
    removed: removed - (before[i]?.removed ?? 0),
  }));
}
