import { ATTR } from "../tag-reader.ts";
import { byId, bytesById, setOf, T } from "../tags.ts";
import { adopt } from "./adoption.ts";
import { startInHead, templateEnd } from "./in-head.ts";
import { BUTTON_SCOPE, HTML, LIST_BOUNDARY, LIST_SCOPE, MATHML, SCOPE, SVG } from "./sets.ts";
import { MODE, RAW_PLAINTEXT, RAW_TEXT, type Rule, type Tree } from "./tree-state.ts";

const HEADINGS = setOf("h1 h2 h3 h4 h5 h6");
const HIDDEN = /^hidden$/i;

// What a start tag does in body content, one bit each, done in this order.
const CLOSE_P = 1;
const RECONSTRUCT = 2;
const FORMATTING = 4;
const INSERT = 8;
const APPEND = 16;
const MARK = 32;
const RAW = 64;
const NO_FRAMESET = 128;
const ORDINARY = RECONSTRUCT | INSERT;

/** The steps of tags that are not ordinary; tags without steps only have their own rules, or are ignored. */
const STEPS = bytesById(
  [
    ["a b big code em font i nobr s small strike strong tt u", FORMATTING],
    [
      "address article aside blockquote center details dialog dir div dl fieldset figcaption figure " +
        "footer header hgroup main menu nav ol p plaintext search section summary ul",
      CLOSE_P | INSERT,
    ],
    ["h1 h2 h3 h4 h5 h6 rb rp rt rtc", INSERT],
    ["dd dt li listing pre", CLOSE_P | INSERT | NO_FRAMESET],
    ["area br embed image img keygen wbr", RECONSTRUCT | APPEND | NO_FRAMESET],
    ["applet marquee object", ORDINARY | MARK | NO_FRAMESET],
    ["button select", ORDINARY | NO_FRAMESET],
    ["table", INSERT | NO_FRAMESET],
    ["input", RECONSTRUCT | APPEND],
    ["hr", CLOSE_P | APPEND | NO_FRAMESET],
    ["param source track", APPEND],
    ["noembed noframes", APPEND | RAW],
    ["iframe textarea", APPEND | RAW | NO_FRAMESET],
    ["xmp", CLOSE_P | RECONSTRUCT | APPEND | RAW | NO_FRAMESET],
    ["caption col colgroup frame head tbody td tfoot th thead tr", 0],
    ["base basefont bgsound link meta script style template title", 0],
    ["body form frameset html math svg", 0],
  ],
  ORDINARY,
);

/** Own rules of tags, applied before their steps. */
const OWN_RULES = byId<Rule>([
  ["base basefont bgsound link meta script style template title", startInHead],
  ["h1 h2 h3 h4 h5 h6", startHeading],
  ["dd dt li", startItem],
  ["rb rtc", ({ open }) => open.has(T.ruby, SCOPE) && open.impliedEnds()],
  ["rp rt", ({ open }) => open.has(T.ruby, SCOPE) && open.impliedEnds(T.rtc)],
  ["optgroup option", ({ open }) => open.current === T.option && open.pop()],
  ["a", startLink],
  ["nobr", startNobr],
  ["html", ({ open, harvest }) => open.templates === 0 && harvest.element()],
  ["body", startBody],
  ["frameset", startFrameset],
  ["form", startForm],
  ["button", ({ open }) => open.close(T.button, SCOPE)],
  ["table", startTable],
  ["select", startSelect],
  ["svg", (tree) => startForeign(tree, SVG)],
  ["math", (tree) => startForeign(tree, MATHML)],
  [
    "input",
    (tree) => {
      tree.framesetOk &&= isHiddenInput(tree);
    },
  ],
  [
    "plaintext",
    (tree) => {
      tree.raw = RAW_PLAINTEXT;
    },
  ],
]);

/** A start tag in the mode "in body", which most other modes fall back to. */
export function startInBody(tree: Tree): void {
  OWN_RULES[tree.id]?.(tree);
  const steps = STEPS[tree.id] ?? ORDINARY;
  if (steps & CLOSE_P) closeP(tree);
  if (steps & RECONSTRUCT) tree.reconstruct();
  if (steps & FORMATTING) tree.insertFormatting();
  if (steps & INSERT) tree.insert(HTML);
  if (steps & APPEND) tree.append(HTML);
  if (steps & MARK) tree.formatting.mark();
  if (steps & RAW) tree.raw = RAW_TEXT;
  if (steps & NO_FRAMESET) tree.framesetOk = false;
}

/** Closes an open p element, which most blocks do. */
function closeP({ open }: Tree): void {
  open.close(T.p, BUTTON_SCOPE);
}

