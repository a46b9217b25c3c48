import { StoreCorruptError } from "../../errors.ts";
import { linesAt } from "../files/read-file.ts";

/** What the values of a column are; "json" for objects, lists and mixtures. */
export type ColumnKind = "boolean" | "integer" | "number" | "text" | "json";

/** A column of a table that was made from rows. */
export interface RowColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** More fields stand together in one column, as JSON. */
const MAX_COLUMNS = 1000;
/** The name of that column. */
const REST = "_more";

type Row = Readonly<Record<string, unknown>>;
/** A value of a table; null for none. */
export type Cell = string | number | boolean | null;

/** Goes over all rows once: their fields in the order in which they first appear, and what these hold. */
export function columnsOf(path: string): RowColumn[] {
  const kinds = new Map<string, ColumnKind | undefined>();
  let isRest = false;
  for (const row of rowsIn(path)) {
    for (const [name, value] of Object.entries(row)) {
      if (!kinds.has(name) && kinds.size === MAX_COLUMNS) isRest = true;
      else kinds.set(name, widened(kinds.get(name), value));
    }
  }
  const columns = [...kinds].map(([name, kind = "text"]) => ({ name, kind }));
  return isRest ? [...columns, { name: REST, kind: "json" }] : columns;
}

function widened(before: ColumnKind | undefined, value: unknown): ColumnKind | undefined {
  if (value === null) return before;
  const kind = kindOf(value);
  if (before === undefined || before === kind) return kind;
  const areNumbers = [before, kind].every((each) => each === "integer" || each === "number");
  return areNumbers ? "number" : "json";
}

function kindOf(value: unknown): ColumnKind {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return "json";
}

/** The rows as lists of cells in the order of the columns. */
export function* cellsOf(path: string, columns: readonly RowColumn[]): Generator<Cell[], void> {
  const named = new Set(columns.map(({ name }) => name));
  const hasRest = columns.length > MAX_COLUMNS;
  for (const row of rowsIn(path)) {
    const cells = columns.map(({ name, kind }) => cellOf(row, name, kind));
    if (hasRest) {
      const rest = Object.entries(row).filter(([name]) => !named.has(name));
      cells[columns.length - 1] =
        rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest));
    }
    yield cells;
  }
}

function cellOf(row: Row, name: string, kind: ColumnKind): Cell {
  const value = Object.hasOwn(row, name) ? row[name] : null;
  if (value === null || value === undefined) return null;
  return kind === "json" ? JSON.stringify(value) : (value as Cell);
}

function* rowsIn(path: string): Generator<Row, void> {
  for (const [offset, line] of linesAt(path)) {
    try {
      yield JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as Row;
    } catch (cause) {
      throw new StoreCorruptError(`${path}:${offset}: not a row of JSON`, cause);
    }
  }
}
