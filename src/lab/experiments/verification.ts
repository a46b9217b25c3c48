import { linePlot } from "../../stats/plot/line-plot.ts";
import {
  EIGHT,
  type ModelResult,
  missingTool,
  runModels,
  SEED_FIGURES,
} from "../../verify/models/check-models.ts";
import { type ConfigurationResult, runConfigurations } from "../../verify/run-configurations.ts";
import {
  type Cell,
  counted,
  type Experiment,
  type Findings,
  type LabRun,
  measured,
  type Table,
} from "../experiment.ts";
import { rounded } from "../run-spread.ts";

/** How much is checked. */
export interface VerificationSettings {
  /** Configurations of the shipped code. */
  readonly names: readonly string[];
  /** Numbers of the document's assertions that are checked by spin. */
  readonly assertions: string;
  readonly budgetSeconds: number;
}

/** From buffer to tree: the shipped code that the document models. */
const SMALL = [
  "hand-off-full-1x1",
  "hand-off-count-or-time-1x1",
  "lock-table-2w1r",
  "tree-same-url-2",
  "semaphores-2p2c",
];

/** Appendix A and B of document 001: eight assertions, with the lock and without. */
export const experiment: Experiment = {
  name: "verification",
  document: "001",
  question: "Do the document's eight assertions hold with the lock, and which fail without it?",
  seconds: { quick: 10, normal: 120, full: 120 },
  run: (run) =>
    measureVerification(run, {
      names: SMALL,
      assertions: run.pick("7", "12345678", "12345678"),
      budgetSeconds: 60,
    }),
};

/** Checks models with spin where it is installed, and in any case the shipped code with the explorer. */
export async function measureVerification(
  run: LabRun,
  { names, assertions, budgetSeconds }: VerificationSettings,
): Promise<Findings> {
  const missing = missingTool();
  const claims =
    missing === undefined ? EIGHT.filter(({ name }) => assertions.includes(name[0]!)) : [];
  run.plan(claims.length + names.length);
  const models: ModelResult[] = [];
  for (const claim of claims) {
    // The lock guards the tree; the other assertions do not depend on it, and their searches only grow without it.
    const open = { ...claim, mutants: /^[678]/.test(claim.name) ? [["NO_LOCKS"]] : [] };
    models.push(await run.step(`model-${claim.name}`, () => runModels([open]).claims[0]!));
  }
  const explored: ConfigurationResult[] = [];
  for (const name of names) {
    const work = () => runConfigurations([name], budgetSeconds).configurations[0]!;
    explored.push(await run.step(`explore-${name}`, work));
  }
  const seventh = models.find(({ name }) => name === SEED_FIGURES.claim);
  const holds = models.every(({ violation, complete }) => violation === null && complete);
  const open = models
    .filter(({ mutants }) => mutants.some(({ caught }) => caught))
    .map(({ name }) => name);
  const codeHolds = explored.every(({ violation, complete }) => violation === null && complete);
  const caught = explored.flatMap(({ mutants }) => mutants);
  return {
    setup:
      "Promela models of the whole life cycle in the document's configuration (2 buffers of 2, 4 crawlers, 4 seeds, 6 URLs), checked by spin where it is installed; and the shipped code from buffer to tree, all interleavings of small programs. Assertions 2, 3 and 8 must hold on every path. Without the lock = the flag NO_LOCKS: 6, 7 and 8, which the document shows to fail then; the others do not depend on it.",
    tables: [...(models.length > 0 ? [modelTable(models)] : []), codeTable(explored)],
    plots: [{ name: "states", svg: statesPlot(models, explored) }],
    paper: [
      ...(seventh === undefined
        ? []
        : [
            { what: "assertion 7, states", paper: "8,017,611", ours: String(seventh.states) },
            {
              what: "assertion 7, transitions",
              paper: "32,939,556",
              ours: String(seventh.transitions),
            },
            {
              what: "assertion 7, seconds",
              paper: "1,475.2",
              ours: `${seventh.cpuSeconds} of CPU`,
            },
            {
              what: "assertion 7, memory",
              paper: "262 MB",
              ours: `${rounded(seventh.megabytes, 0)} MB`,
            },
            {
              what: "with the lock",
              paper: "all valid",
              ours: holds ? "all hold" : "some fail",
              agrees: holds,
            },
            {
              what: "without the lock",
              paper: "6, 7 and 8 fail",
              ours: `fail: ${open.map((name) => name[0]).join(", ")}`,
              agrees: open.length === models.filter(({ name }) => /^[678]/.test(name)).length,
            },
          ]),
      {
        what: "shipped code",
        paper: "not checked",
        ours: `${explored.length} configurations ${codeHolds ? "hold" : "do not all hold"}; ${caught.filter((one) => one.caught).length} of ${caught.length} broken variants caught`,
      },
    ],
    verdict: {
      claim: (holds && codeHolds) || (models.length === 0 && codeHolds) ? "agrees" : "differs",
      why: `${models.length > 0 ? `${holds ? "What was checked holds" : "Not everything holds"} with the lock${seventh === undefined ? "" : `, assertion 7 on ${rounded((100 * seventh.states) / SEED_FIGURES.states, 0)} % of the document's states: the two models differ in how fine their steps are`}; without the lock ${open.length} of ${models.filter(({ mutants }) => mutants.length > 0).length} fail. ` : ""}The document checks a model; here the code that ships is explored as well, and every configuration has broken variants that must be caught.`,
    },
    ...(missing === undefined ? {} : { leftOut: [`the eight assertions: ${missing}`] }),
  };
}

