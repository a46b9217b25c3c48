import { barPlot } from "../../stats/plot/bar-plot.ts";
import { type RaceOutcome, raced, replayRace } from "../../verify/race/race.ts";
import { RACE_METHODS, type RaceMethod } from "../../verify/race/race-memory.ts";
import { counted, type Experiment, type Findings, type LabRun, measured } from "../experiment.ts";

/** How much is measured. */
export interface RaceSettings {
  readonly times: number;
  readonly sleepMs: number;
}

interface Row {
  readonly by: RaceMethod;
  readonly locked: boolean;
  readonly outcomes: readonly RaceOutcome[];
}

/** Part 3 of document 001: the data race replayed in real threads, without the tree's lock and with it. */
export const experiment: Experiment = {
  name: "race",
  document: "001",
  question:
    "How often does the data race on the URL tree show, and where, without the lock and with it?",
  seconds: { quick: 7, normal: 60, full: 120 },
  run: (run) =>
    measureRace(run, { times: run.repeats(3, 20, 20), sleepMs: run.pick(150, 500, 2000) }),
};

/** Replays the race in all three ways. */
export async function measureRace(run: LabRun, settings: RaceSettings): Promise<Findings> {
  const { times, sleepMs } = settings;
  run.plan(RACE_METHODS.length * 2);
  const rows: Row[] = [];
  for (const by of RACE_METHODS) {
    for (const locked of [false, true]) {
      const outcomes = await run.step(`${by}-${locked}`, async () => {
        const found: RaceOutcome[] = [];
        for (let n = 0; n < times; n++) found.push(await replayRace({ by, locked, sleepMs }));
        return found;
      });
      rows.push({ by, locked, outcomes });
    }
  }
  const count = ({ outcomes }: Row, of: (outcome: RaceOutcome) => boolean) =>
    outcomes.filter(of).length;
  const open = rows.filter(({ locked }) => !locked);
  const closed = rows.filter(({ locked }) => locked);
  const sum = (some: readonly Row[]) => some.reduce((all, row) => all + count(row, raced), 0);
  const always = open.every((row) => count(row, raced) === times);
  const never = sum(closed) === 0;
  return {
    setup: `4 crawlers, 2 buffers of size 1 and 2 builders, all of them threads, with four identical records placed past admission; files as the document writes them. n = ${times} of each (the document's idea of n = 20 with --full). By turnstile a schedule brings both builders to the write; by sleep each pauses ${sleepMs} ms before it (the document: 5 s); by rendezvous the first waits for the second.`,
    tables: [
      {
        title: "How often each of the document's three checks finds the race",
        columns: [
          ...[counted("by"), counted("lock"), counted("runs"), measured("raced", "runs")],
          ...[measured("content.html", "runs"), measured("source.txt", "runs")],
          measured("crawled.txt", "runs"),
        ],
        rows: rows.map((row) => [
          ...[row.by, row.locked ? "with" : "without", times, count(row, raced)],
          count(row, ({ content }) => content),
          count(row, ({ source }) => source),
          count(row, ({ crawled }) => crawled),
        ]),
      },
    ],
    plots: [
      {
        name: "runs",
        svg: barPlot({
          title: `Runs of ${times} that raced`,
          caption: `Without the lock ${sum(open)} of ${open.length * times} runs wrote a page twice; with it ${sum(closed)}, because a builder that waits for the lock loses its turn.`,
          x: "what brings both builders to the write",
          y: { label: "runs that raced", unit: `of ${times}`, to: times },
          names: ["without the lock", "with the lock"],
          groups: RACE_METHODS.map((by) => ({
            label: by,
            bars: rows.filter((row) => row.by === by).map((row) => ({ value: count(row, raced) })),
          })),
        }),
      },
    ],
    paper: [
      {
        what: "without the lock",
        paper: "files written twice",
        ours: `${sum(open)} of ${open.length * times} runs raced`,
        agrees: sum(open) > 0,
      },
      {
        what: "with the lock",
        paper: "no data race",
        ours: `${sum(closed)} of ${closed.length * times} runs raced`,
        agrees: never,
      },
    ],
    verdict: {
      claim: always && never ? "agrees" : "partly",
      why: `Without the lock ${sum(open)} of ${open.length * times} runs wrote a page twice, with it ${sum(closed)}. By ${open.map((row) => `${row.by} ${count(row, raced)} of ${times}`).join(", by ")}: a sleep shows the race only as long as both builders are quicker than the pause.`,
    },
  };
}
