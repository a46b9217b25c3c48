import { type Axis, axisScale } from "./axis-scale.ts";
import {
  framed,
  horizontalAxis,
  type LegendEntry,
  type PlotText,
  plotArea,
  round,
  textAt,
  textWidth,
} from "./plot-frame.ts";
import { COLOURS } from "./plot-style.ts";

/** From one moment to another something was so, such as "holds" or "waits". */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** One of the plot's kinds. */
  readonly kind: string;
}

/** Who did what when: a row per thread, a colour per kind. */
export interface TimelinePlot extends PlotText {
  readonly x: Axis;
  /** Kinds of spans, in the order of the legend. */
  readonly kinds: readonly string[];
  readonly rows: readonly { readonly name: string; readonly spans: readonly Span[] }[];
}

const ROW = 24;
const MAX_LABEL = 170;

/** The text of an SVG file. Spans of no known kind are not drawn. */
export function timelinePlot(plot: TimelinePlot): string {
  const widest = Math.max(40, ...plot.rows.map(({ name }) => textWidth(name, 12)));
  const area = plotArea(
    plot,
    ROW * Math.max(1, plot.rows.length),
    20 + Math.min(MAX_LABEL, widest),
  );
  const moments = plot.rows.flatMap(({ spans }) => spans.flatMap(({ from, to }) => [from, to]));
  const scale = axisScale(plot.x, moments, area.left, area.right);
  const parts = horizontalAxis(plot.x, scale, area);
  plot.rows.forEach(({ name, spans }, row) => {
    const y = area.top + ROW * row;
    parts.push(textAt(area.left - 8, y + ROW / 2 + 4, name, "ow-tick", "end"));
    for (const { from, to, kind } of spans) {
      const [start, end] = [scale.at(from), scale.at(to)];
      const colour = plot.kinds.indexOf(kind);
      if (colour < 0 || start === undefined || end === undefined) continue;
      const width = round(Math.max(0.6, end - start));
      parts.push(
        `<rect class="ow-f${colour % COLOURS}" x="${round(start)}" y="${y + 3}" width="${width}" height="${ROW - 6}"/>`,
      );
    }
  });
  const legend: LegendEntry[] = plot.kinds.map((name, i) => ({
    name,
    mark: `<rect class="ow-f${i % COLOURS}" x="-8" y="-6" width="16" height="12"/>`,
  }));
  return framed(plot, area, parts, legend);
}
