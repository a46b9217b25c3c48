import { type Axis, type AxisScale, shortNumber } from "./axis-scale.ts";
import { PLOT_STYLE } from "./plot-style.ts";

/** What every plot says about itself. */
export interface PlotText {
  readonly title: string;
  /** What to see in it, in a sentence or two. */
  readonly caption?: string;
}

/** An entry of the legend: a name and the mark beside it. */
export interface LegendEntry {
  readonly name: string;
  /** SVG of the mark, drawn around 0,0 within 24 x 12. */
  readonly mark: string;
}

export const WIDTH = 680;
const FONT = 14;
/** Average width of a character in parts of its height; long texts are broken by it. */
const CHARACTER = 0.54;
/** Titles are larger and bold, so they are broken as if larger still. */
const BOLD = 17.5;
const LEFT = 78;
const RIGHT = 24;
const LINE = 19;
const MARK_WIDTH = 30;

/** Replaces what XML and HTML would read as markup; control characters that XML does not allow are left out. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\u{fffe}\u{ffff}]/gu, " ")
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Breaks text into lines that fit so many pixels. */
export function brokenLines(text: string, width: number, size: number = FONT): string[] {
  const most = Math.max(8, Math.floor(width / (size * CHARACTER)));
  const lines: string[] = [""];
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

/** Width of a text in pixels, about. */
export function textWidth(text: string, size: number = FONT): number {
  return text.length * size * CHARACTER;
}

/** A text at a place. */
export function textAt(
  x: number,
  y: number,
  text: string,
  kind: string,
  anchor: "start" | "middle" | "end" = "start",
): string {
  const place = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}"${place}>${escapeMarkup(text)}</text>`;
}

/** Pixels to a tenth: enough, and the same on every machine. */
export function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** The area that data is drawn into. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the data goes, for a plot with this title and height of data; `left` where labels need more room. */
export function plotArea({ title }: PlotText, height: number, left: number = LEFT): PlotArea {
  const top = 18 + LINE * brokenLines(title, WIDTH - 24, BOLD).length;
  return { left, right: WIDTH - RIGHT, top, bottom: top + height };
}

/** Title, axes, legend and caption around what was drawn, as the text of an SVG file. */
export function framed(
  text: PlotText,
  area: PlotArea,
  parts: readonly string[],
  legend: readonly LegendEntry[],
  belowAxis = 44,
): string {
  const out: string[] = [];
  let y = 22;
  for (const line of brokenLines(text.title, WIDTH - 24, BOLD)) {
    out.push(textAt(12, y, line, "ow-title"));
    y += LINE;
  }
  out.push(...parts);
  y = area.bottom + belowAxis;
  if (legend.length > 0) {
    let x = 12;
    y += LINE;
    for (const { name, mark } of legend) {
      const width = MARK_WIDTH + textWidth(name) + 18;
      if (x > 12 && x + width > WIDTH - 12) {
        x = 12;
        y += LINE;
      }
      out.push(`<g transform="translate(${round(x + 12)} ${round(y - 5)})">${mark}</g>`);
      out.push(textAt(x + MARK_WIDTH, y, name, "ow-text"));
      x += width;
    }
  }
  if (text.caption !== undefined && text.caption !== "") {
    y += 6;
    for (const line of brokenLines(text.caption, WIDTH - 24)) {
      y += LINE;
      out.push(textAt(12, y, line, "ow-caption"));
    }
  }
  const height = Math.ceil(y + 14);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="ow-plot" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escapeMarkup(text.title)}</title>`,
    ...(text.caption ? [`<desc>${escapeMarkup(text.caption)}</desc>`] : []),
    `<style>${PLOT_STYLE}</style>`,
    `<rect class="ow-ground" width="${WIDTH}" height="${height}"/>`,
    ...out,
    "</svg>\n",
  ].join("\n");
}

/** The name of an axis with its unit. */
export function axisTitle({ label, unit }: Axis): string {
  return unit === undefined || unit === "" ? label : `${label} (${unit})`;
}

/** Marks, grid lines and title of the horizontal axis. */
export function horizontalAxis(axis: Axis, scale: AxisScale, area: PlotArea): string[] {
  const { left, right, top, bottom } = area;
  const parts = [textAt((left + right) / 2, bottom + 40, axisTitle(axis), "ow-text", "middle")];
  let free = -Infinity;
  for (const tick of scale.ticks) {
    const x = round(scale.at(tick)!);
    parts.push(`<line class="ow-grid" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>`);
    const label = shortNumber(tick);
    const half = textWidth(label, 12) / 2;
    if (x - half < free) continue; // it would run into the one before
    free = x + half + 4;
    parts.push(textAt(x, bottom + 18, label, "ow-tick", "middle"));
  }
  parts.push(`<line class="ow-axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`);
  return parts;
}

/** Marks, grid lines and title of the vertical axis. */
export function verticalAxis(axis: Axis, scale: AxisScale, area: PlotArea): string[] {
  const { left, right, top, bottom } = area;
  const middle = round((top + bottom) / 2);
  const parts = [
    `<text class="ow-text" transform="translate(18 ${middle}) rotate(-90)" text-anchor="middle">${escapeMarkup(axisTitle(axis))}</text>`,
  ];
  for (const tick of scale.ticks) {
    const y = round(scale.at(tick)!);
    parts.push(
      `<line class="ow-grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>`,
      textAt(left - 8, y + 4, shortNumber(tick), "ow-tick", "end"),
    );
  }
  parts.push(`<line class="ow-axis" x1="${left}" x2="${left}" y1="${top}" y2="${bottom}"/>`);
  return parts;
}
