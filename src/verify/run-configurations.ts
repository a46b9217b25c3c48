import { catalogue, type Entry, findEntry } from "./catalogue.ts";
import type { Patch, Strategy } from "./configuration.ts";
import type { Verdict } from "./judge/verdict.ts";
import { World } from "./machine/explored-world.ts";
import { replaySchedule } from "./replay/replay-schedule.ts";
import { formatSchedule } from "./replay/schedule.ts";
import { concreteChoices } from "./search/concrete.ts";
import { cpuSeconds, Dpor } from "./search/dpor.ts";
import { searchRandom } from "./search/pct.ts";
import { reductionsOf } from "./search/reductions.ts";
import { Stateful } from "./search/stateful.ts";

/** What became of one mutant. */
export interface MutantResult {
  readonly name: string;
  readonly caught: boolean;
  readonly schedule: string | null;
  /** The schedule step by step, with the names of words. */
  readonly steps: readonly string[];
}

/** What became of one configuration; the fields are an interface of `orbweaver verify --json`. */
export interface ConfigurationResult {
  readonly name: string;
  readonly technique: string;
  readonly threads: number;
  readonly operations: number;
  readonly strategy: string;
  readonly executions: number;
  readonly states: number;
  readonly cpuSeconds: number;
  readonly complete: boolean;
  /** What a search that is not complete ran out of: "budget" (CPU seconds) or "memory". */
  readonly cutOff: string | null;
  /** How orders of steps were left out. */
  readonly reductions: readonly string[];
  readonly violation: string | null;
  /** The interleaving that ends in the violation, for `orbweaver replay`. */
  readonly schedule: string | null;
  /** The same step by step, with the names of words. */
  readonly steps: readonly string[];
  /** Whether the shipped code must fail here, as one that shows a known defect does. */
  readonly expected: boolean;
  readonly mutants: readonly MutantResult[];
}

/** The whole answer of `orbweaver verify --json`. */
export interface VerifyResult {
  readonly failed: number;
  readonly configurations: readonly ConfigurationResult[];
}

/** Called before and after each configuration, for a progress view. */
export interface VerifyProgress {
  started?(name: string): void;
  finished?(result: ConfigurationResult, claim: string): void;
}

const SEED = 20_000;

/** What takes more than ten seconds: left out of the default set, explored by name or with `--all`. */
const LONGEST = new Set([
  "monitor-two-conditions-b3-8p8c",
  "monitor-two-conditions-b3-7p8c",
  "frontier-optimistic-2x2",
  "frontier-optimistic-b2-2p2c1",
  "frontier-pessimistic-b2-2p2c1",
  "hand-off-death",
]);

/** Names of a set: all, the default one (at most three minutes), or the small one of the tests. */
export function configurationNames(set: "all" | "default" | "small" = "default"): string[] {
  return catalogue
    .map(({ configuration }) => configuration)
    .filter(
      ({ name, long }) =>
        set === "all" || (!LONGEST.has(name) && (set === "default" || long !== true)),
    )
    .map(({ name }) => name);
}

/**
 * Explores the named configurations (all of the default set when none is named) and their mutants.
 * `budgetSeconds` bounds the CPU time of each single search; a search cut off by it is not complete and fails.
 */
export function runConfigurations(
  names: readonly string[],
  budgetSeconds: number,
  progress: VerifyProgress = {},
): VerifyResult {
  const results: ConfigurationResult[] = [];
  let failed = 0;
  for (const name of names.length > 0 ? names : configurationNames()) {
    progress.started?.(name);
    const entry = findEntry(name);
    const result = runOne(entry, budgetSeconds);
    if (!passes(entry, result)) failed++;
    results.push(result);
    progress.finished?.(result, claimOf(result));
  }
  return { failed, configurations: results };
}

/** What a complete search has shown, and nothing more. */
export function claimOf(result: ConfigurationResult): string {
  if (result.violation !== null) return `violation: ${result.violation}`;
  if (result.strategy === "pct") return `${result.executions} random schedules, nothing found`;
  if (!result.complete) return `cut off by the ${result.cutOff ?? "budget"}: no claim`;
  const operations = result.operations === 0 ? "unbounded" : String(result.operations);
  const claim = `exhaustive for ${result.threads} threads x ${operations} operations under sequential consistency`;
  return result.reductions.length === 0 ? claim : `${claim}; ${result.reductions.join("; ")}`;
}

/** The expected violation was found (or none), the search was complete, and no mutant survived. */
export function passes({ configuration }: Entry, result: ConfigurationResult): boolean {
  const found = result.violation === null ? "none" : result.violation.split(":")[0];
  const right = found === (configuration.expect ?? "none");
  const enough = result.complete || result.strategy === "pct" || result.violation !== null;
  return right && enough && result.mutants.every((mutant) => mutant.caught);
}

function runOne(entry: Entry, budgetSeconds: number): ConfigurationResult {
  const { configuration } = entry;
  const { name, technique, threads, operations, strategy } = configuration;
  const started = process.cpuUsage();
  const shipped = search(entry, [], budgetSeconds);
  const { verdict } = shipped;
  const used = cpuSeconds(started);
  const mutants = configuration.mutants.map((mutant): MutantResult => {
    const broken = search(entry, mutant.patches, budgetSeconds);
    const caught = broken.verdict.violation !== null;
    const schedule = caught ? printSchedule(entry, mutant.name, broken) : null;
    return { name: mutant.name, caught, schedule, steps: stepsOf(schedule) };
  });
  const schedule = verdict.violation === null ? null : printSchedule(entry, undefined, shipped);
  return {
    name,
    technique,
    threads,
    operations,
    strategy,
    executions: verdict.executions,
    states: verdict.states,
    cpuSeconds: Math.round(used * 1000) / 1000,
    complete: verdict.complete,
    cutOff: verdict.cutOff ?? null,
    reductions: reductionsOf(configuration),
    violation: verdict.violation,
    schedule,
    steps: stepsOf(schedule),
    expected: configuration.expect !== undefined,
    mutants,
  };
}

function stepsOf(schedule: string | null): readonly string[] {
  return schedule === null ? [] : replaySchedule(schedule).log;
}

/** What a search found, and in which world. */
export interface Searched {
  readonly world: World;
  readonly verdict: Verdict;
}

/** Explores one variant of a configuration. */
export function search(entry: Entry, patches: readonly Patch[], budgetSeconds: number): Searched {
  const { configuration, module } = entry;
  const world = new World(module, configuration, patches);
  return { world, verdict: SEARCHES[configuration.strategy](world, budgetSeconds) };
}

const SEARCHES: Record<Strategy, (world: World, budgetSeconds: number) => Verdict> = {
  dpor: (world, budgetSeconds) => new Dpor(world).search(budgetSeconds),
  stateful: (world, budgetSeconds) => new Stateful(world).search(budgetSeconds),
  pct: (world, budgetSeconds) =>
    searchRandom(world, world.configuration.schedules ?? 10_000, SEED, budgetSeconds),
};

/** The schedule of a violation, as people and `replay` read it. */
export function printSchedule(
  { configuration }: Entry,
  mutant: string | undefined,
  found: Searched,
): string {
  const choices = concreteChoices(found.world, found.verdict.choices);
  return formatSchedule(
    { configuration: configuration.name, mutant, choices },
    configuration.threads,
  );
}
