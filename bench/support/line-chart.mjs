// A line chart as SVG text: enough for the figures of a report, no dependency.

const WIDTH = 760;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 260;
const TOP = 50;
const BOTTOM = 55;
const COLOURS = [
  ...["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"],
  ...["#7f7f7f", "#bcbd22"],
];
/** An axis with more different values than this gets marks at round numbers instead. */
const MAX_MARKS = 10;

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const short = (value) => {
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e4) return `${value / 1e3}k`;
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(3)));
};

/** A scale from values to pixels with the places of its ticks: on a logarithmic axis the values themselves, if few. */
function scale(values, log, from, to) {
  const low = log ? Math.min(...values) : Math.min(0, ...values);
  const high = Math.max(...values);
  const of = (value) => {
    const share = log
      ? Math.log(value / low) / Math.log(high / low || 1)
      : (value - low) / (high - low || 1);
    return from + (Number.isFinite(share) ? share : 0.5) * (to - from);
  };
  if (!log) return { of, ticks: linearTicks(low, high) };
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return { of, ticks: distinct.length <= MAX_MARKS ? distinct : logTicks(low, high) };
}

function linearTicks(low, high) {
  const rough = (high - low || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high * 1.0001; t += step) ticks.push(t);
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  const base = high / low > 200 ? 10 : 2;
  for (
    let t = base ** Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
    t <= high * 1.0001;
    t *= base
  ) {
    ticks.push(t);
  }
  return ticks;
}

/** `series` is { name: [[x, y], …] }; `dashed` answers by name which lines are; returns the text of an SVG file. */
export function lineChart({ title, x, y, series, logX = false, logY = false, dashed }) {
  const points = Object.values(series).flat();
  const xs = scale(
    points.map((p) => p[0]),
    logX,
    LEFT,
    WIDTH - RIGHT,
  );
  const ys = scale(
    points.map((p) => p[1]),
    logY,
    HEIGHT - BOTTOM,
    TOP,
  );
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="24" font-size="13" font-weight="bold">${escaped(title)}</text>`,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${escaped(x)}</text>`,
    `<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
  ];
  for (const tick of xs.ticks) {
    const at = xs.of(tick).toFixed(1);
    parts.push(
      `<line x1="${at}" x2="${at}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="#ddd"/>`,
      `<text x="${at}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${short(tick)}</text>`,
    );
  }
  for (const tick of ys.ticks) {
    const at = ys.of(tick).toFixed(1);
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/>`,
      `<text x="${LEFT - 6}" y="${Number(at) + 4}" text-anchor="end">${short(tick)}</text>`,
    );
  }
  Object.entries(series).forEach(([name, line], i) => {
    const colour = COLOURS[i % COLOURS.length];
    const dots = line.map(([px, py]) => [xs.of(px).toFixed(1), ys.of(py).toFixed(1)]);
    const legend = TOP + 10 + 20 * i;
    const dash = dashed?.(name) ? ' stroke-dasharray="6 4"' : "";
    parts.push(
      `<polyline fill="none" stroke="${colour}" stroke-width="2"${dash} points="${dots.map((d) => d.join(",")).join(" ")}"/>`,
      ...dots.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`),
      `<line x1="${WIDTH - RIGHT + 8}" x2="${WIDTH - RIGHT + 26}" y1="${legend - 4}" y2="${legend - 4}" stroke="${colour}" stroke-width="3"${dash}/>`,
      `<text x="${WIDTH - RIGHT + 30}" y="${legend}">${escaped(name)}</text>`,
    );
  });
  return `${parts.join("\n")}\n</svg>\n`;
}
