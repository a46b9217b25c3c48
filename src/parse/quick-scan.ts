import { ForeignTracker } from "./foreign-tracker.ts";
import type { Harvest } from "./harvest.ts";
import { afterBogusComment, afterComment, opensCdata, rawTextEnd, scriptEnd } from "./markup.ts";
import { NO_BUDGET, type ParseBudget } from "./parse-budget.ts";
import { TABLE_TAGS, TableTracker } from "./table-tracker.ts";
import type { TagReader } from "./tag-reader.ts";
import { bytesById, isLetter, setOf, T, tagName } from "./tags.ts";
import { PASS_END, PASS_INLINE, PASS_START } from "./words/text-run-layout.ts";
import { INLINE, type TextSink } from "./words/word-counter.ts";

// Kinds of start tags in ordinary body content.
const PLAIN = 0;
const TAKEN = 1; // the harvest looks at it
const RAW = 2; // text up to its own end tag
const SCRIPT = 3;
const TABLE = 4;
const SELECT = 5;
const SVG = 6;
const PLAINTEXT = 7;
const HARD = 8; // only full tree construction knows

/** Kinds of start tags, by tag. */
export const KIND: Uint8Array = bytesById([
  ["a area audio base embed form html image img input link meta object source track video", TAKEN],
  ["iframe noembed noframes style textarea title xmp", RAW],
  ["script", SCRIPT],
  [TABLE_TAGS, TABLE],
  ["select", SELECT],
  ["svg", SVG],
  ["plaintext", PLAINTEXT],
  ["frameset math template", HARD],
]);

/** Directly inside a table these change no open element and no link; all others need the full rules. */
export const HARMLESS_IN_TABLE: Uint8Array = setOf(
  "script style input form br img hr html head body",
);
/** The same inside a select. */
export const HARMLESS_IN_SELECT: Uint8Array = setOf("option optgroup hr script");

const ENDS = Array.from({ length: 256 }, (_, id) =>
  Buffer.from(KIND[id] === RAW ? tagName(id) : ""),
);

/** Which tags the word counter may skip by itself, as bits by tag: start tag, end tag, and whether a word continues after it. */
export const PASSABLE: Uint8Array = Uint8Array.from({ length: 256 }, (_, id) => {
  const start = KIND[id] === PLAIN ? PASS_START : 0;
  const end = KIND[id] === TABLE || id === T.select ? 0 : PASS_END;
  return start | end | (INLINE[id] === 1 ? PASS_INLINE : 0);
});

/** Offset after the markup at "<" that is not a tag; -1 when it is text. */
function afterNonTag(buf: Buffer, p: number): number {
  const next = buf[p + 1];
  if (next === 0x21) {
    const comment = buf[p + 2] === 0x2d && buf[p + 3] === 0x2d;
    return comment ? afterComment(buf, p) : afterBogusComment(buf, p + 2);
  }
  if (next === 0x3f) return afterBogusComment(buf, p + 1);
  if (next === 0x2f && p + 2 < buf.length) return afterBogusComment(buf, p + 2);
  return -1;
}

/**
 * Walks once over a page and fills the harvest. Returns false as soon as something depends on the whole tree (content
 * moved out of tables, frameset, template, MathML, odd SVG or select): then the harvest is void and `treeScan` has to
 * read the page.
 */
export function quickScan(
  reader: TagReader,
  harvest: Harvest,
  words: TextSink | undefined,
  budget: ParseBudget = NO_BUDGET,
): boolean {
  const { buf, end } = reader;
  const tables = new TableTracker();
  const foreign = new ForeignTracker(reader, harvest);
  let inSelect = false;
  let p = 0;
  for (;;) {
    if (words !== undefined) {
      const starts = inSelect || tables.structural ? 0 : PASS_START;
      p = words.until(p, foreign.open ? 0 : starts | PASS_END);
    } else while (p < end && buf[p] !== 0x3c) p++;
    if (p + 1 >= end || budget.spent()) return true;
    const closing = buf[p + 1] === 0x2f;
    const nameStart = closing ? p + 2 : p + 1;
    if (nameStart >= end || !isLetter(buf[nameStart]!)) {
      if (foreign.open && buf[p + 1] === 0x21 && opensCdata(buf, p)) return false;
      const after = afterNonTag(buf, p);
      if (after < 0) words?.literal(p);
      p = after < 0 ? p + 1 : after;
      continue;
    }
    p = reader.read(p, nameStart, closing);
    if (p < 0) return true;
    const { id } = reader;
    if (words !== undefined && INLINE[id] === 0) words.endWord();
    if (foreign.open) {
      p = foreign.tag(p);
      if (p < 0) return false;
      continue;
    }
    if (closing) {
      if (id === T.select) inSelect = false;
      else if (KIND[id] === TABLE) {
        if (inSelect && tables.open) return false;
        if (!inSelect) tables.end(id);
      }
      continue;
    }
    const what = KIND[id]!;
    if (what === PLAIN && !inSelect && !tables.structural) continue;
    if (inSelect && HARMLESS_IN_SELECT[id] === 0) return false;
    if (what === TABLE) {
      if (!tables.start(id)) return false;
      continue;
    }
    if (tables.structural && HARMLESS_IN_TABLE[id] === 0) return false;
    switch (what) {
      case TAKEN:
        harvest.element();
        break;
      case RAW: {
        harvest.element();
        const close = rawTextEnd(buf, p, ENDS[id]!);
        if (id === T.title) harvest.titleText(p, close);
        else if (id === T.xmp) words?.range(p, close);
        p = close;
        break;
      }
      case SCRIPT:
        harvest.element();
        p = scriptEnd(buf, p);
        break;
      case SELECT:
        inSelect = true;
        break;
      case SVG:
        if (!reader.selfClosing) foreign.enter();
        break;
      case PLAINTEXT:
        words?.range(p, end);
        return true;
      case HARD:
        return false;
      case PLAIN:
        break;
    }
  }
}
