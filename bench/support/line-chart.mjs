import { linePlot } from "../../build/src/stats/plot/line-plot.js";

/**
 * A line chart of the product's plotting module, in the short notation of the benches: `series` is
 * { name: [[x, y], …] }; `dashed` answers by name which lines are. Returns the text of an SVG file.
 */
export function lineChart({ title, caption, x, y, series, logX = false, logY = false, dashed }) {
  return linePlot({
    title,
    ...(caption === undefined ? {} : { caption }),
    x: { label: x, log: logX },
    y: { label: y, log: logY },
    series: Object.entries(series).map(([name, points]) => ({
      name,
      draw: dashed?.(name) ? "dashed" : "line",
      points: points.map(([px, py]) => ({ x: px, y: py })),
    })),
  });
}