/** True for an invisible input element. */
export function isHiddenInput(tree: Tree): boolean {
  return HIDDEN.test(tree.harvest.value(ATTR.type) ?? "");
}

function startHeading(tree: Tree): void {
  closeP(tree);
  if (HEADINGS[tree.open.current] === 1) tree.open.pop();
}

/** li, dd and dt close the item before them. */
function startItem({ open, id }: Tree): void {
  const index = id === T.li ? open.topmost(T.li) : Math.max(open.topmost(T.dd), open.topmost(T.dt));
  if (index < 0 || open.anyAbove(index, LIST_BOUNDARY)) return;
  const name = open.ids[index]!;
  open.impliedEnds(name);
  open.popUntil(name);
}

/** A link ends the one around it. */
function startLink(tree: Tree): void {
  const { open, formatting } = tree;
  const active = formatting.find(T.a);
  if (active === undefined) return;
  const { serial } = active;
  adopt(tree, T.a);
  open.remove(serial);
  formatting.remove(active);
}

function startNobr(tree: Tree): void {
  tree.reconstruct();
  if (tree.open.has(T.nobr, SCOPE)) adopt(tree, T.nobr);
}

function startBody(tree: Tree): void {
  const { open } = tree;
  if (open.top >= 1 && open.ids[1] === T.body && open.templates === 0) tree.framesetOk = false;
}

function startFrameset(tree: Tree): void {
  const { open } = tree;
  if (!tree.framesetOk || open.top < 1 || open.ids[1] !== T.body) return;
  tree.dropBody();
  tree.insert(HTML);
  tree.mode = MODE.inFrameset;
}

function startForm(tree: Tree): void {
  const { open } = tree;
  if (tree.form !== 0 && open.templates === 0) return;
  closeP(tree);
  const top = open.top;
  tree.insert(HTML);
  if (open.templates === 0) tree.form = open.top > top ? open.serials[open.top]! : open.newSerial();
}

function startTable(tree: Tree): void {
  if (!tree.quirks) closeP(tree);
  tree.mode = MODE.inTable;
}

function startSelect(tree: Tree): void {
  const { mode } = tree;
  const inTable = mode >= MODE.inTable && mode <= MODE.inCell && mode !== MODE.inColumnGroup;
  tree.mode = inTable ? MODE.inSelectInTable : MODE.inSelect;
}

function startForeign(tree: Tree, namespace: number): void {
  tree.reconstruct();
  tree.insertForeign(namespace);
}

/** What end tags do; all others close the innermost element of their name. */
const END_RULES = byId<Rule>([
  ["a b big code em font i nobr s small strike strong tt u", (tree) => adopt(tree, tree.id)],
  [
    "address article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption " +
      "figure footer header hgroup listing main menu nav ol pre search section summary ul",
    ({ open, id }) => open.close(id, SCOPE),
  ],
  ["li", ({ open }) => open.close(T.li, LIST_SCOPE)],
  ["p", endP],
  ["h1 h2 h3 h4 h5 h6", endHeading],
  ["br", endBr],
  ["body html", endBody],
  ["form", endForm],
  [
    "applet marquee object",
    ({ open, id, formatting }) => open.close(id, SCOPE) && formatting.clearToMarker(),
  ],
  ["template", templateEnd],
]);

/** An end tag in the mode "in body". */
export function endInBody(tree: Tree): void {
  const rule = END_RULES[tree.id];
  if (rule === undefined) tree.open.closeOrdinary(tree.id);
  else rule(tree);
}

function endP(tree: Tree): void {
  if (!tree.open.has(T.p, BUTTON_SCOPE)) tree.insertImplied(T.p);
  closeP(tree);
}

function endHeading({ open }: Tree): void {
  if (!open.hasAny(HEADINGS, SCOPE)) return;
  open.impliedEnds();
  open.shorten(open.topmostOf(HEADINGS));
}

function endBr(tree: Tree): void {
  tree.reconstruct();
  tree.framesetOk = false;
}

function endBody(tree: Tree): void {
  if (!tree.open.has(T.body, SCOPE)) return;
  tree.mode = tree.id === T.body ? MODE.afterBody : MODE.afterAfterBody;
}

function endForm(tree: Tree): void {
  const { open, form } = tree;
  const inTemplate = open.templates > 0;
  if (!inTemplate) tree.form = 0;
  if ((form === 0 && !inTemplate) || !open.has(T.form, SCOPE)) return;
  open.impliedEnds();
  if (inTemplate) open.popUntil(T.form);
  else open.remove(form);
}
