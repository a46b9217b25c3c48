import { T } from "../tags.ts";
import { HTML, IMPLIED_END_THOROUGH } from "./sets.ts";
import { MODE, RAW_SCRIPT, RAW_TEXT, type Tree } from "./tree-state.ts";

/** A start tag that belongs to the head: void, raw text, noscript or template. */
export function startInHead(tree: Tree): void {
  const { id } = tree;
  if (id === T.template) {
    const { top } = tree.open;
    tree.insert(HTML);
    tree.framesetOk = false;
    if (tree.open.top === top) return; // too deep to open
    tree.formatting.mark();
    tree.mode = MODE.inTemplate;
    tree.templateModes.push(MODE.inTemplate);
    return;
  }
  tree.append(HTML);
  if (id === T.script) tree.raw = RAW_SCRIPT;
  else if (id === T.title || id === T.style || id === T.noframes) tree.raw = RAW_TEXT;
}

/** The end tag of a template. */
export function templateEnd(tree: Tree): void {
  const { open } = tree;
  if (open.templates === 0) return;
  open.impliedEnds(0, IMPLIED_END_THOROUGH);
  open.popUntil(T.template);
  tree.formatting.clearToMarker();
  tree.templateModes.pop();
  tree.resetMode();
}
