import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelCheckerError } from "../../errors.ts";

/** What one search of a model cost and found. */
export interface ModelFigures {
  readonly states: number;
  readonly transitions: number;
  /** CPU of the search, and of translating and compiling it when no earlier question had done that. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
  readonly complete: boolean;
  /** What the search stopped at; null when nothing is wrong. */
  readonly violation: string | null;
  /** The steps that lead there, a line each. */
  readonly trail: readonly string[];
}

/** How a model is checked. */
export interface Question {
  readonly flags: readonly string[];
  readonly formula?: string;
  readonly ignoresEnds?: boolean;
}

/** Steps of one path that a search may take; the models need some hundred. */
const DEPTH = 100_000;
/** Log2 of the slots of the table of states. */
const TABLE = 22;

/**
 * Searches of life-cycle.pml. What was translated and compiled for one question serves the next one that differs in
 * its formula only; the first one pays for it.
 */
export class ModelSearches {
  readonly #models: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "orbweaver-model-"));
  readonly #compiled = new Map<string, string>();

  constructor(models: string) {
    this.#models = models;
  }

  run(question: Question, mutant: readonly string[]): ModelFigures {
    const flags = [...question.flags, ...mutant].map((flag) => `-D${flag}`);
    const { formula } = question;
    const kind = formula === undefined ? ["-DSAFETY", "-DNOCLAIM"] : ["-DNOFAIR"];
    const key = [...kind, ...flags].join(" ");
    let cpuSeconds = 0;
    let folder = this.#compiled.get(key);
    if (folder === undefined) {
      folder = mkdtempSync(join(this.#folder, "search-"));
      cpuSeconds = this.#compile(folder, flags, kind);
      this.#compiled.set(key, folder);
    }
    const how = formula === undefined ? [] : ["-a", "-N", formula];
    if (question.ignoresEnds) how.push("-E");
    const search = timed(folder, ["./pan", "-n", `-m${DEPTH}`, `-w${TABLE}`, ...how]);
    if (!search.output.includes("State-vector"))
      mustSucceed({ ...search, status: 1 }, "the search");
    cpuSeconds += search.cpuSeconds;
    const figures = figuresOf(search.output);
    const trail = figures.violation === null ? [] : this.#trail(folder, flags);
    return { ...figures, trail, cpuSeconds: Math.round(cpuSeconds * 100) / 100 };
  }

  /** Follows the trail that a search has left, with the names of processes and the statements of the model. */
  #trail(folder: string, flags: readonly string[]): string[] {
    const file = readdirSync(folder).find((name) => name.endsWith(".trail"));
    if (file === undefined) return [];
    const model = join(this.#models, "life-cycle.pml");
    const { output } = timed(folder, ["spin", "-p", "-k", join(folder, file), ...flags, model]);
    rmSync(join(folder, file), { force: true });
    return trailLines(output);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #compile(folder: string, flags: readonly string[], kind: readonly string[]): number {
    const model = join(this.#models, "life-cycle.pml");
    const translate = timed(folder, ["spin", "-a", ...flags, model]);
    mustSucceed(translate, "spin");
    const compile = timed(folder, ["cc", "-O2", "-w", ...kind, "-o", "pan", "pan.c"]);
    mustSucceed(compile, "cc");
    return translate.cpuSeconds + compile.cpuSeconds;
  }
}

interface Timed {
  readonly output: string;
  readonly status: number | null;
  readonly cpuSeconds: number;
}

/** The shell's `times` is the one portable way to learn what a child cost. */
function timed(cwd: string, command: readonly string[]): Timed {
  const script = '"$@"; status=$?; echo; times; exit $status';
  const { stdout, stderr, status } = spawnSync("sh", ["-c", script, "sh", ...command], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const children = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(stdout);
  const [userM, userS, systemM, systemS] = (children ?? []).slice(1).map(Number);
  const cpuSeconds = children === null ? 0 : 60 * (userM! + systemM!) + userS! + systemS!;
  return { output: `${stdout}${stderr}`, status, cpuSeconds };
}

function mustSucceed({ status, output }: Timed, tool: string): void {
  if (status === 0) return;
  throw new ModelCheckerError(`${tool} failed: ${output.slice(-400).trim()}`);
}

function figuresOf(output: string): Omit<ModelFigures, "cpuSeconds" | "trail"> {
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  const errors = number(/errors: (\d+)/);
  const cutOff = /Search not completed|max search depth too small|out of memory/.test(output);
  return {
    states: number(/([\d.e+]+) states, stored/),
    transitions: number(/([\d.e+]+) transitions/),
    megabytes: number(/([\d.]+)\s+total actual memory usage/),
    complete: errors === 0 && !cutOff,
    violation: errors === 0 ? null : violationOf(output),
  };
}

/** Steps of spin's guided simulation for people: number, process, statement. */
export function trailLines(output: string): string[] {
  const steps =
    /^\s*\d+:\s+proc\s+(\d+) \(([^)]*?)(?::\d+)?\) \S+:(\d+) \(state \d+\)\s+\[(.*)\]\s*$/gm;
  return [...output.matchAll(steps)].map(
    ([, number, name, line, statement], i) =>
      `${String(i + 1).padStart(4)}  ${`${name} ${number}`.padEnd(12)}  ${statement}  (line ${line})`,
  );
}

function violationOf(output: string): string {
  const line = /^pan:1: (.*)$/m.exec(output)?.[1] ?? "a violation without a name";
  return line.startsWith("assertion violated") ? "an assertion is violated" : line;
}
