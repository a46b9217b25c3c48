import { setOf, T } from "../tags.ts";
import { endInForeign, startInForeign } from "./foreign.ts";
import { endInBody, startInBody } from "./in-body.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { endInSelect, startInSelect } from "./in-select.ts";
import * as table from "./in-table.ts";
import { HEAD_CONTENT, HTML } from "./sets.ts";
import { MODE, type Tree } from "./tree-state.ts";

const OPENS_DOCUMENT = setOf("html head body br");
const NOSCRIPT_CONTENT = setOf("basefont bgsound link meta noframes style");
const TEMPLATE_TABLE = setOf("caption colgroup tbody tfoot thead");

function isIn(set: Uint8Array, id: number): boolean {
  return id < 256 && set[id] === 1;
}

/** Moves on from the modes before the body; the same token is then looked at again. */
export function advance(tree: Tree): void {
  tree.again = true;
  switch (tree.mode) {
    case MODE.initial:
      tree.mode = MODE.beforeHtml;
      return;
    case MODE.beforeHtml:
      tree.insertImplied(T.html);
      tree.mode = MODE.beforeHead;
      return;
    case MODE.beforeHead:
      tree.insertImplied(T.head);
      tree.hasHead = true;
      tree.mode = MODE.inHead;
      return;
    case MODE.inHeadNoscript:
      tree.open.pop();
      tree.mode = MODE.inHead;
      return;
    case MODE.inHead:
      tree.open.pop();
      tree.mode = MODE.afterHead;
      return;
    case MODE.afterHead:
      tree.insertImplied(T.body);
      tree.mode = MODE.inBody;
      return;
    default:
      tree.mode = MODE.inBody; // after the body
  }
}

/** Processes the current start tag. */
export function startTag(tree: Tree): void {
  do {
    tree.again = false;
    if (!tree.isForeignStart() || !startInForeign(tree)) startByMode(tree);
  } while (tree.again);
}

/** Processes the current end tag. */
export function endTag(tree: Tree): void {
  do {
    tree.again = false;
    if (tree.open.namespace === HTML || !endInForeign(tree)) endByMode(tree);
  } while (tree.again);
}

function startByMode(tree: Tree): void {
  const { id } = tree;
  switch (tree.mode) {
    case MODE.initial:
      advance(tree);
      return;
    case MODE.beforeHtml:
      if (id !== T.html) advance(tree);
      else {
        tree.insert(HTML);
        tree.mode = MODE.beforeHead;
      }
      return;
    case MODE.beforeHead:
      if (id === T.html) startInBody(tree);
      else if (id !== T.head) advance(tree);
      else {
        tree.insert(HTML);
        tree.hasHead = true;
        tree.mode = MODE.inHead;
      }
      return;
    case MODE.inHead:
      if (id === T.html) startInBody(tree);
      else if (isIn(HEAD_CONTENT, id)) startInHead(tree);
      else if (id === T.noscript) {
        tree.insert(HTML);
        tree.mode = MODE.inHeadNoscript;
      } else if (id !== T.head) advance(tree);
      return;
    case MODE.inHeadNoscript:
      if (id === T.html) startInBody(tree);
      else if (isIn(NOSCRIPT_CONTENT, id)) startInHead(tree);
      else if (id !== T.head && id !== T.noscript) advance(tree);
      return;
    case MODE.afterHead:
      startAfterHead(tree);
      return;
    case MODE.inTable:
      table.startInTable(tree);
      return;
    case MODE.inCaption:
      table.startInCaption(tree);
      return;
    case MODE.inColumnGroup:
      table.startInColumnGroup(tree);
      return;
    case MODE.inTableBody:
      table.startInTableBody(tree);
      return;
    case MODE.inRow:
      table.startInRow(tree);
      return;
    case MODE.inCell:
      table.startInCell(tree);
      return;
    case MODE.inSelectInTable:
    case MODE.inSelect:
      startInSelect(tree);
      return;
    case MODE.inTemplate:
      startInTemplate(tree);
      return;
    case MODE.inFrameset:
    case MODE.afterFrameset:
    case MODE.afterAfterFrameset:
      startInFrameset(tree);
      return;
    case MODE.afterBody:
    case MODE.afterAfterBody:
      if (id !== T.html) tree.mode = MODE.inBody;
      startInBody(tree);
      return;
    default:
      startInBody(tree);
  }
}

