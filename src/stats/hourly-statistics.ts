import { DiskFullError } from "../errors.ts";
import { JsonlFile, jsonLine } from "../store/files/jsonl.ts";

/** How much went into something and came out of it, since the start. */
export interface Flow {
  readonly added: number;
  readonly removed: number;
}

/** What the crawl has done since its start. */
export interface FlowSample {
  /** Pages stored. */
  readonly stored: number;
  /** Frontier of each crawler thread. */
  readonly queues: readonly Flow[];
  /** Hand-off of each crawler thread to its builder. */
  readonly buffers: readonly Flow[];
}

/**
 * Writes reports/hourly_statistics.jsonl: a line per interval with what was stored, and what was added to and removed
 * from every queue and every buffer in it. The last line is the rest of an interval, so the lines add up to the crawl.
 */
export class HourlyStatistics {
  readonly #writer: JsonlFile;
  readonly #everyMs: number;
  #since: number;
  #isLast = false;
  #before: FlowSample = { stored: 0, queues: [], buffers: [] };

  constructor(path: string, everyMs: number, nowMs: number) {
    this.#writer = new JsonlFile(path);
    this.#everyMs = everyMs;
    this.#since = nowMs;
  }

  /** Writes a line if the interval is over; `sample` is asked for only then. On a full disk the line waits. */
  tick(nowMs: number, wallMs: number, sample: () => FlowSample): void {
    if (nowMs - this.#since < this.#everyMs) return;
    this.#add(nowMs, wallMs, sample());
    try {
      this.#writer.flush();
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
    }
  }

  /** Writes the last line and closes the file; may be repeated after a DiskFullError. */
  close(nowMs: number, wallMs: number, sample: FlowSample): void {
    if (!this.#isLast) this.#add(nowMs, wallMs, sample);
    this.#isLast = true;
    this.#writer.close();
  }

  /** Closes the file as it is; does nothing after `close`. */
  abandon(): void {
    this.#writer.abandon();
  }

  #add(nowMs: number, wallMs: number, sample: FlowSample): void {
    const before = this.#before;
    const line = {
      time: new Date(wallMs).toISOString(),
      seconds: Math.round(nowMs - this.#since) / 1000,
      stored: sample.stored - before.stored,
      queues: differences(sample.queues, before.queues),
      buffers: differences(sample.buffers, before.buffers),
    };
    this.#writer.hold(jsonLine(line));
    this.#since = nowMs;
    this.#before = sample;
  }
}

function differences(now: readonly Flow[], before: readonly Flow[]): Flow[] {
  return now.map(({ added, removed }, i) => ({
    added: added - (before[i]?.added ?? 0),
    removed: removed - (before[i]?.removed ?? 0),
  }));
}
