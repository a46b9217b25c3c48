import type { FormattingEntry } from "./formatting-list.ts";
import { HTML, SCOPE, SPECIAL } from "./sets.ts";
import type { Tree } from "./tree-state.ts";

const OUTER_LIMIT = 8;
const INNER_LIMIT = 3;

/**
 * The adoption agency algorithm (HTML, 13.2.6.4.7) on the stack and the list alone. The nodes it
 * moves keep their order, and every copy of a link it makes comes after the original.
 */
export function adopt(tree: Tree, id: number): void {
  const { open, formatting } = tree;
  const isCurrent = open.current === id && open.namespace === HTML;
  if (isCurrent && formatting.bySerial(open.serials[open.top]!) === undefined) open.pop();
  else for (let i = 0; i < OUTER_LIMIT && adoptOnce(tree, id); i++);
}

/** True when there may be more to do. */
function adoptOnce(tree: Tree, id: number): boolean {
  const { open, formatting } = tree;
  const entry = formatting.find(id);
  const at = entry === undefined ? -1 : open.indexOfSerial(entry.serial);
  if (entry === undefined) open.closeOrdinary(id);
  else if (at < 0) formatting.remove(entry);
  else if (!open.anyAbove(at, SCOPE)) {
    let block = at + 1;
    while (block <= open.top && (open.bits[block]! & SPECIAL) === 0) block++;
    if (block <= open.top) {
      replaceFormatting(tree, entry, at, block);
      return true;
    }
    open.shorten(at);
    formatting.remove(entry);
  }
  return false;
}

/** One round: copies the elements between the formatting element and the furthest block into that block. */
function replaceFormatting(
  tree: Tree,
  entry: FormattingEntry,
  formattingIndex: number,
  blockIndex: number,
): void {
  const { open, formatting, order } = tree;
  const blockSerial = open.serials[blockIndex]!;
  const start = open.after[blockIndex]!;
  const firstContent = order.next(start);
  let bookmark = entry;
  let copied = false;
  let count = 0;
  for (let i = blockIndex - 1; i > formattingIndex; i--, count++) {
    const between = formatting.bySerial(open.serials[i]!);
    if (between === undefined || count >= INNER_LIMIT) {
      if (between !== undefined) formatting.remove(between);
      open.removeAt(i);
      continue;
    }
    if (!copied) bookmark = between;
    copied = true;
    between.serial = open.newSerial();
    open.serials[i] = between.serial;
    addCopy(tree, between, order.next(start));
  }
  addCopy(tree, entry, firstContent);
  const copy: FormattingEntry = { ...entry, serial: open.newSerial() };
  formatting.insertAfter(bookmark, copy);
  formatting.remove(entry);
  open.remove(entry.serial);
  open.insertAbove(open.indexOfSerial(blockSerial), copy.id, copy.serial);
}

function addCopy(tree: Tree, entry: FormattingEntry, before: number): void {
  if (entry.link !== undefined && tree.open.templates === 0) {
    tree.order.insertBefore(before, entry.link);
  }
}
