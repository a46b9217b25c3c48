import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { OptionSpec } from "../../config/option.ts";
import { printable } from "../../config/printable.ts";
import { isOwnSync } from "../../config/values/technique-names.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { LabSize } from "../../lab/experiment.ts";
import {
  type ExperimentEntry,
  experimentsNamed,
  listExperiments,
} from "../../lab/experiment-list.ts";
import { verdictText } from "../../lab/runner/cell-text.ts";
import { labText } from "../../lab/runner/lab-text.ts";
import type { Done } from "../../lab/runner/results.ts";
import { runLab } from "../../lab/runner/run-lab.ts";
import { clockText } from "../../lab/runner/time-left.ts";
import { checkOwnLock } from "../../verify/own/watch-own-lock.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { type Io, onSignals, printJson } from "../io.ts";
import { DEBUG_OPTION, isOn, jsonOption, textOf } from "../options.ts";

const DEFAULT_SEED = 1;
const DEFAULT_OUT = "lab-results";
const LINE_EVERY_MS = 5000;
/** Experiments that run a lock of one's own. */
const SYNC_EXPERIMENTS = ["locks", "collapse"];

const switchOption = (flag: string, about: string): OptionSpec => ({
  flag,
  group: "Options",
  about,
  allowed: "it without a value",
  examples: [`--${flag}`],
});

/** `orbweaver lab`. */
export const command: Command = {
  name: "lab",
  usage: [
    "lab NAME... [--quick|--full] [--repeat N] [--seed S] [--out DIR] [--sync FILE.mjs] [--json]",
    "lab all [OPTION...]",
    "lab --list",
  ],
  about:
    "Repeats the experiments of the documents this crawler is made from, with its own code, on a web of this machine: tables, plots, the documents' values beside ours, and a verdict. Writes lab.html, NAME.json, NAME.md and NAME-*.svg. A run that is interrupted goes on where it stopped.",
  options: [
    switchOption("list", "print the experiments, one a line"),
    switchOption("quick", "small sizes: all experiments within minutes"),
    switchOption("full", "sizes of the documents where this machine allows it: up to an hour"),
    {
      flag: "repeat",
      value: "N",
      group: "Options",
      about: "how often to repeat what is measured (default: each experiment's own)",
      allowed: "a whole number from 1 to 1000",
      examples: ["--repeat 5"],
    },
    {
      flag: "seed",
      value: "S",
      group: "Options",
      about: "decides everything that is random; columns marked † are the same for the same seed",
      allowed: "a whole number from 1 to 4294967295",
      examples: ["--seed 7"],
      defaultText: String(DEFAULT_SEED),
    },
    {
      flag: "out",
      value: "DIR",
      group: "Options",
      about: "where the results go; results of the same name are replaced",
      allowed: "the name of a folder",
      examples: ["--out results/"],
      defaultText: DEFAULT_OUT,
    },
    {
      flag: "graph",
      value: "FILE",
      group: "Options",
      about:
        "a link graph in WebGraph's text form (cnr-2000, for example) for queues, supersteps, predictor and order, instead of that of our own web",
      allowed: "the name of a file, plain or .gz",
      examples: ["--graph cnr-2000.graph-txt.gz"],
    },
    {
      flag: "sync",
      value: "FILE.mjs",
      group: "Options",
      about:
        "a lock of your own (docs/lab/own-lock.md), which locks and collapse measure beside the product's; orbweaver verify --subject tells whether it is right",
      allowed: "the name of a module, such as ./mine.mjs",
      examples: ["--sync ./mine.mjs"],
    },
    jsonOption("print one JSON object with the verdicts on standard output, instead of tables"),
    DEBUG_OPTION,
  ],
  examples: [
    ["orbweaver lab all --quick", "every experiment, within minutes"],
    ["orbweaver lab queues --seed 7 --out results/", "one experiment with other random numbers"],
    ["orbweaver lab locks collapse --sync ./mine.mjs", "a lock of your own beside the product's"],
  ],
  async run(args: Arguments, io) {
    if (isOn(args, "list")) {
      io.stdout.write(listExperiments());
      return EXIT.finished;
    }
    const { entries, ...options } = optionsOf(args, io);
    if (options.sync !== undefined) await checkOwnLock(options.sync);
    const stop = new AbortController();
    const forget = onSignals(() => stop.abort());
    const line = new ProgressLine(io);
    try {
      const results = await runLab(entries, {
        ...options,
        signal: stop.signal,
        now: io.now,
        onProgress: (text, secondsLeft) => line.show(text, secondsLeft),
        onDone(done) {
          line.clear();
          if (!isOn(args, "json")) io.stdout.write(labText(done));
        },
      });
      if (isOn(args, "json")) printJson(io, jsonOf(results, options));
      else
        io.stdout.write(`Results are in ${printable(options.out)}, all on one page in lab.html.\n`);
    } finally {
      line.clear();
      forget();
    }
    return EXIT.finished;
  },
};

