// Charts of the course of a crawl. All share their time axis and their cursor.

import { get } from "./api.js";
import * as format from "./format.js";
import uPlot from "./vendor/uPlot.esm.js";

const HEIGHT = 170;
const MAX_CODES = 6;
const LIGHT = ["#2458b8", "#b3470b", "#1a7a43", "#8c3fa8", "#9b1c40", "#0c7489", "#6b6f00"];
const DARK = ["#8ab4ff", "#ffb072", "#7fd598", "#dba3f0", "#ff9db5", "#6fd3e6", "#d9db6a"];

const perSecond = (value) => (value == null ? "–" : `${format.rate(value)}/s`);
const bytes = (value) => (value == null ? "–" : format.bytes(value));

/** Title, columns with their names, and how a value is written. */
const CHARTS = [
  ["Pages per second", [["pages", (s) => s.pagesPerSecond]], perSecond],
  [
    "Received per second",
    [["bytes", (s) => s.bytesPerSecond]],
    (v) => (v == null ? "–" : `${bytes(v)}/s`),
  ],
  ["Queue", [["URLs", (s) => s.queued]], (v) => (v == null ? "–" : format.count(v))],
  [
    "In flight",
    [
      ["requests", (s) => s.inFlight],
      ["hosts waiting", (s) => s.hostsWaiting],
    ],
    (v) => (v == null ? "–" : format.count(v)),
  ],
  ["Failures per second, by code", "errors", perSecond],
  [
    "Response time",
    [
      ["median", (s) => s.p50],
      ["90 %", (s) => s.p90],
      ["99 %", (s) => s.p99],
    ],
    (v) => (v == null ? "–" : format.milliseconds(v)),
  ],
  ["Memory", [["resident", (s) => s.rssBytes]], bytes],
  [
    "CPU by stage, in cores",
    ["read", "follow", "store", "commit", "rest"].map((stage) => [stage, (s) => s.cpu[stage]]),
    (v) => (v == null ? "–" : v.toFixed(2)),
  ],
];

const two = (value) => String(value).padStart(2, "0");

/** A moment, as exact as marks that are so many seconds apart need it. */
function moment(seconds, apart) {
  const time = new Date(1000 * seconds);
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (apart < 60) return `${clock}:${two(time.getSeconds())}`;
  const day = `${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  if (apart >= 86_400) return day;
  return apart >= 7200 ? `${day} ${clock}` : clock;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Draws all charts into a place, and keeps them up to date. */
export class Charts {
  #place;
  #plots = [];
  #last = "600";
  #zoomed = false;
  #series;

  constructor(place, spans) {
    this.#place = place;
    for (const button of spans.querySelectorAll("button"))
      button.addEventListener("click", () => {
        for (const other of spans.querySelectorAll("button"))
          other.setAttribute("aria-pressed", String(other === button));
        this.#last = button.dataset.last;
        this.#zoomed = false;
        this.#updateNow();
      });
    dark.addEventListener("change", () => this.#redraw());
    new ResizeObserver(() => this.#resize()).observe(place);
  }

  /** A server that is gone is told about elsewhere. */
  #updateNow() {
    this.update().catch(() => {});
  }

  async update() {
    if (this.#zoomed) return;
    const last = this.#last === "" ? "" : `&last=${this.#last}`;
    this.#show(await get(`api/series?points=400${last}`));
  }

  #show(series) {
    const before = this.#series;
    this.#series = series;
    const isSame =
      before && this.#plots.length > 0 && codesOf(before).join() === codesOf(series).join();
    if (!isSame) return this.#redraw();
    for (const [i, plot] of this.#plots.entries()) plot.setData(dataOf(CHARTS[i], series));
  }

  #redraw() {
    for (const plot of this.#plots) plot.destroy();
    this.#place.replaceChildren();
    const series = this.#series;
    if (!series) return;
    const sync = uPlot.sync("course");
    this.#plots = CHARTS.map((chart) => {
      const figure = format.element("figure");
      figure.append(format.element("figcaption", chart[0]));
      this.#place.append(figure);
      const plot = new uPlot(this.#options(chart, series, sync), dataOf(chart, series), figure);
      plot.root.setAttribute("role", "img");
      plot.root.setAttribute("aria-label", `Chart: ${chart[0]}`);
      return plot;
    });
    this.#resize();
  }

  #options([, columns, write], series, sync) {
    const style = getComputedStyle(document.documentElement);
    const [line, quiet] = [style.getPropertyValue("--line"), style.getPropertyValue("--quiet")];
    const colours = dark.matches ? DARK : LIGHT;
    const axis = { stroke: quiet, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    return {
      width: 320,
      height: HEIGHT,
      cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
      scales: { x: { time: true }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          space: 76,
          values: (_, times, __, ___, apart) => times.map((t) => moment(t, apart)),
        },
        { ...axis, size: 76, values: (_, values) => values.map(write) },
      ],
      series: [
        { label: "time", value: (_, seconds) => (seconds == null ? "–" : moment(seconds, 1)) },
        ...namesOf(columns, series).map((label, i) => ({
          label,
          stroke: colours[i % colours.length],
          width: 1.5,
          spanGaps: true,
          points: { show: false },
          value: (_, value) => write(value),
        })),
      ],
      hooks: {
        setSelect: [
          (plot) => {
            this.#zoomed = plot.select.width > 0;
          },
        ],
        ready: [
          (plot) =>
            plot.over.addEventListener("dblclick", () => {
              this.#zoomed = false;
              this.#updateNow();
            }),
        ],
      },
    };
  }

  #resize() {
    for (const plot of this.#plots) {
      const width = Math.floor(plot.root.parentElement.clientWidth);
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }
}

/** The codes with the most failures. */
function codesOf({ errors }) {
  const sums = Object.entries(errors).map(([code, rates]) => [
    code,
    rates.reduce((a, b) => a + b, 0),
  ]);
  return sums
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_CODES)
    .map(([code]) => code);
}

function namesOf(columns, series) {
  if (columns !== "errors") return columns.map(([name]) => name);
  const codes = codesOf(series);
  return codes.length > 0 ? codes : ["none"];
}

function dataOf([, columns], series) {
  if (columns !== "errors") return [series.time, ...columns.map(([, of]) => of(series))];
  const codes = codesOf(series);
  const none = series.time.map(() => 0);
  return [series.time, ...(codes.length > 0 ? codes.map((code) => series.errors[code]) : [none])];
}
