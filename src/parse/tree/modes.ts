import { byId, setOf, T } from "../tags.ts";
import { endInForeign, startInForeign } from "./foreign.ts";
import { endInBody, startInBody } from "./in-body.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { endInSelect, startInSelect } from "./in-select.ts";
import * as table from "./in-table.ts";
import { HEAD_CONTENT, HTML } from "./sets.ts";
import { MODE, type Rule, type Tree } from "./tree-state.ts";

const OPENS_DOCUMENT = setOf("html head body br");
const NOSCRIPT_CONTENT = setOf("basefont bgsound link meta noframes style");

/** The mode of a template by its first element. */
const TEMPLATE_MODES = byId<number>([
  ["caption colgroup tbody tfoot thead", MODE.inTable],
  ["col", MODE.inColumnGroup],
  ["tr", MODE.inTableBody],
  ["td th", MODE.inRow],
]);

/** How the modes before the body end: the element that is opened, or "pop" to close the current one, and the next mode. */
const NEXT: Readonly<Record<number, readonly [opens: number | "pop" | undefined, mode: number]>> = {
  [MODE.initial]: [undefined, MODE.beforeHtml],
  [MODE.beforeHtml]: [T.html, MODE.beforeHead],
  [MODE.beforeHead]: [T.head, MODE.inHead],
  [MODE.inHeadNoscript]: ["pop", MODE.inHead],
  [MODE.inHead]: ["pop", MODE.afterHead],
  [MODE.afterHead]: [T.body, MODE.inBody],
};

/** Leaves the modes before the body for the next one, those after it for the body; the same token is then processed again. */
export function advance(tree: Tree): void {
  const [opens, mode] = NEXT[tree.mode] ?? [undefined, MODE.inBody];
  if (opens === "pop") tree.open.pop();
  else if (opens !== undefined) tree.insertImplied(opens);
  tree.hasHead ||= opens === T.head;
  tree.mode = mode;
  tree.again = true;
}

/** What a start tag and an end tag do in each mode. */
const RULES: Readonly<Record<number, readonly [start: Rule, end: Rule]>> = {
  [MODE.initial]: [advance, advance],
  [MODE.beforeHtml]: [startBeforeHtml, endBeforeHead],
  [MODE.beforeHead]: [startBeforeHead, endBeforeHead],
  [MODE.inHead]: [startHeadContent, endHeadContent],
  [MODE.inHeadNoscript]: [startInNoscript, endInNoscript],
  [MODE.afterHead]: [startAfterHead, endAfterHead],
  [MODE.inBody]: [startInBody, endInBody],
  [MODE.inTable]: [table.startInTable, table.endInTable],
  [MODE.inCaption]: [table.startInCaption, table.endInCaption],
  [MODE.inColumnGroup]: [table.startInColumnGroup, table.endInColumnGroup],
  [MODE.inTableBody]: [table.startInTableBody, table.endInTableBody],
  [MODE.inRow]: [table.startInRow, table.endInRow],
  [MODE.inCell]: [table.startInCell, table.endInCell],
  [MODE.inSelect]: [startInSelect, endInSelect],
  [MODE.inSelectInTable]: [startInSelect, endInSelect],
  [MODE.inTemplate]: [startInTemplate, (tree) => tree.id === T.template && templateEnd(tree)],
  [MODE.afterBody]: [startAfterBody, endAfterBody],
  [MODE.inFrameset]: [startInFrameset, endInFrameset],
  [MODE.afterFrameset]: [startInFrameset, endAfterFrameset],
  [MODE.afterAfterBody]: [startAfterBody, advance],
  [MODE.afterAfterFrameset]: [startInFrameset, () => {}],
};

/** Processes the current start tag. */
export function startTag(tree: Tree): void {
  do {
    tree.again = false;
    if (!tree.isForeignStart() || !startInForeign(tree)) RULES[tree.mode]![0](tree);
  } while (tree.again);
}

/** Processes the current end tag. */
export function endTag(tree: Tree): void {
  do {
    tree.again = false;
    if (tree.open.namespace === HTML || !endInForeign(tree)) RULES[tree.mode]![1](tree);
  } while (tree.again);
}

/** Opens the element of the current tag, which changes the mode. */
function enter(tree: Tree, mode: number): void {
  tree.insert(HTML);
  tree.mode = mode;
}

function startBeforeHtml(tree: Tree): void {
  if (tree.id === T.html) enter(tree, MODE.beforeHead);
  else advance(tree);
}

function startBeforeHead(tree: Tree): void {
  if (tree.id === T.html) startInBody(tree);
  else if (tree.id === T.head) {
    enter(tree, MODE.inHead);
    tree.hasHead = true;
  } else advance(tree);
}

function endBeforeHead(tree: Tree): void {
  if (OPENS_DOCUMENT[tree.id] === 1) advance(tree);
}

function startHeadContent(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (HEAD_CONTENT[id] === 1) startInHead(tree);
  else if (id === T.noscript) enter(tree, MODE.inHeadNoscript);
  else if (id !== T.head) advance(tree);
}

function endHeadContent(tree: Tree): void {
  const { id } = tree;
  if (id === T.template) templateEnd(tree);
  else if (OPENS_DOCUMENT[id] === 1) {
    advance(tree);
    tree.again = id !== T.head;
  }
}

function startInNoscript(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (NOSCRIPT_CONTENT[id] === 1) startInHead(tree);
  else if (id !== T.head && id !== T.noscript) advance(tree);
}

function endInNoscript(tree: Tree): void {
  if (tree.id !== T.noscript && tree.id !== T.br) return;
  advance(tree);
  tree.again = tree.id === T.br;
}

function startAfterHead(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.body) {
    enter(tree, MODE.inBody);
    tree.framesetOk = false;
  } else if (id === T.frameset) enter(tree, MODE.inFrameset);
  else if (HEAD_CONTENT[id] === 1) startInHead(tree);
  else if (id !== T.head) advance(tree);
}

function endAfterHead(tree: Tree): void {
  const { id } = tree;
  if (id === T.template) templateEnd(tree);
  else if (id !== T.head && OPENS_DOCUMENT[id] === 1) advance(tree);
}

function startInTemplate(tree: Tree): void {
  if (HEAD_CONTENT[tree.id] === 1) startInHead(tree);
  else {
    tree.mode = TEMPLATE_MODES[tree.id] ?? MODE.inBody;
    tree.templateModes[tree.templateModes.length - 1] = tree.mode;
    tree.again = true;
  }
}

function startInFrameset(tree: Tree): void {
  const { id } = tree;
  if (id === T.html) startInBody(tree);
  else if (id === T.noframes) startInHead(tree);
  else if (tree.mode !== MODE.inFrameset) return;
  else if (id === T.frameset) tree.insert(HTML);
  else if (id === T.frame) tree.append(HTML);
}

function endInFrameset(tree: Tree): void {
  const { open } = tree;
  if (tree.id !== T.frameset || open.top <= 0) return;
  open.pop();
  if (open.current !== T.frameset) tree.mode = MODE.afterFrameset;
}

function endAfterFrameset(tree: Tree): void {
  if (tree.id === T.html) tree.mode = MODE.afterAfterFrameset;
}

function startAfterBody(tree: Tree): void {
  if (tree.id !== T.html) tree.mode = MODE.inBody;
  startInBody(tree);
}

function endAfterBody(tree: Tree): void {
  if (tree.id === T.html) tree.mode = MODE.afterAfterBody;
  else advance(tree);
}
