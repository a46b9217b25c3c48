import { textInColumnGroup, textInTable } from "./in-table.ts";
import { advance } from "./modes.ts";
import { TABLE_STRUCTURE } from "./sets.ts";
import { MODE, type Tree } from "./tree-state.ts";

const SPACE = 1;
const NULL = 2;
const OTHER = 3;

const KIND = new Uint8Array(256).fill(OTHER);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) KIND[byte] = SPACE;
KIND[0] = NULL;

/** References that stand for white space; all others are ordinary characters. */
const SPACE_REFERENCE =
  /^&(?:#0*(?:9|10|12|32)(?:;|(?![0-9]))|#[xX]0*(?:9|[aA]|[cC]|20)(?:;|(?![0-9a-fA-F]))|Tab;|NewLine;)/;
const LONGEST_REFERENCE = 32;

/**
 * Applies the text in [start, end) to the tree. Only the beginning matters: white space, NUL and the first ordinary
 * character; the rest changes nothing.
 */
export function text(tree: Tree, start: number, end: number): void {
  const { buf } = tree.reader;
  let before = 0;
  for (let p = start; p < end; p++) {
    let kind = KIND[buf[p]!]!;
    if (buf[p] === 0x26) {
      const written = buf.toString("latin1", p, Math.min(end, p + LONGEST_REFERENCE));
      const reference = SPACE_REFERENCE.exec(written);
      if (reference !== null) {
        kind = SPACE;
        p += reference[0].length - 1;
      }
    }
    if (kind === before) continue;
    before = kind;
    token(tree, kind);
    if (kind === OTHER) break;
  }
}

function token(tree: Tree, kind: number): void {
  do {
    tree.again = false;
    if (!tree.inForeign) RULES[tree.mode]?.(tree, kind);
    else if (kind === OTHER) tree.framesetOk = false;
  } while (tree.again);
}

/** What text does in each mode; in select and frameset it does nothing. */
const RULES: Readonly<Record<number, (tree: Tree, kind: number) => void>> = {
  [MODE.initial]: beforeBody,
  [MODE.beforeHtml]: beforeBody,
  [MODE.beforeHead]: beforeBody,
  [MODE.inHead]: beforeBody,
  [MODE.inHeadNoscript]: beforeBody,
  [MODE.afterHead]: beforeBody,
  [MODE.inBody]: inBody,
  [MODE.inCaption]: inBody,
  [MODE.inCell]: inBody,
  [MODE.inTemplate]: inBody,
  [MODE.inTable]: inTable,
  [MODE.inTableBody]: inTable,
  [MODE.inRow]: inTable,
  [MODE.inColumnGroup]: inColumnGroup,
  [MODE.afterBody]: afterBody,
  [MODE.afterAfterBody]: afterBody,
};

function beforeBody(tree: Tree, kind: number): void {
  if (kind !== SPACE) advance(tree);
}

function inBody(tree: Tree, kind: number): void {
  if (kind === NULL) return;
  tree.reconstruct();
  if (kind === OTHER) tree.framesetOk = false;
}

function inTable(tree: Tree, kind: number): void {
  if (kind === OTHER) textInTable(tree);
  // White space stays in the table, and NUL is dropped, unless a character follows.
  else if (kind === SPACE && TABLE_STRUCTURE[tree.open.current] !== 1) tree.reconstruct();
}

function inColumnGroup(tree: Tree, kind: number): void {
  if (kind !== SPACE) textInColumnGroup(tree);
}

function afterBody(tree: Tree, kind: number): void {
  if (kind === SPACE) tree.reconstruct();
  else advance(tree);
}