function startAfterHead(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.body) {
    tree.insert(HTML);
    tree.framesetOk = false;
    tree.mode = MODE.inBody;
  } else if (id === T.frameset) {
    tree.insert(HTML);
    tree.mode = MODE.inFrameset;
  } else if (isIn(HEAD_CONTENT, id)) startInHead(tree);
  else if (id !== T.head) advance(tree);
}

function startInTemplate(tree: Tree): void {
  const { id } = tree;
  if (isIn(HEAD_CONTENT, id)) {
    startInHead(tree);
    return;
  }
  let mode: number = MODE.inBody;
  if (isIn(TEMPLATE_TABLE, id)) mode = MODE.inTable;
  else if (id === T.col) mode = MODE.inColumnGroup;
  else if (id === T.tr) mode = MODE.inTableBody;
  else if (id === T.td || id === T.th) mode = MODE.inRow;
  tree.templateModes[tree.templateModes.length - 1] = mode;
  tree.mode = mode;
  tree.again = true;
}

function startInFrameset(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.noframes) startInHead(tree);
  else if (tree.mode !== MODE.inFrameset) return;
  else if (id === T.frameset) tree.insert(HTML);
  else if (id === T.frame) tree.append(HTML);
}

function endByMode(tree: Tree): void {
  const { open, id } = tree;
  switch (tree.mode) {
    case MODE.initial:
      advance(tree);
      return;
    case MODE.beforeHtml:
    case MODE.beforeHead:
      if (isIn(OPENS_DOCUMENT, id)) advance(tree);
      return;
    case MODE.inHead:
      if (id === T.head) {
        open.pop();
        tree.mode = MODE.afterHead;
      } else if (id === T.template) templateEnd(tree);
      else if (isIn(OPENS_DOCUMENT, id)) advance(tree);
      return;
    case MODE.inHeadNoscript:
      if (id === T.noscript) {
        open.pop();
        tree.mode = MODE.inHead;
      } else if (id === T.br) advance(tree);
      return;
    case MODE.afterHead:
      if (id === T.template) templateEnd(tree);
      else if (id !== T.head && isIn(OPENS_DOCUMENT, id)) advance(tree);
      return;
    case MODE.inTable:
      table.endInTable(tree);
      return;
    case MODE.inCaption:
      table.endInCaption(tree);
      return;
    case MODE.inColumnGroup:
      table.endInColumnGroup(tree);
      return;
    case MODE.inTableBody:
      table.endInTableBody(tree);
      return;
    case MODE.inRow:
      table.endInRow(tree);
      return;
    case MODE.inCell:
      table.endInCell(tree);
      return;
    case MODE.inSelect:
    case MODE.inSelectInTable:
      endInSelect(tree);
      return;
    case MODE.inTemplate:
      if (id === T.template) templateEnd(tree);
      return;
    case MODE.inFrameset:
      if (id !== T.frameset || open.top <= 0) return;
      open.pop();
      if (open.current !== T.frameset) tree.mode = MODE.afterFrameset;
      return;
    case MODE.afterFrameset:
      if (id === T.html) tree.mode = MODE.afterAfterFrameset;
      return;
    case MODE.afterAfterFrameset:
      return;
    case MODE.afterBody:
      if (id === T.html) tree.mode = MODE.afterAfterBody;
      else advance(tree);
      return;
    case MODE.afterAfterBody:
      advance(tree);
      return;
    default:
      endInBody(tree);
  }
}
