import { ATTR } from "../tag-reader.ts";
import { setOf, T } from "../tags.ts";
import { adopt } from "./adoption.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import * as S from "./sets.ts";
import { MODE, RAW_PLAINTEXT, RAW_TEXT, type Tree } from "./tree-state.ts";

const HEADINGS = setOf("h1 h2 h3 h4 h5 h6");
const HIDDEN = /^hidden$/i;
const FORMATTING_END = setOf("a b big code em font i nobr s small strike strong tt u");
const BLOCK_END = setOf(
  "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure " +
    "footer header hgroup listing main menu nav ol pre search section summary ul",
);

/** Closes an open p element, which most blocks do. */
function closeP({ open }: Tree): void {
  if (!open.has(T.p, S.BUTTON_SCOPE)) return;
  open.impliedEndsExcept(T.p);
  open.popUntil(T.p);
}

/** True for an input element that shows nothing. */
export function isHiddenInput(tree: Tree): boolean {
  return HIDDEN.test(tree.harvest.value(ATTR.type) ?? "");
}

/** A start tag in the mode "in body", which most other modes fall back to. */
export function startInBody(tree: Tree): void {
  const { open, id } = tree;
  switch (id < 256 ? S.BODY_GROUP[id] : 0) {
    case S.B_FORMATTING:
      tree.insertFormatting();
      return;
    case S.B_BLOCK:
      closeP(tree);
      tree.insert(S.HTML);
      return;
    case S.B_HEADING:
      closeP(tree);
      if (open.current < 256 && HEADINGS[open.current] === 1) open.pop();
      tree.insert(S.HTML);
      return;
    case S.B_ITEM:
      startItem(tree);
      return;
    case S.B_VOID:
      tree.reconstruct();
      tree.append(S.HTML);
      tree.framesetOk = false;
      return;
    case S.B_IGNORED:
      return;
    case S.B_HEAD:
      startInHead(tree);
      return;
    case S.B_RUBY_BASE:
      if (open.has(T.ruby, S.SCOPE)) open.impliedEnds();
      tree.insert(S.HTML);
      return;
    case S.B_RUBY_TEXT:
      if (open.has(T.ruby, S.SCOPE)) open.impliedEndsExcept(T.rtc);
      tree.insert(S.HTML);
      return;
    case S.B_PRE:
      closeP(tree);
      tree.insert(S.HTML);
      tree.framesetOk = false;
      return;
    case S.B_MARKED:
      tree.reconstruct();
      tree.insert(S.HTML);
      tree.formatting.mark();
      tree.framesetOk = false;
      return;
    case S.B_PARAM:
      tree.append(S.HTML);
      return;
    case S.B_OPTION:
      if (open.current === T.option) open.pop();
      tree.reconstruct();
      tree.insert(S.HTML);
      return;
    case S.B_RAW:
      tree.append(S.HTML);
      tree.raw = RAW_TEXT;
      return;
    case S.B_OWN:
      startWithOwnRules(tree);
      return;
    default:
      tree.reconstruct();
      tree.insert(S.HTML);
  }
}

/** li, dd and dt close the item before them. */
function startItem(tree: Tree): void {
  const { open, id } = tree;
  tree.framesetOk = false;
  const index = id === T.li ? open.topmost(T.li) : Math.max(open.topmost(T.dd), open.topmost(T.dt));
  if (index >= 0 && !open.anyAbove(index, S.LIST_BOUNDARY)) {
    const name = open.ids[index]!;
    open.impliedEndsExcept(name);
    open.popUntil(name);
  }
  closeP(tree);
  tree.insert(S.HTML);
}

