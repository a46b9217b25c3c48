import { closeSync, openSync, writeSync } from "node:fs";
import { DiskFullError, diskFault } from "../../../errors.ts";
import type { StepReport } from "./superstep-machine.ts";

/** Characters that are collected before they are written: few calls, since they happen on a crawler's event loop. */
const MAX_WAITING = 1 << 13;

/**
 * Writes reports/supersteps.jsonl: a line for every step in which a thread of this worker did anything. All threads append
 * whole lines to one file. What a full disk does not take is written later, or lost with the process.
 */
export class StepFile {
  readonly #file: string;
  readonly #fd: number;
  readonly #worker: string;
  readonly #thread: number;
  #lines = "";

  constructor(file: string, worker: string, thread: number) {
    this.#file = file;
    this.#worker = worker;
    this.#thread = thread;
    this.#fd = openSync(file, "a");
  }

  write({ step, ...figures }: StepReport): void {
    const line = { step, worker: this.#worker, thread: this.#thread, ...rounded(figures) };
    this.#lines += `${JSON.stringify(line)}\n`;
    if (this.#lines.length >= MAX_WAITING) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#fd);
  }

  #flush(): void {
    try {
      if (this.#lines !== "") writeSync(this.#fd, this.#lines);
      this.#lines = "";
    } catch (error) {
      const fault = diskFault(error, this.#file);
      if (!(fault instanceof DiskFullError)) throw fault;
    }
  }
}

function rounded<T extends { durationMs: number; barrierMs: number }>(figures: T): T {
  const round = (value: number) => Math.round(100 * value) / 100;
  return { ...figures, durationMs: round(figures.durationMs), barrierMs: round(figures.barrierMs) };
}
