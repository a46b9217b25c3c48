import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../config/version.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import type { Findings, LabSize } from "../experiment.ts";
import { type DoneStep, StepLog } from "./step-log.ts";

/** What decides the results of a run; a run with others begins anew. */
export interface LabParameters {
  readonly seed: number;
  readonly size: LabSize;
  readonly repeat: number | undefined;
  readonly graph: string | undefined;
  readonly sync: string | undefined;
}

/** An experiment that is done. */
export interface StoredFindings {
  readonly name: string;
  readonly parameters: LabParameters;
  /** Of all parts, if it was interrupted. */
  readonly seconds: number;
  readonly findings: Findings;
  /** What every step came to: all runs behind the tables. */
  readonly runs: readonly DoneStep[];
}

/** The `state/` of a results folder: what is done of the run that goes on, and the findings that the pages are made of. */
export class StoredRun {
  readonly #dir: string;
  readonly #run: string;
  readonly #done: Set<string>;

  /** Goes on with the run in this folder, if it was interrupted and had the same parameters. */
  constructor(out: string, parameters: LabParameters) {
    this.#dir = join(out, "state");
    this.#run = join(this.#dir, "run.json");
    mkdirSync(this.#dir, { recursive: true });
    const key = JSON.stringify({ ...parameters, version: packageVersion() });
    const before = readJson(this.#run) as { key?: string; done?: string[] } | undefined;
    const goesOn = before?.key === key;
    this.#done = new Set(goesOn ? before.done : []);
    this.#key = key;
    this.goesOn = goesOn;
    this.#save();
  }

  readonly #key: string;
  /** Whether an interrupted run is continued. */
  readonly goesOn: boolean;

  isDone(name: string): boolean {
    return this.#done.has(name) && existsSync(this.#file(name));
  }

  /** The steps of an experiment; those of a run with other parameters are forgotten. */
  steps(name: string): StepLog {
    const log = new StepLog(join(this.#dir, `${name}.steps.jsonl`));
    if (!this.goesOn) log.remove();
    return log;
  }

  /** Stores an experiment that is done. */
  finish(stored: StoredFindings, steps: StepLog): void {
    writeWhole(this.#file(stored.name), `${JSON.stringify(stored)}\n`);
    this.#done.add(stored.name);
    this.#save();
    steps.remove();
  }

  /** The findings of an experiment, of this run or of an earlier one; undefined if there are none. */
  findings(name: string): StoredFindings | undefined {
    return readJson(this.#file(name)) as StoredFindings | undefined;
  }

  /** Everything that was asked for is done: the next run begins anew. */
  end(): void {
    rmSync(this.#run, { force: true });
  }

  #file(name: string): string {
    return join(this.#dir, `${name}.findings.json`);
  }

  #save(): void {
    writeWhole(this.#run, `${JSON.stringify({ key: this.#key, done: [...this.#done] })}\n`);
  }
}

/** Writes a file so that it is there whole or not at all. */
export function writeWhole(path: string, text: string): void {
  replaceFile(path, (file) => file.write(Buffer.from(text)));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // missing, or cut off by a kill: as if it had not been written
  }
}
