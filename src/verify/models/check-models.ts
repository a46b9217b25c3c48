import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ModelFigures, ModelSearches } from "./spin.ts";

/** Where the models ship. */
const FOLDER = fileURLToPath(new URL("../../../../models/", import.meta.url));

/** One claim about the life cycle, how it is checked, and the variants that must break it. */
export interface Claim {
  readonly name: string;
  /** Preprocessor flags of models/life-cycle.pml. */
  readonly flags: readonly string[];
  /** A formula that must hold on every path; otherwise assertions and ends are checked. */
  readonly formula?: string;
  /** Only the assertions count: deadlocks are another claim's business. */
  readonly ignoresEnds?: boolean;
  readonly mutants: readonly (readonly string[])[];
}

const NOTHING = "CHECK=99";

/** Seed 001's eight assertions, 2, 3 and 8 on every path, in its own configuration. */
export const EIGHT: readonly Claim[] = [
  { name: "1 deadlock-free", flags: ["CHECK=1"], mutants: [["D6"]] },
  {
    name: "2 all crawlers joined",
    flags: [NOTHING],
    formula: "crawlersJoin",
    mutants: [["D6"]],
  },
  {
    name: "3 all builders joined",
    flags: [NOTHING],
    formula: "buildersJoin",
    mutants: [["D6"]],
  },
  assertion("4 no duplicates in a buffer", 4, [["NO_BUFFER_CHECK"]]),
  assertion("5 never above BUFFER_SIZE", 5, [["NO_PERMITS", "NO_BUFFER_CHECK"]]),
  assertion("6 no duplicate file creation", 6, [["NO_LOCKS"], ["D1"]]),
  assertion("7 no duplicate data write", 7, [["NO_LOCKS"], ["D1"]]),
  {
    name: "8 eventually correct",
    flags: [NOTHING],
    formula: "correct",
    mutants: [["NO_LOCKS"], ["D1"]],
  },
];

/** The same for other pools, the other hand-off, and what happens when something goes wrong. */
export const FURTHER: readonly Claim[] = [
  assertion("full means N items", 9, [["D5"]]),
  {
    name: "interrupted: nothing lost",
    flags: ["INTERRUPT", "ONE_BUFFER", "DISTINCT_POOL", "BUFFER_SIZE=1"],
    mutants: [["D2"]],
  },
  {
    name: "crawler dies: permits come back",
    flags: ["CRAWLER_DIES", "ONE_BUFFER"],
    mutants: [["D3"]],
  },
  {
    name: "builder dies: all is written",
    flags: ["BUILDER_DIES", "TERMINATING_POOL"],
    mutants: [["D4"], ["LOCK_KEPT"]],
  },
  ...variant("terminating URLs", "TERMINATING_POOL"),
  ...variant("hand-off full", "HAND_OFF_FULL"),
];

function assertion(name: string, number: number, mutants: readonly string[][]): Claim {
  return { name, flags: [`CHECK=${number}`], ignoresEnds: true, mutants };
}

/** All safety claims in one run, the three others on every path. */
function variant(name: string, flag: string): Claim[] {
  return [
    { name: `${name}: 1, 4-7`, flags: [flag], mutants: [[flag === "HAND_OFF_FULL" ? "D6" : "D1"]] },
    { name: `${name}: 2`, flags: [flag, NOTHING], formula: "crawlersJoin", mutants: [] },
    { name: `${name}: 3`, flags: [flag, NOTHING], formula: "buildersJoin", mutants: [] },
    { name: `${name}: 8`, flags: [flag, NOTHING], formula: "correct", mutants: [["NO_LOCKS"]] },
  ];
}

/** What seed 001 reports for its assertion 7 under PAT 3.5.1; it gives figures for no other. */
export const SEED_FIGURES = {
  tool: "PAT 3.5.1",
  claim: "7 no duplicate data write",
  states: 8_017_611,
  transitions: 32_939_556,
  seconds: 1475.2457661,
  megabytes: 262.162864,
} as const;

/** What became of a broken variant, and what finding that cost. */
export interface ModelMutant extends ModelFigures {
  readonly name: string;
  readonly caught: boolean;
}

/** What became of one claim; the fields are an interface of `orbweaver verify --models --json`. */
export interface ModelResult extends ModelFigures {
  readonly name: string;
  readonly flags: readonly string[];
  readonly mutants: readonly ModelMutant[];
}

/** The whole answer of `orbweaver verify --models --json`. */
export interface ModelsResult {
  readonly failed: number;
  /** CPU of the eight assertions themselves: translating, compiling and searching, without their mutants. */
  readonly eightCpuSeconds: number;
  readonly seed: typeof SEED_FIGURES;
  readonly claims: readonly ModelResult[];
}

/** A sentence when a tool or the models themselves are missing; undefined when they can be run. */
export function missingTool(folder = FOLDER): string | undefined {
  if (!existsSync(folder)) return "the folder models/ of the package is not here";
  for (const [tool, asked, how] of [
    ["spin", "-V", "Debian has it as the package spin"],
    ["cc", "--version", "any C compiler will do"],
  ] as const) {
    try {
      execFileSync(tool, [asked], { stdio: "ignore" });
    } catch {
      return `the models need the program ${tool}, which is not here (${how})`;
    }
  }
  return undefined;
}

/** Checks claims and their mutants, one after the other. */
export function runModels(
  claims: readonly Claim[],
  finished: (result: ModelResult) => void = () => {},
): ModelsResult {
  const results: ModelResult[] = [];
  const searches = new ModelSearches(FOLDER);
  try {
    for (const claim of claims) {
      const figures = searches.run(claim, []);
      const mutants = claim.mutants.map((flags): ModelMutant => {
        const broken = searches.run(claim, flags);
        return { name: flags.join("+"), caught: broken.violation !== null, ...broken };
      });
      const { name, flags } = claim;
      const result = { name, flags, ...figures, mutants };
      results.push(result);
      finished(result);
    }
  } finally {
    searches.close();
  }
  const eight = results.filter(({ name }) => EIGHT.some((claim) => claim.name === name));
  return {
    failed: results.filter((result) => !modelHolds(result)).length,
    eightCpuSeconds: Math.round(eight.reduce((sum, one) => sum + one.cpuSeconds, 0) * 100) / 100,
    seed: SEED_FIGURES,
    claims: results,
  };
}

/** The claim holds, all of it was searched, and each broken variant was caught. */
export function modelHolds(result: ModelResult): boolean {
  return (
    result.violation === null && result.complete && result.mutants.every((mutant) => mutant.caught)
  );
}
