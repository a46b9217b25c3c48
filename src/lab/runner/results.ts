import { writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { packageVersion } from "../../config/version.ts";
import type { Experiment } from "../experiment.ts";
import { labMarkdown } from "./lab-markdown.ts";
import { labPage } from "./lab-page.ts";
import { type StoredFindings, writeWhole } from "./stored-run.ts";

/** An experiment with what it found. */
export interface Done extends StoredFindings {
  readonly experiment: Experiment;
  /** Whether an interrupted run had done it. */
  readonly isKept: boolean;
}

/** The machine that measured. */
export function machineFacts(): Record<string, unknown> {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? "unknown",
    cores: cpus.length,
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()}`,
    load1: Math.round(os.loadavg()[0]! * 100) / 100,
  };
}

/** What measured. */
export function versionFacts(): Record<string, string> {
  return { orbweaver: packageVersion(), node: process.versions.node, v8: process.versions.v8 };
}

/** Writes NAME.json, NAME.md and NAME-*.svg. */
export function writeExperiment(out: string, done: Done): void {
  const { name, parameters, findings } = done;
  const result = {
    name,
    seed: parameters.seed,
    quick: parameters.size === "quick",
    tables: findings.tables,
    runs: done.runs ?? [],
    machine: machineFacts(),
    versions: versionFacts(),
  };
  writeWhole(join(out, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
  for (const plot of findings.plots) writeFileSync(join(out, plotFile(name, plot.name)), plot.svg);
  for (const file of findings.files ?? [])
    writeFileSync(join(out, `${name}-${file.name}`), file.text);
  writeFileSync(join(out, `${name}.md`), labMarkdown([done], plotFile));
}

/** Writes lab.html and lab.md about all experiments of the folder. */
export function writePages(out: string, all: readonly Done[]): void {
  const facts = { ...machineFacts(), ...versionFacts() };
  writeWhole(join(out, "lab.html"), labPage(all, facts));
  writeWhole(join(out, "lab.md"), labMarkdown(all, plotFile));
}

/** The file of a plot. */
export function plotFile(experiment: string, plot: string): string {
  return `${experiment}-${plot}.svg`;
}
