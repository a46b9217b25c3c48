import type { FoundLink, Harvest } from "./harvest.ts";
import {
  afterBogusComment,
  afterCdata,
  afterComment,
  opensCdata,
  rawTextEnd,
  scriptEnd,
} from "./markup.ts";
import { NO_BUDGET, type ParseBudget } from "./parse-budget.ts";
import type { TagReader } from "./tag-reader.ts";
import { isLetter, T, tagName } from "./tags.ts";
import { isQuirky } from "./tree/doctype.ts";
import { endTag, startTag } from "./tree/modes.ts";
import { text } from "./tree/text.ts";
import { MODE, RAW_NONE, RAW_PLAINTEXT, RAW_SCRIPT, Tree } from "./tree/tree-state.ts";
import { INLINE, type TextSink } from "./words/word-counter.ts";

/**
 * Reads a page by the rules of tree construction, but keeps only the open elements. Slower than `quickScan` and right
 * for every page; returns the links in the order of the tree.
 */
export function treeScan(
  reader: TagReader,
  harvest: Harvest,
  words: TextSink | undefined,
  budget: ParseBudget = NO_BUDGET,
): FoundLink[] {
  const { buf, end } = reader;
  const tree = new Tree(reader, harvest);
  let textStart = 0;
  let p = 0;
  for (;;) {
    while (p < end && buf[p] !== 0x3c) p++;
    const next = p + 1 < end ? buf[p + 1]! : 0;
    const closing = next === 0x2f;
    const nameStart = closing ? p + 2 : p + 1;
    const isTag = nameStart < end && isLetter(buf[nameStart]!);
    const isOther = next === 0x21 || next === 0x3f || (closing && nameStart < end);
    if (p < end && !isTag && !isOther) {
      p++; // a "<" that is text
      continue;
    }
    if (p > textStart) {
      text(tree, textStart, p);
      if (words !== undefined && tree.open.templates === 0) words.range(textStart, p);
    }
    if (p >= end || budget.spent()) break;
    p = isTag ? readTag(tree, p, nameStart, closing, words) : skipOther(tree, p);
    if (p < 0) break; // the page ends inside a tag, or in plaintext
    textStart = p;
  }
  return tree.order.links();
}

/** Skips a comment, doctype, CDATA section or anything else that counts as a comment. */
function skipOther(tree: Tree, p: number): number {
  const { buf } = tree.reader;
  if (buf[p + 1] !== 0x21) return afterBogusComment(buf, p + (buf[p + 1] === 0x2f ? 2 : 1));
  if (buf[p + 2] === 0x2d && buf[p + 3] === 0x2d) return afterComment(buf, p);
  if (opensCdata(buf, p) && tree.inForeign) {
    const after = afterCdata(buf, p);
    text(tree, p + 9, after < buf.length ? after - 3 : after);
    return after;
  }
  const after = afterBogusComment(buf, p + 2);
  const isDoctype = /^doctype/i.test(buf.toString("latin1", p + 2, p + 9));
  if (isDoctype && tree.mode === MODE.initial) {
    tree.quirks = isQuirky(buf.toString("latin1", p, after));
    tree.mode = MODE.beforeHtml;
  }
  return after;
}

/** Processes the tag at `p` and the raw text after it; returns where to go on, -1 at the end. */
function readTag(
  tree: Tree,
  p: number,
  nameStart: number,
  closing: boolean,
  words: TextSink | undefined,
): number {
  const { reader, harvest } = tree;
  const { buf } = reader;
  const after = reader.read(p, nameStart, closing);
  if (after < 0) return -1;
  tree.identify();
  tree.tagEnd = after;
  if (closing) {
    endTag(tree);
    if (INLINE[reader.id] === 0) words?.endWord();
    return after;
  }
  tree.raw = RAW_NONE;
  startTag(tree);
  if (INLINE[reader.id] === 0) words?.endWord();
  if (tree.raw === RAW_NONE) return after;
  const visible = tree.open.templates === 0;
  if (tree.raw === RAW_PLAINTEXT) {
    if (visible) words?.range(after, buf.length);
    return -1;
  }
  const name = Buffer.from(tagName(reader.id));
  const close = tree.raw === RAW_SCRIPT ? scriptEnd(buf, after) : rawTextEnd(buf, after, name);
  if (visible && reader.id === T.title) harvest.titleText(after, close);
  if (visible && reader.id === T.xmp) words?.range(after, close);
  return close >= buf.length ? -1 : reader.read(close, close + 2, true);
}
