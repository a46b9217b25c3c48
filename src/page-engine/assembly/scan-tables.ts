// Follows tables by the rules of tree construction, as src/parse/table-tracker.ts does.
import { TABLE_PART, TABLES } from "./engine-layout";

const BODY: i32 = 0;
const IN_TABLE: i32 = 1;
const CAPTION: i32 = 2;
const COLUMNS: i32 = 3;
const SECTION: i32 = 4;
const ROW: i32 = 5;
const CELL: i32 = 6;
const MAX_DEPTH: i32 = 512;

// Parts of tables, by tag.
const A_TABLE: i32 = 1;
const A_CAPTION: i32 = 2;
const A_COLGROUP: i32 = 3;
const A_COL: i32 = 4;
const A_SECTION: i32 = 5;
const A_ROW: i32 = 6;
const A_CELL: i32 = 7;

/** True directly inside a table, section or row. */
export let isStructural: bool = false;
/** How many tables are open. */
export let openTables: i32 = 0;
let state: i32 = BODY;
let section: i32 = 0;
let cell: i32 = 0;
/** The id of tbody, which a row without a section gets. */
let tbody: i32 = 0;

export function beginTables(tbodyId: i32): void {
  isStructural = false;
  openTables = 0;
  state = BODY;
  section = 0;
  cell = 0;
  tbody = tbodyId;
}

/** Takes a start tag; false when the nesting is too deep. */
export function startTable(id: i32): bool {
  let again = true;
  while (again) again = onStart(id);
  isStructural = state != BODY && state != CAPTION && state != CELL;
  return openTables <= MAX_DEPTH;
}

/** Takes an end tag. */
export function endTable(id: i32): void {
  let again = true;
  while (again) again = onEnd(id);
  isStructural = state != BODY && state != CAPTION && state != CELL;
}

function push(): bool {
  store<i32>(<usize>(TABLES + 4 * openTables), state | (section << 3) | (cell << 12));
  openTables++;
  state = IN_TABLE;
  return false;
}

function pop(): bool {
  openTables--;
  const packed = load<i32>(<usize>(TABLES + 4 * openTables));
  state = packed & 7;
  section = (packed >> 3) & 511;
  cell = packed >> 12;
  return true;
}

function become(next: i32, again: bool): bool {
  state = next;
  return again;
}

function onStart(id: i32): bool {
  const part: i32 = load<u8>(<usize>(TABLE_PART + id));
  if (part == A_TABLE) return state == BODY || state == CELL || state == CAPTION ? push() : pop();
  if (state == CELL) return become(ROW, true);
  if (state == CAPTION) return become(IN_TABLE, true);
  if (state == COLUMNS) return part == A_COL ? false : become(IN_TABLE, true);
  if (state == IN_TABLE) {
    if (part == A_CAPTION) return become(CAPTION, false);
    if (part == A_COLGROUP || part == A_COL) return become(COLUMNS, false);
    section = part == A_SECTION ? id : tbody;
    return become(SECTION, part != A_SECTION);
  }
  if (state == SECTION) {
    if (part == A_ROW) return become(ROW, false);
    return part == A_CELL ? become(ROW, true) : become(IN_TABLE, true);
  }
  if (state == ROW) {
    if (part != A_CELL) return become(SECTION, true);
    cell = id;
    return become(CELL, false);
  }
  return false;
}

function onEnd(id: i32): bool {
  const part: i32 = load<u8>(<usize>(TABLE_PART + id));
  const isOurs = id == section;
  if (state == CELL) {
    if (id == cell) return become(ROW, false);
    return part == A_TABLE || part == A_ROW || isOurs ? become(ROW, true) : false;
  }
  if (state == CAPTION) {
    if (part == A_CAPTION) return become(IN_TABLE, false);
    return part == A_TABLE ? become(IN_TABLE, true) : false;
  }
  if (state == COLUMNS) {
    if (part == A_COL) return false;
    return become(IN_TABLE, part != A_COLGROUP);
  }
  if (state == IN_TABLE) {
    if (part == A_TABLE) pop();
    return false;
  }
  if (state == SECTION) {
    if (isOurs) return become(IN_TABLE, false);
    return part == A_TABLE ? become(IN_TABLE, true) : false;
  }
  if (state == ROW) {
    if (part == A_ROW) return become(SECTION, false);
    return part == A_TABLE || isOurs ? become(SECTION, true) : false;
  }
  return false;
}
