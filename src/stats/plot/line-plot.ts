import { type Axis, axisScale } from "./axis-scale.ts";
import {
  framed,
  horizontalAxis,
  type LegendEntry,
  type PlotText,
  plotArea,
  round,
  verticalAxis,
} from "./plot-frame.ts";
import { COLOURS } from "./plot-style.ts";

/** A value, and between which others the runs lay. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

/** A curve, or points alone. */
export interface PlotSeries {
  readonly name: string;
  readonly points: readonly PlotPoint[];
  /** "line" with marks (default), "dashed" the same, "points" without a line, "bare" a line without marks. */
  readonly draw?: "line" | "dashed" | "points" | "bare";
}

/** Curves or points over two axes. */
export interface LinePlot extends PlotText {
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly PlotSeries[];
  readonly height?: number;
}

/** More points than this get a band instead of a bar each, and no marks. */
const MAX_BARS = 40;
const CAP = 4;

/** The text of an SVG file. */
export function linePlot(plot: LinePlot): string {
  const area = plotArea(plot, plot.height ?? 300);
  const points = plot.series.flatMap((series) => series.points);
  const ys = points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]);
  const xScale = axisScale(
    plot.x,
    points.map(({ x }) => x),
    area.left,
    area.right,
  );
  const yScale = axisScale(plot.y, ys, area.bottom, area.top);
  const parts = [...horizontalAxis(plot.x, xScale, area), ...verticalAxis(plot.y, yScale, area)];
  const legend: LegendEntry[] = [];
  plot.series.forEach((series, i) => {
    const placed = series.points.flatMap((point) => {
      const x = xScale.at(point.x);
      const y = yScale.at(point.y);
      if (x === undefined || y === undefined) return [];
      const low = yScale.at(point.low ?? point.y) ?? area.bottom;
      const high = yScale.at(point.high ?? point.y) ?? y;
      return [{ x: round(x), y: round(y), low: round(low), high: round(high) }];
    });
    parts.push(...drawn(series, placed, i));
    const line = lineOf(series, "M-12 0H12", i);
    legend.push({ name: series.name, mark: line + (hasMarks(series) ? mark(i, 0, 0) : "") });
  });
  return framed(plot, area, parts, legend);
}

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

function drawn(series: PlotSeries, placed: readonly Placed[], i: number): string[] {
  const parts: string[] = [];
  const colour = i % COLOURS;
  const isMany = placed.length > MAX_BARS;
  if (isMany && placed.some(({ low, high }) => low !== high)) {
    const up = placed.map(({ x, high }) => `${x} ${high}`);
    const down = placed.map(({ x, low }) => `${x} ${low}`).reverse();
    parts.push(`<path class="ow-band ow-f${colour}" d="M${[...up, ...down].join("L")}Z"/>`);
  }
  parts.push(lineOf(series, `M${placed.map(({ x, y }) => `${x} ${y}`).join("L")}`, i));
  for (const { x, y, low, high } of placed) {
    if (!isMany && low - high > 1) {
      const cap = (at: number) => `M${x - CAP} ${at}h${2 * CAP}`;
      parts.push(
        `<path class="ow-spread ow-l${colour}" d="M${x} ${low}V${high}${cap(low)}${cap(high)}"/>`,
      );
    }
    if (hasMarks(series) && (!isMany || series.draw === "points")) parts.push(mark(i, x, y));
  }
  return parts;
}

const hasMarks = ({ draw }: PlotSeries) => draw !== "bare";

function lineOf({ draw, points }: PlotSeries, path: string, i: number): string {
  if (draw === "points" || points.length === 0) return "";
  const dash = draw === "dashed" ? " ow-dash" : "";
  return `<path class="ow-line ow-l${i % COLOURS}${dash}" d="${path}"/>`;
}

/** A shape per series, so that colour is not all that tells them apart. */
function mark(i: number, x: number, y: number): string {
  const kind = `class="ow-f${i % COLOURS}"`;
  switch (i % 4) {
    case 0:
      return `<circle ${kind} cx="${x}" cy="${y}" r="4"/>`;
    case 1:
      return `<rect ${kind} x="${round(x - 3.6)}" y="${round(y - 3.6)}" width="7.2" height="7.2"/>`;
    case 2:
      return `<path ${kind} d="M${x} ${round(y - 5)}l5 8.6h-10Z"/>`;
    default:
      return `<path ${kind} d="M${x} ${round(y - 5.2)}l5.2 5.2l-5.2 5.2l-5.2 -5.2Z"/>`;
  }
}
