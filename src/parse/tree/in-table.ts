import { byId, setOf, T } from "../tags.ts";
import { endInBody, isHiddenInput, startInBody } from "./in-body.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { CELL_ENDING, HTML, TABLE_SCOPE } from "./sets.ts";
import { MODE, type Rule, type Tree } from "./tree-state.ts";

const TABLE_CONTEXT = setOf("table template html");
const BODY_CONTEXT = setOf("tbody tfoot thead template html");
const ROW_CONTEXT = setOf("tr template html");
const SECTIONS = setOf("tbody tfoot thead");
const CELLS = setOf("td th");
const SECTION_ENDING = setOf("caption col colgroup tbody tfoot thead");

// End tags that are ignored in each of these places.
const IGNORED_ENDS = setOf("body caption col colgroup html tbody td tfoot th thead tr");
const IGNORED_IN_BODY = setOf("body caption col colgroup html td th tr");
const IGNORED_IN_ROW = setOf("body caption col colgroup html td th");
const IGNORED_IN_CELL = setOf("body caption col colgroup html");

/** Content that has no place in a table is treated as body content and moved in front of it. */
function foster(tree: Tree, treat: Rule): void {
  const before = tree.fostering;
  tree.fostering = true;
  treat(tree);
  tree.fostering = before;
}

/** Text directly in a table: moved out as well. */
export function textInTable(tree: Tree): void {
  foster(tree, () => tree.reconstruct());
  tree.framesetOk = false;
}

/** Opens the element of the current tag directly inside an element of `context`. */
function openIn(tree: Tree, context: Uint8Array, mode: number): void {
  tree.open.clearTo(context);
  tree.insert(HTML);
  tree.mode = mode;
}

/** Opens an implied element; the current tag is then processed again. */
function implyIn(tree: Tree, context: Uint8Array, id: number, mode: number): void {
  tree.open.clearTo(context);
  tree.insertImplied(id);
  tree.mode = mode;
  tree.again = true;
}

/** Closes the current section or row; with `again` the current tag is then processed again. */
function leave(tree: Tree, context: Uint8Array, mode: number, again: boolean): void {
  tree.open.clearTo(context);
  tree.open.pop();
  tree.mode = mode;
  tree.again = again;
}

/** What start tags do directly in a table; all others are body content that is moved out. */
const START_IN_TABLE = byId<Rule>([
  ["caption", startCaption],
  ["colgroup", (tree) => openIn(tree, TABLE_CONTEXT, MODE.inColumnGroup)],
  ["col", (tree) => implyIn(tree, TABLE_CONTEXT, T.colgroup, MODE.inColumnGroup)],
  ["tbody tfoot thead", (tree) => openIn(tree, TABLE_CONTEXT, MODE.inTableBody)],
  ["td th tr", (tree) => implyIn(tree, TABLE_CONTEXT, T.tbody, MODE.inTableBody)],
  ["table", (tree) => endTable(tree, true)],
  ["script style template", startInHead],
  ["input", (tree) => (isHiddenInput(tree) ? tree.append(HTML) : foster(tree, startInBody))],
  ["form", startForm],
]);

/** A start tag in the mode "in table". */
export function startInTable(tree: Tree): void {
  const rule = START_IN_TABLE[tree.id];
  if (rule === undefined) foster(tree, startInBody);
  else rule(tree);
}

function startCaption(tree: Tree): void {
  openIn(tree, TABLE_CONTEXT, MODE.inCaption);
  tree.formatting.mark();
}

function startForm(tree: Tree): void {
  if (tree.form !== 0 || tree.open.templates > 0) return;
  tree.append(HTML);
  tree.form = tree.open.newSerial();
}

function endTable(tree: Tree, again: boolean): void {
  if (!tree.open.has(T.table, TABLE_SCOPE)) return;
  tree.open.popUntil(T.table);
  tree.resetMode();
  tree.again = again;
}

/** An end tag in the mode "in table". */
export function endInTable(tree: Tree): void {
  const { id } = tree;
  if (id === T.table) endTable(tree, false);
  else if (id === T.template) templateEnd(tree);
  else if (IGNORED_ENDS[id] !== 1) foster(tree, endInBody);
}

function closeCaption(tree: Tree, again: boolean): void {
  if (!tree.open.close(T.caption, TABLE_SCOPE)) return;
  tree.formatting.clearToMarker();
  tree.mode = MODE.inTable;
  tree.again = again;
}

