import { escapeMarkup } from "../../stats/plot/plot-frame.ts";

/** Text that is HTML already; everything else is escaped before it becomes a part of it. */
export interface Markup {
  readonly html: string;
}

/** A cell of a table: numbers stand on the right. */
export type Cell = string | number | Markup;

const MAX_SHOWN = 300;
const HTTP = /^https?:\/\//i;

/** A text as HTML. */
export function escaped(text: string): string {
  return escapeMarkup(text);
}

/** A whole number with thousands set apart, or one with few decimals. */
export function numberText(value: number): string {
  const digits =
    Number.isInteger(value) || value >= 1000
      ? String(Math.round(value))
      : String(Number(value.toPrecision(value >= 1 ? 4 : 3)));
  return digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** A part of 1 in percent. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 1)} %`;
}

/** A URL of the crawl; only web addresses become links, and those tell the site nothing about the reader. */
export function urlMarkup(url: string): Markup {
  const shown = escaped(url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url);
  return {
    html: HTTP.test(url)
      ? `<a href="${escaped(url)}" rel="noopener noreferrer nofollow">${shown}</a>`
      : shown,
  };
}

/** A table that scrolls by itself where the screen is narrow. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly Cell[])[],
  isWide = false,
): string {
  const head = heads.map((text, i) => {
    const isNumber =
      rows.some((row) => typeof row[i] === "number") &&
      rows.every((row) => typeof row[i] === "number" || row[i] === "");
    return `<th scope="col"${isNumber ? ' class="number"' : ""}>${escaped(text)}</th>`;
  });
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
  return `<div class="scroll" tabindex="0"><table${isWide ? ' class="wide"' : ""}><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

function cell(value: Cell): string {
  if (typeof value === "number") return `<td class="number">${numberText(value)}</td>`;
  if (typeof value === "string") return `<td>${escaped(value)}</td>`;
  // An address in a narrow column would be a column of single letters.
  const name = value.html.includes("<a ") ? ' class="address"' : "";
  return `<td${name}>${value.html}</td>`;
}

/** Markup one below the other. */
export function stacked(parts: readonly Markup[]): Markup {
  return { html: parts.map(({ html }) => html).join("<br>") };
}
