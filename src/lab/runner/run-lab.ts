import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, OrbweaverError } from "../../errors.ts";
import type { Experiment, LabRun } from "../experiment.ts";
import { EXPERIMENTS, type ExperimentEntry } from "../experiment-list.ts";
import { type Done, writeExperiment, writePages } from "./results.ts";
import type { StepLog } from "./step-log.ts";
import { type LabParameters, StoredRun } from "./stored-run.ts";
import { TimeLeft } from "./time-left.ts";

/** What to run, and whom to tell. */
export interface LabOptions extends LabParameters {
  readonly out: string;
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** What is being done, and how many seconds are left. */
  onProgress(text: string, secondsLeft: number): void;
  onDone(done: Done): void;
}

/** Runs experiments one after the other and writes their results; one that an interrupted run had finished is not run again. */
export async function runLab(
  entries: readonly ExperimentEntry[],
  options: LabOptions,
): Promise<Done[]> {
  const { out, signal, now, onProgress, onDone } = options;
  const { seed, size, repeat, graph, sync } = options;
  const parameters: LabParameters = { seed, size, repeat, graph, sync };
  mkdirSync(out, { recursive: true });
  const stored = new StoredRun(out, parameters);
  const experiments = await Promise.all(entries.map((entry) => entry.load()));
  const time = new TimeLeft(
    now,
    size,
    experiments.map(({ seconds }) => seconds),
  );
  const results: Done[] = [];
  for (const experiment of experiments) {
    time.begin(experiment.seconds);
    const tell = () => onProgress(`${experiment.name} ${time.steps}`.trim(), time.seconds);
    tell();
    const isKept = stored.isDone(experiment.name);
    if (!isKept) {
      const steps = stored.steps(experiment.name);
      const before = steps.all().reduce((sum, step) => sum + step.seconds, 0);
      const startMs = now();
      const findings = await withScratch((scratch) =>
        experiment.run(labRun({ ...parameters, scratch, signal, steps, time, now, tell })),
      );
      const seconds = Math.round(1000 * before + now() - startMs) / 1000;
      const runs = steps.all();
      stored.finish({ name: experiment.name, parameters, seconds, findings, runs }, steps);
    }
    const done = doneOf(experiment, stored, isKept)!;
    writeExperiment(out, done);
    results.push(done);
    onDone(done);
  }
  // The pages also show what earlier runs left in this folder.
  const all = await Promise.all(EXPERIMENTS.map((entry) => entry.load()));
  const known = experiments.filter((own) => !all.some(({ name }) => name === own.name));
  writePages(
    out,
    [...all, ...known].flatMap((experiment) => doneOf(experiment, stored, true) ?? []),
  );
  stored.end();
  return results;
}

function doneOf(experiment: Experiment, stored: StoredRun, isKept: boolean): Done | undefined {
  const found = stored.findings(experiment.name);
  return found === undefined ? undefined : { experiment, isKept, ...found };
}

async function withScratch<T>(work: (dir: string) => Promise<T>): Promise<T> {
  // Beside the system's other temporary files: results folders are copied and looked at.
  const scratch = mkdtempSync(join(tmpdir(), "orbweaver-lab-"));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface RunParts extends LabParameters {
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly steps: StepLog;
  readonly time: TimeLeft;
  now(): number;
  tell(): void;
}

function labRun({ repeat, steps, time, now, tell, ...given }: RunParts): LabRun {
  const { size, signal } = given;
  const pick = <T>(quick: T, normal: T, full: T): T => ({ quick, normal, full })[size];
  const asked = new Set<string>();
  return {
    ...given,
    pick,
    repeats: (quick, normal, full) => repeat ?? pick(quick, normal, full),
    plan: (count) => time.plan(count),
    async step<T>(key: string, work: () => T | Promise<T>): Promise<T> {
      // Two steps of one key would silently have one result.
      if (asked.has(key)) throw new OrbweaverError("OW_LAB", `there are two steps "${key}"`);
      asked.add(key);
      const isKept = steps.has(key);
      const finish = async () => {
        const startMs = now();
        const value = await work();
        return steps.put({ key, seconds: Math.round(now() - startMs) / 1000, value });
      };
      if (!isKept) {
        // Between steps, so that a single one is never lost half done; also lets a signal be heard at all.
        await new Promise((resolve) => setImmediate(resolve));
        if (signal.aborted) throw interrupted();
        tell();
      }
      const value = isKept ? steps.get(key) : await finish();
      if (signal.aborted) throw interrupted();
      time.stepped(isKept);
      return value as T;
    },
  };
}

function interrupted(): OrbweaverError {
  return new OrbweaverError(
    "OW_INTERRUPTED",
    "interrupted; the same command goes on where it stopped",
    EXIT.interrupted,
  );
}
