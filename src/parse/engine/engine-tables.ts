import type { EngineTables } from "../../page-engine/page-engine.ts";
import { TREATMENT } from "../harvest.ts";
import { HARMLESS_IN_SELECT, HARMLESS_IN_TABLE, KIND } from "../quick-scan.ts";
import { BREAK, bytesById, LOWER, NAME_TABLE, setOf, T } from "../tags.ts";
import { INLINE, MULTI_BYTE, SINGLE_BYTE, UTF8 } from "../words/word-counter.ts";

/** The reference's own tables, for the page engine. */
export const ENGINE_TABLES: EngineTables = {
  lengths: NAME_TABLE.lengths,
  names: NAME_TABLE.names,
  kind: KIND,
  inline: INLINE,
  treatment: TREATMENT,
  inTable: HARMLESS_IN_TABLE,
  inSelect: HARMLESS_IN_SELECT,
  // The numbers are those of assembly/tables.ts.
  tablePart: bytesById([
    ["table", 1],
    ["caption", 2],
    ["colgroup", 3],
    ["col", 4],
    ["tbody thead tfoot", 5],
    ["tr", 6],
    ["td th", 7],
  ]),
  // The elements of which the engine takes something.
  withAttributes: setOf("a area base html iframe link meta"),
  breaks: BREAK,
  lower: LOWER,
  wordBytes: [UTF8, SINGLE_BYTE, MULTI_BYTE],
  asked: bytesById([
    ["base", 1],
    ["meta", 2],
    ["link", 3],
  ]),
  tags: { a: T.a, desc: T.desc, select: T.select, tbody: T.tbody, title: T.title, xmp: T.xmp },
};