function startWithOwnRules(tree: Tree): void {
  const { open, formatting, id } = tree;
  if (id === T.a) {
    const active = formatting.find(T.a);
    if (active !== undefined) {
      const { serial } = active;
      adopt(tree, T.a, () => endOther(tree, T.a));
      const index = open.indexOfSerial(serial);
      if (index >= 0) open.removeAt(index);
      formatting.remove(active);
    }
    tree.insertFormatting();
  } else if (id === T.nobr) {
    tree.reconstruct();
    if (open.has(T.nobr, S.SCOPE)) adopt(tree, T.nobr, () => endOther(tree, T.nobr));
    tree.insertFormatting();
  } else if (id === T.html) {
    if (open.templates === 0) tree.harvest.element();
  } else if (id === T.body) {
    if (open.top >= 1 && open.ids[1] === T.body && open.templates === 0) tree.framesetOk = false;
  } else if (id === T.frameset) {
    if (tree.framesetOk && open.top >= 1 && open.ids[1] === T.body) {
      tree.dropBody();
      tree.insert(S.HTML);
      tree.mode = MODE.inFrameset;
    }
  } else if (id === T.form) startForm(tree);
  else if (id === T.plaintext) {
    closeP(tree);
    tree.insert(S.HTML);
    tree.raw = RAW_PLAINTEXT;
  } else if (id === T.button) {
    if (open.has(T.button, S.SCOPE)) {
      open.impliedEnds();
      open.popUntil(T.button);
    }
    tree.reconstruct();
    tree.insert(S.HTML);
    tree.framesetOk = false;
  } else if (id === T.table) {
    if (!tree.quirks) closeP(tree);
    tree.insert(S.HTML);
    tree.framesetOk = false;
    tree.mode = MODE.inTable;
  } else if (id === T.input) {
    tree.reconstruct();
    tree.append(S.HTML);
    if (!isHiddenInput(tree)) tree.framesetOk = false;
  } else if (id === T.hr) {
    closeP(tree);
    tree.append(S.HTML);
    tree.framesetOk = false;
  } else if (id === T.textarea || id === T.iframe) {
    tree.append(S.HTML);
    tree.raw = RAW_TEXT;
    tree.framesetOk = false;
  } else if (id === T.xmp) {
    closeP(tree);
    tree.reconstruct();
    tree.append(S.HTML);
    tree.raw = RAW_TEXT;
    tree.framesetOk = false;
  } else if (id === T.select) {
    tree.reconstruct();
    tree.insert(S.HTML);
    tree.framesetOk = false;
    const inTable = tree.mode >= MODE.inTable && tree.mode <= MODE.inCell;
    const select = inTable && tree.mode !== MODE.inColumnGroup;
    tree.mode = select ? MODE.inSelectInTable : MODE.inSelect;
  } else {
    tree.reconstruct(); // svg and math
    const namespace = id === T.svg ? S.SVG : S.MATHML;
    if (tree.reader.selfClosing) tree.append(namespace);
    else tree.insert(namespace);
  }
}

function startForm(tree: Tree): void {
  const { open } = tree;
  if (tree.form !== 0 && open.templates === 0) return;
  closeP(tree);
  const top = open.top;
  tree.insert(S.HTML);
  if (open.templates === 0) tree.form = open.top > top ? open.serials[open.top]! : open.newSerial();
}

/** An end tag in the mode "in body". */
export function endInBody(tree: Tree): void {
  const { open, id } = tree;
  if (id < 256 && FORMATTING_END[id] === 1) adopt(tree, id, () => endOther(tree, id));
  else if (id === T.p) {
    if (!open.has(T.p, S.BUTTON_SCOPE)) tree.insertImplied(T.p);
    open.impliedEndsExcept(T.p);
    open.popUntil(T.p);
  } else if (id < 256 && BLOCK_END[id] === 1) {
    if (!open.has(id, S.SCOPE)) return;
    open.impliedEnds();
    open.popUntil(id);
  } else if (id === T.li || id === T.dd || id === T.dt) {
    if (!open.has(id, id === T.li ? S.LIST_SCOPE : S.SCOPE)) return;
    open.impliedEndsExcept(id);
    open.popUntil(id);
  } else if (id < 256 && HEADINGS[id] === 1) {
    if (!open.hasAny(HEADINGS, S.SCOPE)) return;
    open.impliedEnds();
    open.shorten(open.topmostOf(HEADINGS));
  } else if (id === T.br) {
    tree.reconstruct();
    tree.framesetOk = false;
  } else if (id === T.body || id === T.html) {
    if (!open.has(T.body, S.SCOPE)) return;
    tree.mode = id === T.body ? MODE.afterBody : MODE.afterAfterBody;
  } else if (id === T.form) endForm(tree);
  else if (id === T.applet || id === T.object || id === T.marquee) {
    if (!open.has(id, S.SCOPE)) return;
    open.impliedEnds();
    open.popUntil(id);
    tree.formatting.clearToMarker();
  } else if (id === T.template) templateEnd(tree);
  else endOther(tree, id);
}

function endForm(tree: Tree): void {
  const { open, form } = tree;
  const inTemplate = open.templates > 0;
  if (!inTemplate) tree.form = 0;
  if ((form === 0 && !inTemplate) || !open.has(T.form, S.SCOPE)) return;
  open.impliedEnds();
  if (inTemplate) open.popUntil(T.form);
  else {
    const index = open.indexOfSerial(form);
    if (index >= 0) open.removeAt(index);
  }
}

/** Closes the innermost element of this name unless a special element stands in the way. */
function endOther({ open }: Tree, id: number): void {
  const index = open.topmost(id);
  if (index <= 0 || open.anyAbove(index, S.SPECIAL)) return;
  open.shorten(index);
}
