import { type Axis, axisScale } from "./axis-scale.ts";
import type { Bin } from "./log-bins.ts";
import {
  framed,
  horizontalAxis,
  type PlotText,
  plotArea,
  round,
  textAt,
  verticalAxis,
} from "./plot-frame.ts";

/** A histogram over a logarithmic axis, of bins as `logBins` makes them. */
export interface HistogramPlot extends PlotText {
  readonly x: Axis;
  readonly y: Axis;
  readonly bins: readonly Bin[];
  /** Values to mark by a vertical line, such as the mean. */
  readonly marks?: readonly { readonly name: string; readonly value: number }[];
  readonly height?: number;
}

const ZERO_WIDTH = 34;

/** The text of an SVG file. The bin of zeroes, which no logarithm has, stands by itself on the left. */
export function histogramPlot(plot: HistogramPlot): string {
  const area = plotArea(plot, plot.height ?? 260);
  const { left, right, top, bottom } = area;
  const zero = plot.bins.find(({ from }) => from === 0);
  const bins = plot.bins.filter((bin) => bin !== zero);
  const start = zero === undefined ? left : left + ZERO_WIDTH + 12;
  const edges = bins.flatMap(({ from, to }) => [from, to]);
  const x = axisScale({ ...plot.x, log: true }, edges, start, right);
  const counts = plot.bins.map(({ count }) => count);
  // On a logarithmic axis a bin of one must be seen, too.
  const lowest = plot.y.log ? { from: 0.5 } : {};
  const y = axisScale({ ...lowest, ...plot.y }, counts, bottom, top);
  const parts = [
    ...horizontalAxis(plot.x, x, { ...area, left: start }),
    ...verticalAxis(plot.y, y, area),
  ];
  const bar = (from: number, to: number, count: number) => {
    if (count === 0) return;
    const height = round(y.at(count) ?? bottom);
    parts.push(
      `<rect class="ow-f0" x="${round(from)}" y="${height}" width="${round(Math.max(1, to - from - 1))}" height="${round(bottom - height)}"/>`,
    );
  };
  if (zero !== undefined) {
    bar(left + 4, left + ZERO_WIDTH, zero.count);
    parts.push(textAt(left + ZERO_WIDTH / 2, bottom + 18, "0", "ow-tick", "middle"));
  }
  for (const { from, to, count } of bins) bar(x.at(from)!, x.at(to)!, count);
  const legend = (plot.marks ?? []).flatMap(({ name, value }, i) => {
    const at = x.at(value);
    if (at === undefined) return [];
    const colour = `ow-line ow-l${i + 1} ow-dash`;
    parts.push(`<path class="${colour}" d="M${round(at)} ${bottom}V${top}"/>`);
    return [{ name, mark: `<path class="${colour}" d="M-12 0H12"/>` }];
  });
  return framed(plot, area, parts, legend);
}
