import { type Axis, axisScale } from "./axis-scale.ts";
import {
  brokenLines,
  framed,
  type LegendEntry,
  type PlotText,
  plotArea,
  round,
  textAt,
  verticalAxis,
} from "./plot-frame.ts";
import { COLOURS } from "./plot-style.ts";

/** A height, and between which others the runs lay. */
export interface Bar {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

/** Bars side by side: one group per label, one bar per name in each. */
export interface BarPlot extends PlotText {
  /** What the labels are. */
  readonly x: string;
  readonly y: Axis;
  /** Names of the bars of a group; a single one needs no legend. */
  readonly names: readonly string[];
  readonly groups: readonly { readonly label: string; readonly bars: readonly Bar[] }[];
  readonly height?: number;
}

/** The text of an SVG file. */
export function barPlot(plot: BarPlot): string {
  const area = plotArea(plot, plot.height ?? 280);
  const { left, right, top, bottom } = area;
  const values = plot.groups.flatMap(({ bars }) => bars.flatMap((b) => [b.value, b.high ?? 0]));
  const scale = axisScale(plot.y, values, bottom, top);
  const parts = verticalAxis(plot.y, scale, area);
  const step = (right - left) / Math.max(1, plot.groups.length);
  const width = (step * 0.8) / Math.max(1, plot.names.length);
  let lines = 1;
  plot.groups.forEach(({ label, bars }, g) => {
    const start = left + step * g + step * 0.1;
    bars.forEach(({ value, low, high }, i) => {
      const y = round(scale.at(value) ?? bottom);
      const x = round(start + width * i);
      parts.push(
        `<rect class="ow-f${i % COLOURS}" x="${x}" y="${y}" width="${round(Math.max(1, width - 1))}" height="${round(bottom - y)}"/>`,
      );
      if (low === undefined || high === undefined) return;
      const centre = round(x + width / 2);
      const [from, to] = [scale.at(low) ?? bottom, scale.at(high) ?? bottom].map(round);
      parts.push(`<path class="ow-spread ow-whisker" d="M${centre} ${from}V${to}m-4 0h8"/>`);
    });
    const broken = brokenLines(label, step, 12);
    lines = Math.max(lines, broken.length);
    broken.forEach((line, i) => {
      parts.push(textAt(left + step * (g + 0.5), bottom + 18 + 14 * i, line, "ow-tick", "middle"));
    });
  });
  parts.push(
    `<line class="ow-axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    textAt((left + right) / 2, bottom + 26 + 14 * lines, plot.x, "ow-text", "middle"),
  );
  const legend: LegendEntry[] =
    plot.names.length < 2
      ? []
      : plot.names.map((name, i) => ({
          name,
          mark: `<rect class="ow-f${i % COLOURS}" x="-8" y="-6" width="16" height="12"/>`,
        }));
  return framed(plot, area, parts, legend, 30 + 14 * lines);
}
