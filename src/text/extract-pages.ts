import { existsSync, truncateSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { StoreCorruptError } from "../errors.ts";
import { runWorker } from "../runtime/run-worker.ts";
import { pageRows } from "../store/export/page-rows.ts";
import { cutTornLine, JsonlFile, jsonLine, parseJson } from "../store/files/jsonl.ts";
import { linesAt } from "../store/files/read-file.ts";
import { removeIfThere } from "../store/files/system-calls.ts";
import type { PageLine } from "../store/lists/page-line.ts";
import type { LeftOutLine } from "./corpus-line.ts";
import type { TextWorkerData } from "./text-worker.ts";

/** How texts are extracted. */
export interface ExtractOptions {
  readonly isMarkdown: boolean;
  readonly threads: number;
  /** A page that takes longer is left out. */
  readonly pageMs: number;
  readonly onProgress?: ((pages: number) => void) | undefined;
}

/** Pages that a thread gets at once, and how many may wait for an earlier one. */
const BATCH = 8;
const MAX_AHEAD = 64;
/** Loading its libraries takes a thread a second or two; after this something is wrong. */
const MAX_START_MS = 120_000;
/** Texts of hostile pages must not take the memory of the machine. */
const resourceLimits = { maxOldGenerationSizeMb: 768 };

interface Task {
  readonly number: number;
  readonly page: PageLine;
}

/** A thread and what it has to do; `since` is when it began with the first of its tasks. */
interface Reader {
  readonly worker: Worker;
  isReady: boolean;
  tasks: Task[];
  since: number;
}

/**
 * Reads every page of a crawl on several threads and writes a line for each into `work`, in the order of the page list.
 * Goes on where an earlier call was interrupted. Answers how many pages were read now.
 */
export async function extractPages(
  dir: string,
  pages: string,
  work: string,
  options: ExtractOptions,
): Promise<number> {
  const header = jsonLine({
    format: "orbweaver-texts",
    version: 3,
    isMarkdown: options.isMarkdown,
  });
  const done = keepUsable(work, header, pages);
  const isNew = !existsSync(work);
  const file = new JsonlFile(work);
  if (isNew) file.writeLine(header);
  const extraction = new Extraction(dir, tasksOf(pages, done), file, done, options);
  try {
    return await extraction.run();
  } finally {
    await extraction.close();
    file.close();
  }
}

function* tasksOf(pages: string, from: number): Generator<Task, void> {
  let number = 0;
  for (const page of pageRows(pages)) {
    if (number >= from) yield { number, page };
    number++;
  }
}

/** Cuts the file behind the lines that agree with the page list; answers how many these are. */
function keepUsable(work: string, header: string, pages: string): number {
  if (!existsSync(work)) return 0;
  cutTornLine(work);
  const wanted = pageRows(pages);
  let done = 0;
  for (const [offset, line] of linesAt(work)) {
    if (offset === 0) {
      if (line === header) continue;
      removeIfThere(work);
      return 0;
    }
    const next = wanted.next();
    const id = (parseJson(line) as { id?: string } | undefined)?.id;
    if (next.done === true || next.value.id !== id) {
      truncateSync(work, offset);
      break;
    }
    done++;
  }
  if (done === 0) removeIfThere(work);
  return done;
}

class Extraction {
  readonly #dir: string;
  readonly #tasks: Iterator<Task, void>;
  readonly #file: JsonlFile;
  readonly #options: ExtractOptions;
  readonly #readers = new Set<Reader>();
  /** Tasks of threads that have died. */
  readonly #again: Task[] = [];
  /** Lines that wait for an earlier one. */
  readonly #waiting = new Map<number, string>();
  readonly #from: number;
  #next: number;
  #isExhausted = false;
  #resolve!: (pages: number) => void;
  #reject!: (fault: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    dir: string,
    tasks: Iterator<Task, void>,
    file: JsonlFile,
    from: number,
    options: ExtractOptions,
  ) {
    this.#dir = dir;
    this.#tasks = tasks;
    this.#file = file;
    this.#from = from;
    this.#next = from;
    this.#options = options;
  }

  run(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const first = this.#take();
      if (first.length === 0) {
        resolve(0);
        return;
      }
      this.#again.push(...first);
      for (let i = 0; i < this.#options.threads; i++) this.#startReader();
      const everyMs = Math.min(1000, this.#options.pageMs / 4);
      this.#timer = setInterval(() => this.#endSlow(), everyMs);
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const readers = [...this.#readers];
    this.#readers.clear();
    await Promise.all(readers.map(({ worker }) => worker.terminate()));
  }

  #startReader(): void {
    const workerData: TextWorkerData = { dir: this.#dir, isMarkdown: this.#options.isMarkdown };
    const module = new URL("./text-worker.js", import.meta.url);
    const running = runWorker(module, "text", { workerData, resourceLimits });
    const { worker } = running;
    const reader: Reader = { worker, isReady: false, tasks: [], since: performance.now() };
    this.#readers.add(reader);
    worker.on("message", (line: string) => this.#onMessage(reader, line));
    running.ended.catch((fault: unknown) => this.#onDeath(reader, fault));
  }

  #onMessage(reader: Reader, line: string): void {
    if (!this.#readers.has(reader)) return;
    try {
      if (reader.isReady) this.#keep(reader.tasks.shift()!, line);
      reader.isReady = true;
      reader.since = performance.now();
      if (reader.tasks.length === 0) this.#give(reader);
    } catch (fault) {
      this.#reject(fault);
    }
  }

  /** Gives a thread its next pages; one that finds none waits until others are done. */
  #give(reader: Reader): void {
    reader.tasks = this.#take();
    reader.since = performance.now();
    if (reader.tasks.length > 0) reader.worker.postMessage(reader.tasks.map(({ page }) => page));
    else this.#endIfDone();
  }

  #take(): Task[] {
    const tasks = this.#again.splice(0, BATCH);
    const limit = this.#next + MAX_AHEAD * this.#options.threads;
    while (tasks.length < BATCH && !this.#isExhausted && (tasks.at(-1)?.number ?? 0) < limit) {
      const { done, value } = this.#tasks.next();
      if (done === true) this.#isExhausted = true;
      else tasks.push(value);
      if (value !== undefined && value.number >= limit) break;
    }
    return tasks;
  }

  #keep({ number }: Task, line: string): void {
    this.#waiting.set(number, line);
    for (let next = this.#waiting.get(this.#next); next !== undefined; ) {
      this.#file.writeLine(next);
      this.#waiting.delete(this.#next++);
      next = this.#waiting.get(this.#next);
    }
    this.#options.onProgress?.(this.#next);
    for (const reader of this.#readers)
      if (reader.isReady && reader.tasks.length === 0) this.#give(reader);
  }

  #endIfDone(): void {
    const isIdle = [...this.#readers].every(({ tasks }) => tasks.length === 0);
    if (this.#isExhausted && isIdle && this.#again.length === 0 && this.#waiting.size === 0)
      this.#resolve(this.#next - this.#from);
  }

  #endSlow(): void {
    const now = performance.now();
    for (const reader of this.#readers) {
      const age = now - reader.since;
      if (!reader.isReady && age > MAX_START_MS)
        this.#reject(new Error("a thread for texts did not start"));
      if (reader.isReady && reader.tasks.length > 0 && age > this.#options.pageMs)
        this.#replace(reader, "time_limit");
    }
  }

  #onDeath(reader: Reader, fault: unknown): void {
    if (!this.#readers.has(reader)) return;
    const cause = (fault as Error).cause as NodeJS.ErrnoException | undefined;
    // Before it was ready it had no page that could be the reason; any other fault of ours is not a page's.
    if (!reader.isReady) this.#reject(cause ?? fault);
    else if (cause?.code === "ERR_WORKER_OUT_OF_MEMORY") this.#replace(reader, "memory_limit");
    else this.#reject(new StoreCorruptError(`no text of ${reader.tasks[0]?.page.url}`, cause));
  }

  /** The page that a thread was at is left out; the others of its tasks are read by a new one. */
  #replace(reader: Reader, leftOut: string): void {
    this.#readers.delete(reader);
    const [first, ...others] = reader.tasks;
    this.#again.push(...others);
    this.#startReader();
    if (first === undefined) return;
    const { id, url } = first.page;
    const line: LeftOutLine = { id, url, leftOut };
    void reader.worker.terminate();
    try {
      this.#keep(first, jsonLine(line));
      this.#endIfDone();
    } catch (fault) {
      this.#reject(fault);
    }
  }
}
