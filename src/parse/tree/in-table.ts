import { setOf, T } from "../tags.ts";
import { endInBody, isHiddenInput, startInBody } from "./in-body.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { CELL_ENDING, HTML, TABLE_SCOPE } from "./sets.ts";
import { MODE, type Tree } from "./tree-state.ts";

const TABLE_CONTEXT = setOf("table template html");
const BODY_CONTEXT = setOf("tbody tfoot thead template html");
const ROW_CONTEXT = setOf("tr template html");
const SECTIONS = setOf("tbody tfoot thead");
const CELLS = setOf("td th");
const IGNORED_ENDS = setOf("body caption col colgroup html tbody td tfoot th thead tr");
const IGNORED_IN_BODY = setOf("body caption col colgroup html td th tr");
const IGNORED_IN_ROW = setOf("body caption col colgroup html td th");
const SECTION_ENDING = setOf("caption col colgroup tbody tfoot thead");
const IGNORED_IN_CELL = setOf("body caption col colgroup html");

function isIn(set: Uint8Array, id: number): boolean {
  return id < 256 && set[id] === 1;
}

/** Content that has no place in a table is treated as body content and moved in front of it. */
function foster(tree: Tree, treat: (tree: Tree) => void): void {
  const before = tree.fostering;
  tree.fostering = true;
  treat(tree);
  tree.fostering = before;
}

/** Text directly in a table: moved out as well. */
export function textInTable(tree: Tree): void {
  foster(tree, () => {
    tree.reconstruct();
    tree.framesetOk = false;
  });
}

/** A start tag in the mode "in table". */
export function startInTable(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.caption) {
    open.clearTo(TABLE_CONTEXT);
    tree.formatting.mark();
    tree.insert(HTML);
    tree.mode = MODE.inCaption;
  } else if (id === T.colgroup) {
    open.clearTo(TABLE_CONTEXT);
    tree.insert(HTML);
    tree.mode = MODE.inColumnGroup;
  } else if (id === T.col) {
    open.clearTo(TABLE_CONTEXT);
    tree.insertImplied(T.colgroup);
    tree.mode = MODE.inColumnGroup;
    startInColumnGroup(tree);
  } else if (isIn(SECTIONS, id)) {
    open.clearTo(TABLE_CONTEXT);
    tree.insert(HTML);
    tree.mode = MODE.inTableBody;
  } else if (id === T.tr || isIn(CELLS, id)) {
    open.clearTo(TABLE_CONTEXT);
    tree.insertImplied(T.tbody);
    tree.mode = MODE.inTableBody;
    startInTableBody(tree);
  } else if (id === T.table) {
    if (!open.has(T.table, TABLE_SCOPE)) return;
    open.popUntil(T.table);
    tree.resetMode();
    tree.again = true;
  } else if (id === T.style || id === T.script || id === T.template) startInHead(tree);
  else if (id === T.input && isHiddenInput(tree)) tree.append(HTML);
  else if (id === T.form) {
    if (tree.form !== 0 || open.templates > 0) return;
    tree.append(HTML);
    tree.form = open.newSerial();
  } else foster(tree, startInBody);
}

/** An end tag in the mode "in table". */
export function endInTable(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.table) {
    if (!open.has(T.table, TABLE_SCOPE)) return;
    open.popUntil(T.table);
    tree.resetMode();
  } else if (id === T.template) templateEnd(tree);
  else if (!isIn(IGNORED_ENDS, id)) foster(tree, endInBody);
}

function closeCaption(tree: Tree): boolean {
  const { open } = tree;
  if (!open.has(T.caption, TABLE_SCOPE)) return false;
  open.impliedEnds();
  open.popUntil(T.caption);
  tree.formatting.clearToMarker();
  tree.mode = MODE.inTable;
  return true;
}

/** A start tag in a caption: body content, unless it ends the caption. */
export function startInCaption(tree: Tree): void {
  if (!isIn(CELL_ENDING, tree.id)) startInBody(tree);
  else if (closeCaption(tree)) startInTable(tree);
}

/** An end tag in a caption. */
export function endInCaption(tree: Tree): void {
  const { id } = tree;
  if (id === T.caption || id === T.table) {
    if (closeCaption(tree) && id === T.table) endInTable(tree);
  } else if (!isIn(IGNORED_ENDS, id)) endInBody(tree);
}

/** Anything that does not belong to a column group closes it; false when none is open. */
export function leaveColumnGroup(tree: Tree): boolean {
  if (tree.open.current !== T.colgroup) return false;
  tree.open.pop();
  tree.mode = MODE.inTable;
  return true;
}