function modelTable(models: readonly ModelResult[]): Table {
  const cells = (
    name: string,
    lock: string,
    one: Omit<ModelResult, "name" | "flags" | "mutants">,
  ): Cell[] => [
    ...[name, lock, one.violation === null ? "holds" : "fails", one.states, one.transitions],
    ...[one.cpuSeconds, rounded(one.megabytes, 1)],
  ];
  return {
    title: "The eight assertions, checked by spin",
    columns: [
      ...[counted("assertion"), counted("lock"), counted("verdict"), counted("states")],
      ...[counted("transitions"), measured("CPU", "s"), measured("memory", "MB")],
    ],
    rows: [
      [
        SEED_FIGURES.claim,
        "with (document)",
        "holds",
        SEED_FIGURES.states,
        SEED_FIGURES.transitions,
        rounded(SEED_FIGURES.seconds, 1),
        rounded(SEED_FIGURES.megabytes, 1),
      ],
      ...models.flatMap((model) => [
        cells(model.name, "with", model),
        ...model.mutants.map((mutant) => cells(model.name, "without", mutant)),
      ]),
    ],
  };
}

function codeTable(explored: readonly ConfigurationResult[]): Table {
  return {
    title: "The shipped code, explored exhaustively",
    columns: [
      ...[counted("configuration"), counted("threads"), counted("verdict"), counted("states")],
      ...[
        counted("executions"),
        counted("broken variants"),
        counted("caught"),
        measured("CPU", "s"),
      ],
    ],
    rows: explored.map((one) => [
      ...[one.name, one.threads, one.violation ?? (one.complete ? "holds" : "cut off")],
      ...[one.states, one.executions, one.mutants.length],
      ...[one.mutants.filter(({ caught }) => caught).length, one.cpuSeconds],
    ]),
  };
}

function statesPlot(
  models: readonly ModelResult[],
  explored: readonly ConfigurationResult[],
): string {
  const point = (x: number, y: number) => ({ x, y: Math.max(y, 0.001) });
  return linePlot({
    title: "What a check costs: CPU seconds against states",
    caption:
      "Each point is one search. The document's single figure is at the upper right; models and shipped code here need fewer states and less time per state.",
    x: { label: "states (or executions)", log: true },
    y: { label: "CPU", unit: "s", log: true },
    series: [
      {
        name: "document, assertion 7",
        draw: "points" as const,
        points: [point(SEED_FIGURES.states, SEED_FIGURES.seconds)],
      },
      {
        name: "models by spin",
        draw: "points" as const,
        points: models.map((one) => point(one.states, one.cpuSeconds)),
      },
      {
        name: "shipped code by the explorer",
        draw: "points" as const,
        points: explored.map((one) =>
          point(Math.max(1, one.states, one.executions), one.cpuSeconds),
        ),
      },
    ].filter(({ points }) => points.length > 0),
  });
}
