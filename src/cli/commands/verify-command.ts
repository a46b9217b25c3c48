import { EXIT, UsageError } from "../../errors.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { jsonOption } from "../options.ts";

const DEFAULT_BUDGET_S = 120;
/** Locks that are right take a second or two. */
const SUBJECT_BUDGET_S = 20;

/** Options that run something other than the explorer; the first one given counts. */
const DRILLS = [
  ["seed", "runSeed"],
  ["simulate", "runSimulate"],
  ["crash-points", "runCrashPoints"],
] as const;

/** `orbweaver verify`. */
export const command: Command = {
  name: "verify",
  usage: [
    "verify [NAME...] [--budget S] [--json]",
    "verify --subject ./mine.mjs [--budget S] [--json]",
    "verify --grid [--json]",
    "verify --models [--json]",
    "verify --list",
    "verify --simulate SEEDS [--json]",
    "verify --seed N",
    "verify --crash-points N [--json]",
  ],
  about:
    "Explores the shipped concurrent code: all interleavings of small programs, or random ones where that is too many, and for each configuration broken variants that must be caught. A NAME may be the beginning of several.",
  often: [
    ["budget", "seconds for all configurations together"],
    ["quick", "small configurations only"],
    ["all", "large ones as well"],
    ["list", "names of all configurations"],
    ["subject", "a lock of your own"],
    ["simulate", "whole crawls under seeded faults"],
    ["json", "one JSON object"],
  ],
  options: [
    {
      flag: "budget",
      value: "S",
      group: "Options",
      about: "CPU seconds that one search may take; a search that is cut off proves nothing",
      allowed: "a whole number of seconds",
      examples: ["--budget 60"],
      defaultText: String(DEFAULT_BUDGET_S),
    },
    {
      flag: "list",
      group: "Options",
      about: "print the names of all configurations",
      allowed: "it without a value",
      examples: ["--list"],
    },
    {
      flag: "all",
      group: "Options",
      about: "also the few configurations that take more than ten seconds each",
      allowed: "it without a value",
      examples: ["--all"],
    },
    {
      flag: "quick",
      group: "Options",
      about: "leave out the configurations that take long",
      allowed: "it without a value",
      examples: ["--quick"],
    },
    {
      flag: "steps",
      group: "Options",
      about: "print the steps of expected violations of broken variants, too",
      allowed: "it without a value",
      examples: ["--steps"],
    },
    {
      flag: "subject",
      value: "FILE",
      group: "Options",
      about:
        "explore a lock of your own instead (docs/lab/own-lock.md) and grade it by the exit code: 0 passes, 1 fails, 2 cannot be judged, 3 undecided within --budget",
      allowed: "the name of a module",
      examples: ["--subject ./mine.mjs"],
    },
    {
      flag: "grid",
      group: "Options",
      about:
        "explore which monitors of B slots and T threads can come to a stand, with one condition and with two",
      allowed: "it without a value",
      examples: ["--grid"],
    },
    {
      flag: "models",
      group: "Options",
      about:
        "check the models of the whole life cycle in models/ with spin instead, beside the figures of seed 001; needs spin and a C compiler",
      allowed: "it without a value",
      examples: ["--models"],
    },
    {
      flag: "simulate",
      value: "SEEDS",
      group: "Options",
      about:
        "simulate crawls with crashes, deaths, lost messages and a virtual clock, one per seed, and broken variants that must be caught",
      allowed: "a whole number",
      examples: ["--simulate 10000"],
    },
    {
      flag: "seed",
      value: "N",
      group: "Options",
      about: "simulate the crawl of this seed alone and tell what happens",
      allowed: "a whole number",
      examples: ["--seed 77"],
    },
    {
      flag: "crash-points",
      value: "N",
      group: "Options",
      about: "cut the journals of N small crawls at every place, resume each and compare",
      allowed: "a whole number",
      examples: ["--crash-points 20"],
    },
    jsonOption("print one JSON object instead of a table"),
  ],
  examples: [
    ["orbweaver verify", "everything, at most some minutes"],
    ["orbweaver verify --models", "the life cycle from queue to tree, checked by spin"],
    ["orbweaver verify --simulate 10000", "ten thousand crawls with faults, some minutes"],
    ["orbweaver verify --subject ./mine.mjs", "a lock of your own, in every order of its steps"],
    ["orbweaver verify ring --json", "all configurations whose name begins with ring"],
  ],
  async run(args, io) {
    refuseWithoutEffect(args);
    if (args.options.get("models") === true) {
      const { verifyModels } = await import("../verify/verify-models.ts");
      const steps = args.options.get("steps") === true;
      return verifyModels({ json: args.options.get("json") === true, steps }, io);
    }
    const budget = args.options.get("budget") ?? String(DEFAULT_BUDGET_S);
    if (!/^[1-9]\d*$/.test(String(budget))) {
      throw new UsageError(`--budget cannot be "${budget}"; use a whole number of seconds`);
    }
    const json = args.options.get("json") === true;
    const subject = args.options.get("subject");
    if (subject !== undefined) {
      const { runSubject } = await import("../verify/run-subject.ts");
      const seconds = args.options.has("budget") ? Number(budget) : SUBJECT_BUDGET_S;
      return runSubject(String(subject), seconds, json, io);
    }
    if (args.options.get("grid") === true) {
      const { runGrid } = await import("../verify/run-grid.ts");
      return runGrid(Number(budget), json, io);
    }
    for (const [flag, run] of DRILLS) {
      const value = args.options.get(flag);
      if (value === undefined) continue;
      if (!/^[1-9]\d{0,8}$/.test(String(value))) {
        throw new UsageError(`--${flag} cannot be "${value}"; use a whole number`);
      }
      return (await import("../verify/run-simulate.ts"))[run](Number(value), json, io);
    }
    const { configurationNames } = await import("../../verify/run-configurations.ts");
    const everything = configurationNames("all");
    const set = args.options.get("all") ? "all" : args.options.get("quick") ? "small" : "default";
    const known = configurationNames(set);
    if (args.options.get("list") === true) {
      io.stdout.write(`${everything.join("\n")}\n`);
      return EXIT.finished;
    }
    const names = args.words.flatMap((word) => {
      if (everything.includes(word)) return [word];
      const found = known.filter((name) => name.startsWith(word));
      if (found.length === 0) {
        throw new UsageError(`no configuration begins with ${word}; orbweaver verify --list`);
      }
      return found;
    });
    const { runVerify } = await import("../verify/run-verify.ts");
    const chosen = names.length > 0 ? [...new Set(names)] : known;
    const steps = args.options.get("steps") === true;
    return runVerify(chosen, Number(budget), { json, steps }, io);
  },
};

/** What chooses among configurations does nothing for models and drills. */
function refuseWithoutEffect({ options, words }: Arguments): void {
  const others = ["models", "subject", "grid", ...DRILLS.map(([flag]) => flag)];
  const [other, second] = others.filter((flag) => options.has(flag));
  if (other === undefined) return;
  if (second !== undefined) throw new UsageError(`--${other} and --${second} exclude each other`);
  if (words.length > 0) throw new UsageError(`--${other} takes no names of configurations`);
  const searches = other === "subject" || other === "grid";
  const steps = other === "models" ? [] : ["steps"];
  const idle = [...(searches ? [] : ["budget"]), ...steps, "list", "all", "quick"].find((flag) =>
    options.has(flag),
  );
  if (idle !== undefined)
    throw new UsageError(`--${idle} has no effect together with --${other}: leave one of them out`);
}