/** A start tag in a column group. */
export function startInColumnGroup(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.col) tree.append(HTML);
  else if (id === T.template) startInHead(tree);
  else if (leaveColumnGroup(tree)) tree.again = true;
}

/** An end tag in a column group. */
export function endInColumnGroup(tree: Tree): void {
  const { id } = tree;
  if (id === T.colgroup) leaveColumnGroup(tree);
  else if (id === T.template) templateEnd(tree);
  else if (id !== T.col && leaveColumnGroup(tree)) tree.again = true;
}

function closeSection(tree: Tree): void {
  tree.open.clearTo(BODY_CONTEXT);
  tree.open.pop();
  tree.mode = MODE.inTable;
}

/** A start tag in a table section. */
export function startInTableBody(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.tr) {
    open.clearTo(BODY_CONTEXT);
    tree.insert(HTML);
    tree.mode = MODE.inRow;
  } else if (isIn(CELLS, id)) {
    open.clearTo(BODY_CONTEXT);
    tree.insertImplied(T.tr);
    tree.mode = MODE.inRow;
    startInRow(tree);
  } else if (isIn(SECTION_ENDING, id)) {
    if (!open.hasAny(SECTIONS, TABLE_SCOPE)) return;
    closeSection(tree);
    startInTable(tree);
  } else startInTable(tree);
}

/** An end tag in a table section. */
export function endInTableBody(tree: Tree): void {
  const { open, id } = tree;
  if (isIn(SECTIONS, id)) {
    if (open.has(id, TABLE_SCOPE)) closeSection(tree);
  } else if (id === T.table) {
    if (!open.hasAny(SECTIONS, TABLE_SCOPE)) return;
    closeSection(tree);
    endInTable(tree);
  } else if (!isIn(IGNORED_IN_BODY, id)) endInTable(tree);
}

function closeRow(tree: Tree): void {
  tree.open.clearTo(ROW_CONTEXT);
  tree.open.pop();
  tree.mode = MODE.inTableBody;
}

/** A start tag in a row. */
export function startInRow(tree: Tree): void {
  const { open, id } = tree;
  if (isIn(CELLS, id)) {
    open.clearTo(ROW_CONTEXT);
    tree.insert(HTML);
    tree.mode = MODE.inCell;
    tree.formatting.mark();
  } else if (isIn(CELL_ENDING, id)) {
    if (!open.has(T.tr, TABLE_SCOPE)) return;
    closeRow(tree);
    startInTableBody(tree);
  } else startInTable(tree);
}

/** An end tag in a row. */
export function endInRow(tree: Tree): void {
  const { open, id } = tree;
  if (id === T.tr) {
    if (open.has(T.tr, TABLE_SCOPE)) closeRow(tree);
  } else if (id === T.table) {
    if (!open.has(T.tr, TABLE_SCOPE)) return;
    closeRow(tree);
    endInTableBody(tree);
  } else if (isIn(SECTIONS, id)) {
    if (!open.has(id, TABLE_SCOPE) && !open.has(T.tr, TABLE_SCOPE)) return;
    closeRow(tree);
    endInTableBody(tree);
  } else if (!isIn(IGNORED_IN_ROW, id)) endInTable(tree);
}

function closeCell(tree: Tree): void {
  const { open } = tree;
  open.impliedEnds();
  const cell = open.topmostOf(CELLS);
  if (cell > 0) open.shorten(cell);
  tree.formatting.clearToMarker();
  tree.mode = MODE.inRow;
}

/** A start tag in a cell: body content, unless it ends the cell. */
export function startInCell(tree: Tree): void {
  if (!isIn(CELL_ENDING, tree.id)) startInBody(tree);
  else if (tree.open.hasAny(CELLS, TABLE_SCOPE)) {
    closeCell(tree);
    startInRow(tree);
  }
}

/** An end tag in a cell. */
export function endInCell(tree: Tree): void {
  const { open, id } = tree;
  if (isIn(CELLS, id)) {
    if (!open.has(id, TABLE_SCOPE)) return;
    open.impliedEnds();
    open.popUntil(id);
    tree.formatting.clearToMarker();
    tree.mode = MODE.inRow;
  } else if (id === T.table || id === T.tr || isIn(SECTIONS, id)) {
    if (!open.has(id, TABLE_SCOPE)) return;
    closeCell(tree);
    endInRow(tree);
  } else if (!isIn(IGNORED_IN_CELL, id)) endInBody(tree);
}