/** A start tag in a caption: body content, unless it ends the caption. */
export function startInCaption(tree: Tree): void {
  if (CELL_ENDING[tree.id] === 1) closeCaption(tree, true);
  else startInBody(tree);
}

/** An end tag in a caption. */
export function endInCaption(tree: Tree): void {
  const { id } = tree;
  if (id === T.caption || id === T.table) closeCaption(tree, id === T.table);
  else if (IGNORED_ENDS[id] !== 1) endInBody(tree);
}

/** Closes the column group, if one is open. */
function leaveColumnGroup(tree: Tree, again: boolean): void {
  if (tree.open.current !== T.colgroup) return;
  tree.open.pop();
  tree.mode = MODE.inTable;
  tree.again = again;
}

/** Text in a column group does not belong there. */
export function textInColumnGroup(tree: Tree): void {
  leaveColumnGroup(tree, true);
}

/** A start tag in a column group. */
export function startInColumnGroup(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.col) tree.append(HTML);
  else if (id === T.template) startInHead(tree);
  else leaveColumnGroup(tree, true);
}

/** An end tag in a column group. */
export function endInColumnGroup(tree: Tree): void {
  const { id } = tree;
  if (id === T.template) templateEnd(tree);
  else if (id !== T.col) leaveColumnGroup(tree, id !== T.colgroup);
}

/** A start tag in a table section. */
export function startInTableBody(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.tr) openIn(tree, BODY_CONTEXT, MODE.inRow);
  else if (CELLS[id] === 1) implyIn(tree, BODY_CONTEXT, T.tr, MODE.inRow);
  else if (SECTION_ENDING[id] !== 1) startInTable(tree);
  else if (open.hasAny(SECTIONS, TABLE_SCOPE)) leave(tree, BODY_CONTEXT, MODE.inTable, true);
}

/** An end tag in a table section. */
export function endInTableBody(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.table || SECTIONS[id] === 1) {
    const isOpen = id === T.table ? open.hasAny(SECTIONS, TABLE_SCOPE) : open.has(id, TABLE_SCOPE);
    if (isOpen) leave(tree, BODY_CONTEXT, MODE.inTable, id === T.table);
  } else if (IGNORED_IN_BODY[id] !== 1) endInTable(tree);
}

/** A start tag in a row. */
export function startInRow(tree: Tree): void {
  const { open, id } = tree;
  if (CELLS[id] === 1) {
    openIn(tree, ROW_CONTEXT, MODE.inCell);
    tree.formatting.mark();
  } else if (CELL_ENDING[id] !== 1) startInTable(tree);
  else if (open.has(T.tr, TABLE_SCOPE)) leave(tree, ROW_CONTEXT, MODE.inTableBody, true);
}

/** An end tag in a row. */
export function endInRow(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.tr || id === T.table || SECTIONS[id] === 1) {
    const isOpen = open.has(T.tr, TABLE_SCOPE) || (SECTIONS[id] === 1 && open.has(id, TABLE_SCOPE));
    if (isOpen) leave(tree, ROW_CONTEXT, MODE.inTableBody, id !== T.tr);
  } else if (IGNORED_IN_ROW[id] !== 1) endInTable(tree);
}

/** Closes the current cell, whatever its name; the current tag is then processed again. */
function closeCell(tree: Tree): void {
  const { open } = tree;
  open.impliedEnds();
  const cell = open.topmostOf(CELLS);
  if (cell > 0) open.shorten(cell);
  tree.formatting.clearToMarker();
  tree.mode = MODE.inRow;
  tree.again = true;
}

/** A start tag in a cell: body content, unless it ends the cell. */
export function startInCell(tree: Tree): void {
  if (CELL_ENDING[tree.id] !== 1) startInBody(tree);
  else if (tree.open.hasAny(CELLS, TABLE_SCOPE)) closeCell(tree);
}

/** An end tag in a cell. */
export function endInCell(tree: Tree): void {
  const { open, id } = tree;
  if (CELLS[id] === 1) {
    if (!open.close(id, TABLE_SCOPE)) return;
    tree.formatting.clearToMarker();
    tree.mode = MODE.inRow;
  } else if (id === T.table || id === T.tr || SECTIONS[id] === 1) {
    if (open.has(id, TABLE_SCOPE)) closeCell(tree);
  } else if (IGNORED_IN_CELL[id] !== 1) endInBody(tree);
}
