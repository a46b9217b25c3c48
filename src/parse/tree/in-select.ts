import { setOf, T } from "../tags.ts";
import { startInBody } from "./in-body.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { HTML, TABLE_SCOPE } from "./sets.ts";
import { MODE, type Tree } from "./tree-state.ts";

const CLOSES_SELECT = setOf("caption table tbody tfoot thead tr td th");

function isClosing(tree: Tree): boolean {
  return tree.mode === MODE.inSelectInTable && CLOSES_SELECT[tree.id] === 1;
}

/** Closes the select element; with `again` the current tag is then processed again. */
function closeSelect(tree: Tree, again: boolean): void {
  tree.open.popUntil(T.select);
  tree.resetMode();
  tree.again = again;
}

/** A start tag in a select element, which ignores most of them. */
export function startInSelect(tree: Tree): void {
  const { open, id } = tree;
  if (isClosing(tree)) closeSelect(tree, true);
  else if (id === T.html) startInBody(tree);
  else if (id === T.option || id === T.optgroup || id === T.hr) {
    if (open.current === T.option) open.pop();
    if (id !== T.option && open.current === T.optgroup) open.pop();
    if (id === T.hr) tree.append(HTML);
    else tree.insert(HTML);
  } else if (id === T.select || id === T.input || id === T.keygen || id === T.textarea) {
    if (open.hasSelect()) closeSelect(tree, id !== T.select);
  } else if (id === T.script || id === T.template) startInHead(tree);
}

/** An end tag in a select element. */
export function endInSelect(tree: Tree): void {
  const { open, id } = tree;
  if (isClosing(tree)) {
    if (open.has(id, TABLE_SCOPE)) closeSelect(tree, true);
  } else if (id === T.select) {
    if (open.hasSelect()) closeSelect(tree, false);
  } else if (id === T.optgroup) {
    if (open.current === T.option && open.ids[open.top - 1] === T.optgroup) open.pop();
    if (open.current === T.optgroup) open.pop();
  } else if (id === T.option) {
    if (open.current === T.option) open.pop();
  } else if (id === T.template) templateEnd(tree);
}
