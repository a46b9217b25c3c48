import type { Cell, Column, Verdict } from "../experiment.ts";

/** A cell for people: thousands apart, four digits that count. */
export function cellText(cell: Cell): string {
  if (cell === null) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  if (!Number.isFinite(cell)) return String(cell);
  if (Number.isInteger(cell)) return grouped(cell);
  const size = Math.abs(cell);
  if (size >= 1000) return grouped(Math.round(cell));
  const rounded = Number(cell.toPrecision(4));
  return size >= 1e-4 ? String(rounded) : rounded.toExponential();
}

function grouped(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The head of a column: name, unit, and a dagger if equal seeds repeat it. */
export function columnText({ name, unit, deterministic }: Column): string {
  return `${name}${unit === "" ? "" : ` (${unit})`}${deterministic ? " †" : ""}`;
}

/** What the dagger means. */
export const DAGGER = "† counted: the same for the same --seed; the other columns were measured";

/** The verdict as a sentence. */
export function verdictText({ claim, why }: Verdict): string {
  const word = { agrees: "Agrees", differs: "Differs", partly: "Agrees in part" }[claim];
  return `${word}: ${why}`;
}

/** "agrees", "differs" or nothing. */
export function agreement(agrees: boolean | undefined): string {
  return agrees === undefined ? "not comparable" : agrees ? "agrees" : "differs";
}
