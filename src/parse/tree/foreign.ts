import { ATTR } from "../tag-reader.ts";
import { T } from "../tags.ts";
import { FOREIGN_ENDING, HTML } from "./sets.ts";
import type { Tree } from "./tree-state.ts";

/** Closes foreign elements up to the HTML around them. */
function leaveForeign({ open }: Tree): void {
  while (open.namespace !== HTML && open.integration[open.top] === 0) open.pop();
}

/** True when the start tag became a foreign element; otherwise the mode's rules apply. */
export function startInForeign(tree: Tree): boolean {
  const { open, id, reader } = tree;
  const isFont =
    id === T.font && (reader.has(ATTR.color) || reader.has(ATTR.face) || reader.has(ATTR.size));
  const leaves = isFont || FOREIGN_ENDING[id] === 1;
  if (leaves) leaveForeign(tree);
  else tree.insertForeign(open.namespace);
  return !leaves;
}

/** True when the end tag closed a foreign element; otherwise the mode's rules apply. */
export function endInForeign(tree: Tree): boolean {
  const { open, id } = tree;
  if (id === T.p || id === T.br) {
    leaveForeign(tree);
    return false;
  }
  for (let i = open.top; i > 0 && open.namespaces[i] !== HTML; i--) {
    if (open.ids[i] !== id) continue;
    open.shorten(i);
    return true;
  }
  return false;
}
