import { linePlot, type PlotSeries } from "../../stats/plot/line-plot.ts";
import { counted, type LabPlot, measured, type Table } from "../experiment.ts";
import { rounded, spreadOf } from "../run-spread.ts";
import {
  FIGURE_8_NAMES,
  FIGURE_9_NAMES,
  type Figure8Queue,
  type Figure9Queue,
  SLICES,
  type SliceCost,
  type Slices,
} from "./queue-figures.ts";

/** Figure 8: one stream at one R. */
export interface Comparisons {
  readonly stream: string;
  readonly batch: number;
  /** Of a crawl: how many keys went in. */
  readonly keys?: number;
  readonly comparisons: Readonly<Record<Figure8Queue, number>>;
}

/** Figure 9: block transfers per 1,000 pairs. */
export interface Transfers {
  readonly name: Figure9Queue;
  readonly share: number;
  readonly batch: number;
  readonly blocks: number;
}

/** Figure 10: T slices, counted and timed. */
export interface SlicePoint extends SliceCost {
  readonly kind: Slices;
  readonly slices: number;
}

/** Everything that was found out about queues. */
export interface QueueResults {
  readonly keys: number;
  readonly sliceKeys: number;
  readonly sliceBatch: number;
  readonly drawn: readonly Comparisons[];
  readonly recorded: readonly Comparisons[];
  readonly transfers: readonly Transfers[];
  readonly points: readonly SlicePoint[];
  readonly table1: readonly SlicePoint[];
}

/** The document's table 1: extract, insert. */
const PAPER_1: Readonly<Record<number, readonly [extract: number, insert: number]>> = {
  1: [1, 1],
  2: [0.99, 0.98],
  4: [0.98, 0.97],
  8: [0.95, 0.93],
};

export function queueTables(results: QueueResults): Table[] {
  const { drawn, recorded, transfers, points, table1, keys, sliceKeys, sliceBatch } = results;
  const values = ({ comparisons }: Comparisons) =>
    FIGURE_8_NAMES.map((name) => rounded(comparisons[name], 2));
  return [
    {
      title: `Figure 8: key comparisons per pair of a key in and a key out (uniform: ${keys} keys)`,
      columns: [counted("keys"), counted("R"), ...FIGURE_8_NAMES.map((name) => counted(name))],
      rows: drawn.map((each) => [each.stream, each.batch, ...values(each)]),
    },
    {
      title: "Figure 8, keys of real crawls (which page comes when depends on the moment)",
      columns: [
        measured("keys"),
        measured("keys that went in"),
        measured("R"),
        ...FIGURE_8_NAMES.map((name) => measured(name)),
      ],
      rows: recorded.map((each) => [each.stream, each.keys ?? null, each.batch, ...values(each)]),
    },
    {
      title: `Figure 9: blocks read and written per 1,000 pairs, ${keys} keys of a heavy-tailed distribution, 4 KiB blocks`,
      columns: [
        counted("memory", "% of the queue"),
        counted("R"),
        ...FIGURE_9_NAMES.map((name) => counted(name, "blocks")),
      ],
      rows: groups(transfers).map(([share, batch]) => [
        100 * share,
        batch,
        ...FIGURE_9_NAMES.map((name) => rounded(blocksAt(transfers, name, share, batch), 2)),
      ]),
    },
    {
      title: `Table 1: mean work / mean maximum of T CBT slices, R = ${sliceBatch}, ${sliceKeys} keys (the document has 80,000,000)`,
      columns: [
        counted("T"),
        counted("R/T"),
        counted("extract"),
        counted("insert"),
        counted("extract, document"),
        counted("insert, document"),
      ],
      rows: table1.map(({ slices, extract, insert }) => [
        slices,
        Math.floor(sliceBatch / slices),
        rounded(extract, 3),
        rounded(insert, 3),
        ...PAPER_1[slices]!,
      ]),
    },
    {
      title: `Figure 10: speed-up time(1) / time(T) on real threads, and counted work(1) / longest work(T), ${sliceKeys} keys, R = ${sliceBatch}`,
      columns: [
        counted("queue"),
        counted("T", "threads"),
        counted("counted speed-up"),
        measured("measured speed-up"),
        measured("time of all rounds, mean", "ms"),
        measured("least", "ms"),
        measured("most", "ms"),
      ],
      rows: points.map((point) => {
        const { mean, low, high } = spreadOf(point.times);
        return [
          point.kind,
          point.slices,
          rounded(countedSpeedUp(points, point), 2),
          rounded(speedUp(points, point, mean), 2),
          rounded(mean, 1),
          rounded(low, 1),
          rounded(high, 1),
        ];
      }),
    },
  ];
}

function groups(transfers: readonly Transfers[]): [share: number, batch: number][] {
  const seen = new Map(transfers.map(({ share, batch }) => [`${share} ${batch}`, [share, batch]]));
  return [...seen.values()] as [number, number][];
}

function blocksAt(all: readonly Transfers[], name: Figure9Queue, share: number, batch: number) {
  return all.find((t) => t.name === name && t.share === share && t.batch === batch)!.blocks;
}

function alone(points: readonly SlicePoint[], { kind }: SlicePoint): SlicePoint {
  return points.find((each) => each.kind === kind && each.slices === 1)!;
}

