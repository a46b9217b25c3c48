import { leaveColumnGroup, textInTable } from "./in-table.ts";
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
 * Tells the tree about the text in [start, end). Only the beginning matters: white space, NUL and
 * the first ordinary character; what follows changes nothing more.
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
    if (tree.inForeign) {
      if (kind === OTHER) tree.framesetOk = false;
      return;
    }
    onToken(tree, kind);
  } while (tree.again);
}

function onToken(tree: Tree, kind: number): void {
  const { open } = tree;
  switch (tree.mode) {
    case MODE.initial:
    case MODE.beforeHtml:
    case MODE.beforeHead:
    case MODE.inHead:
    case MODE.inHeadNoscript:
    case MODE.afterHead:
      if (kind !== SPACE) advance(tree);
      return;
    case MODE.inTable:
    case MODE.inTableBody:
    case MODE.inRow:
      if (open.current < 256 && TABLE_STRUCTURE[open.current] === 1) {
        // White space stays in the table, and NUL is dropped, unless a character follows.
        if (kind === OTHER) textInTable(tree);
      } else if (kind === OTHER) textInTable(tree);
      else if (kind === SPACE) tree.reconstruct();
      return;
    case MODE.inColumnGroup:
      if (kind !== SPACE && leaveColumnGroup(tree)) tree.again = true;
      return;
    case MODE.afterBody:
    case MODE.afterAfterBody:
      if (kind === SPACE) tree.reconstruct();
      else advance(tree);
      return;
    case MODE.inBody:
    case MODE.inCaption:
    case MODE.inCell:
    case MODE.inTemplate:
      if (kind === NULL) return;
      tree.reconstruct();
      if (kind === OTHER) tree.framesetOk = false;
      return;
    default: // select and frameset keep text out of the way
  }
}