function optionsOf(args: Arguments, io: Io) {
  try {
    if (isOn(args, "quick") && isOn(args, "full")) {
      throw new UsageError("--quick and --full exclude each other");
    }
    const size: LabSize = isOn(args, "quick") ? "quick" : isOn(args, "full") ? "full" : "normal";
    const entries = experimentsNamed(args.words.map((word) => printable(word)));
    return {
      entries,
      size,
      seed: wholeOf(args, "seed", 2 ** 32 - 1) ?? DEFAULT_SEED,
      repeat: wholeOf(args, "repeat", 1000),
      out: textOf(args, "out") ?? DEFAULT_OUT,
      graph: graphOf(args),
      sync: syncOf(args, entries),
    };
  } catch (error) {
    io.stderr.write(listExperiments());
    throw error;
  }
}

function graphOf(args: Arguments): string | undefined {
  const file = textOf(args, "graph");
  if (file !== undefined && !existsSync(file)) {
    throw new UsageError(`--graph: there is no file ${printable(file)}`);
  }
  return file;
}

function syncOf(args: Arguments, entries: readonly ExperimentEntry[]): string | undefined {
  const file = textOf(args, "sync");
  if (file === undefined) return undefined;
  if (!isOwnSync(file) || !existsSync(file)) {
    throw new UsageError(
      `--sync: ${printable(file)} is no module; use the name of a file, such as ./mine.mjs`,
    );
  }
  if (!entries.some(({ name }) => SYNC_EXPERIMENTS.includes(name))) {
    throw new UsageError(`--sync is for ${SYNC_EXPERIMENTS.join(" and ")}; name one of them`);
  }
  return resolve(file);
}

function wholeOf(args: Arguments, flag: string, most: number): number | undefined {
  const text = textOf(args, flag);
  if (text === undefined) return undefined;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new UsageError(
    `--${flag} cannot be "${printable(text)}"; use a whole number from 1 to ${most}`,
  );
}

function jsonOf(
  results: readonly Done[],
  { seed, size, out }: { seed: number; size: LabSize; out: string },
) {
  return {
    out,
    seed,
    quick: size === "quick",
    experiments: results.map(({ name, seconds, findings: { verdict, leftOut = [] } }) => ({
      name,
      seconds,
      claim: verdict.claim,
      verdict: verdictText(verdict),
      leftOut,
    })),
  };
}

/** One line that changes on a terminal, a line now and then elsewhere. */
class ProgressLine {
  readonly #io: Io;
  #lastMs = Number.NEGATIVE_INFINITY;
  #last = "";

  constructor(io: Io) {
    this.#io = io;
  }

  show(text: string, secondsLeft: number): void {
    const { stderr, now } = this.#io;
    const line = `lab: ${text}, about ${clockText(secondsLeft)} left`;
    if (stderr.isTTY) {
      const columns = Math.max(20, stderr.columns ?? 80);
      stderr.write(`\r\u001b[K${line.slice(0, columns - 1)}`);
      this.#last = line;
      return;
    }
    const experiment = text.split(" ", 1)[0]!;
    if (experiment === this.#last && now() - this.#lastMs < LINE_EVERY_MS) return;
    this.#last = experiment;
    this.#lastMs = now();
    stderr.write(`${line}\n`);
  }

  clear(): void {
    if (this.#io.stderr.isTTY && this.#last !== "") this.#io.stderr.write("\r\u001b[K");
    if (this.#io.stderr.isTTY) this.#last = "";
  }
}