function countedSpeedUp(points: readonly SlicePoint[], point: SlicePoint): number {
  return alone(points, point).longest / point.longest;
}

function speedUp(points: readonly SlicePoint[], point: SlicePoint, time: number): number {
  return spreadOf(alone(points, point).times).mean / time;
}

export function queuePlots(results: QueueResults): LabPlot[] {
  const { drawn, recorded, transfers, points } = results;
  const R = { label: "R, keys per batch", log: true };
  const figure8 = (title: string, caption: string, all: readonly Comparisons[]) => {
    const streams = [...new Set(all.map(({ stream }) => stream))];
    return linePlot({
      title,
      caption,
      x: R,
      y: { label: "comparisons", unit: "per pair", log: true },
      series: streams.flatMap((stream, i) =>
        FIGURE_8_NAMES.map(
          (name): PlotSeries => ({
            name: `${name}, ${stream}`,
            draw: i === 0 ? "line" : "dashed",
            points: all
              .filter((each) => each.stream === stream)
              .map(({ batch, comparisons }) => ({ x: batch, y: comparisons[name] })),
          }),
        ),
      ),
    });
  };
  return [
    {
      name: "figure-8",
      svg: figure8(
        "Figure 8: key comparisons against R",
        "Quickheap needs fewer comparisons the larger the batch; a binary heap does not care; CBT pays for selections among 2R keys. No spread: everything is counted.",
        drawn,
      ),
    },
    {
      name: "figure-8-crawls",
      svg: figure8(
        "Figure 8: key comparisons against R, keys of two real crawls",
        crawlsCaption(recorded),
        recorded,
      ),
    },
    {
      name: "figure-9",
      svg: linePlot({
        title: "Figure 9: block transfers against R, 10 % and 30 % of the queue in memory",
        caption:
          "Solid: 10 % in memory, dashed: 30 %. The queue that ships gives up the order within a range and moves far fewer blocks than both of the document's. No spread: everything is counted.",
        x: R,
        y: { label: "blocks read and written", unit: "per 1,000 pairs" },
        series: [0.1, 0.3].flatMap((share) =>
          FIGURE_9_NAMES.map(
            (name): PlotSeries => ({
              name: `${name}, ${100 * share} %`,
              draw: share === 0.1 ? "line" : "dashed",
              points: transfers
                .filter((t) => t.name === name && t.share === share)
                .map(({ batch, blocks }) => ({ x: batch, y: blocks })),
            }),
          ),
        ),
      }),
    },
    {
      name: "figure-10",
      svg: linePlot({
        title: "Figure 10: speed-up on real threads",
        caption: `${gainCaption(points)} Bars show the least and the most of all runs; the document's machine has 8 cores.`,
        x: { label: "threads", log: true },
        y: { label: "time(1) / time(T)" },
        series: slicePlot((point) => {
          const { mean, low, high } = spreadOf(point.times);
          return {
            y: speedUp(points, point, mean),
            low: speedUp(points, point, high),
            high: speedUp(points, point, low),
          };
        }, points),
      }),
    },
    {
      name: "figure-10-counted",
      svg: linePlot({
        title: "Figure 10, counted: work of 1 slice / longest work of T slices",
        caption:
          "What T cores could gain if threads cost nothing. CBT slices scale, independent Quickheaps wait for one another, one stack of pivots for all slices scales best. No spread: everything is counted.",
        x: { label: "slices", log: true },
        y: { label: "speed-up in comparisons", log: true },
        series: [
          ...slicePlot((point) => ({ y: countedSpeedUp(points, point) }), points),
          {
            name: "optimal",
            draw: "dashed",
            points: [...new Set(points.map(({ slices }) => slices))].map((t) => ({ x: t, y: t })),
          },
        ],
      }),
    },
  ];
}

function crawlsCaption(recorded: readonly Comparisons[]): string {
  const least = recorded.filter(
    ({ comparisons }) => comparisons.Quickheap <= Math.min(...Object.values(comparisons)),
  ).length;
  return `Quickheap compares least at ${least} of ${recorded.length} points. All need fewer comparisons than with drawn keys, because a crawl keeps fewer of them; a queue that a batch empties needs none, which a logarithmic axis does not show. One recording of each crawl.`;
}

/** Whether threads paid. */
function gainCaption(points: readonly SlicePoint[]): string {
  const gain = (point: SlicePoint) => speedUp(points, point, spreadOf(point.times).mean);
  const best = points.reduce((a, b) => (gain(b) > gain(a) ? b : a));
  return best.slices === 1
    ? "No queue is faster on several threads than on one here: a round is too short for what waiting for each other costs."
    : `The best is ${best.kind} on ${best.slices} threads (${rounded(gain(best), 2)}); above as many threads as the machine has cores there is nothing to gain.`;
}

function slicePlot(
  of: (point: SlicePoint) => { y: number; low?: number; high?: number },
  points: readonly SlicePoint[],
): PlotSeries[] {
  return SLICES.map((kind) => ({
    name: kind,
    points: points
      .filter((point) => point.kind === kind)
      .map((point) => ({ x: point.slices, ...of(point) })),
  }));
}
