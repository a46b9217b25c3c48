// Figures 8 to 10 and table 1 of seed 002, drawn from stored results: no measurement is needed to draw them anew.
import { lineChart } from "../support/line-chart.mjs";

const R = "R, keys per batch";
const T = "T, slices (one thread each)";

/** SVG texts by file name, of the sections that are there. */
export function plotsOf({ figure8, figure9, slices }) {
  return {
    ...(figure8 && {
      "queue-figure-8": lineChart({
        title: figure8.title,
        x: R,
        y: "comparisons per extracted and inserted key",
        series: figure8.series,
        logX: true,
      }),
    }),
    ...(figure9 && {
      "queue-figure-9": lineChart({
        title: figure9.title,
        x: R,
        y: "blocks read and written per 1000 pairs",
        series: figure9.series,
        logX: true,
        dashed: (name) => name.endsWith("30 %"),
      }),
    }),
    ...(slices && slicePlots(slices.table)),
  };
}

function slicePlots(table) {
  const counts = [...new Set(table.map((row) => row.T))];
  const speedups = { optimal: counts.map((t) => [t, t]) };
  const efficiencies = {};
  for (const { slices, T: t, extract, insert, "speed-up": speedup } of table) {
    speedups[slices] ??= [];
    speedups[slices].push([t, speedup]);
    for (const [what, value] of Object.entries({ extract, insert })) {
      const key = `${slices.split(" ")[0]} ${what}`;
      efficiencies[key] ??= [];
      efficiencies[key].push([t, value]);
    }
  }
  return {
    "queue-figure-10": lineChart({
      title: "Figure 10: speed-up of T slices (counted work, not time)",
      x: T,
      y: "work of 1 slice / longest of T slices",
      series: speedups,
      logX: true,
      logY: true,
      dashed: (name) => name === "optimal",
    }),
    "queue-table-1": lineChart({
      title: "Table 1: efficiency of T slices = average work / longest work (1 is best)",
      x: T,
      y: "efficiency",
      series: efficiencies,
      logX: true,
      dashed: (name) => name.endsWith("insert"),
    }),
  };
}
