import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { axisScale, shortNumber } from "../../../src/stats/plot/axis-scale.ts";
import { barPlot } from "../../../src/stats/plot/bar-plot.ts";
import { histogramPlot } from "../../../src/stats/plot/histogram-plot.ts";
import { linePlot } from "../../../src/stats/plot/line-plot.ts";
import { logBins } from "../../../src/stats/plot/log-bins.ts";
import { escapeMarkup } from "../../../src/stats/plot/plot-frame.ts";
import { timelinePlot } from "../../../src/stats/plot/timeline-plot.ts";

const HOSTILE = `<script>alert("x")</script> & 'quoted' \u0000\u001b`;

/** Every opening tag has its end, in order: what a strict XML reader would insist on. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gi)) {
    if (close === "/") assert.equal(open.pop(), name);
    else if (self !== "/") open.push(name!);
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
}

const plots = (title: string, values: readonly number[]) => [
  linePlot({
    title,
    caption: title,
    x: { label: title, log: true },
    y: { label: title, unit: title },
    series: [{ name: title, points: values.map((y, i) => ({ x: i, y, low: y / 2, high: y * 2 })) }],
  }),
  barPlot({
    title,
    x: title,
    y: { label: title },
    names: [title, "other"],
    groups: values.map((value) => ({
      label: title,
      bars: [{ value }, { value, low: 0, high: 1 }],
    })),
  }),
  histogramPlot({
    title,
    x: { label: title },
    y: { label: title, log: true },
    bins: logBins(values),
    marks: [{ name: title, value: values[0] ?? 0 }],
  }),
  timelinePlot({
    title,
    x: { label: title, unit: "ms" },
    kinds: [title],
    rows: [{ name: title, spans: values.map((to) => ({ from: 0, to, kind: title })) }],
  }),
];

test("words from a crawl cannot become markup in any plot", () => {
  for (const svg of plots(HOSTILE, [1, 2, 3])) {
    assertWellFormed(svg);
    assert.doesNotMatch(svg, /<script|[^\P{Cc}\n]/u);
    assert.match(svg, /&#60;script&#62;/);
  }
  assert.equal(escapeMarkup(`a<b>"&'`), "a&#60;b&#62;&#34;&#38;&#39;");
});

test("any numbers give a well-formed plot", () => {
  const number = fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: false }), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(number, { maxLength: 60 }), (values) => {
      for (const svg of plots("title", values)) assertWellFormed(svg);
    }),
    { numRuns: 100 },
  );
});

test("a logarithmic axis leaves out what it cannot show", () => {
  const scale = axisScale({ label: "x", log: true }, [0, 1, 100], 0, 200);
  assert.equal(scale.at(0), undefined);
  assert.equal(scale.at(10), 100);
  assert.deepEqual(scale.ticks, [1, 100]);
});

test("a logarithmic axis that goes further than its values has round marks over all of it", () => {
  const { ticks } = axisScale({ label: "y", log: true, from: 0.5 }, [17, 23], 100, 0);
  assert.deepEqual(ticks, [1, 3, 10]);
});

test("a linear axis begins at 0 and has marks at round numbers", () => {
  const scale = axisScale({ label: "y" }, [3, 47], 100, 0);
  assert.equal(scale.at(0), 100);
  assert.deepEqual(scale.ticks, [0, 10, 20, 30, 40]);
});

test("bins hold every value once, and zeroes by themselves", () => {
  const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(100_000), positive)), (values) => {
      const bins = logBins(values);
      for (const { from, to, count } of bins) {
        const isZero = from === 0;
        const inside = values.filter((v) => (isZero ? v === 0 : v > 0 && v >= from && v < to));
        assert.equal(inside.length, count);
      }
      assert.equal(
        bins.reduce((sum, { count }) => sum + count, 0),
        values.length,
      );
    }),
  );
});

test("the spread of runs is drawn", () => {
  const plot = (spread: object) =>
    linePlot({
      title: "t",
      x: { label: "x" },
      y: { label: "y" },
      series: [{ name: "s", points: [{ x: 1, y: 10, ...spread }] }],
    });
  assert.doesNotMatch(plot({}), /class="ow-spread/);
  assert.match(plot({ low: 5, high: 12 }), /class="ow-spread/);
});

test("numbers on axes are short", () => {
  assert.deepEqual([0.1234, 12, 9999, 12_000, 1_500_000].map(shortNumber), [
    "0.123",
    "12",
    "9999",
    "12k",
    "1.5M",
  ]);
});
