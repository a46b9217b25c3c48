import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseRefresh } from "../../src/parse/meta-refresh.ts";
import { referenceRefresh } from "./refresh-reference.ts";
import { parserTarget } from "./target.ts";

const piece = fc.constantFrom(
  "0",
  "5",
  "12",
  ".",
  "1.5",
  ";",
  ",",
  " ",
  "\t",
  "\n",
  "\f",
  "\v",
  "\u00a0",
  "u",
  "U",
  "ur",
  "url",
  "URL",
  "uRl",
  "=",
  "'",
  '"',
  "http://h/x",
  "/y",
  "x",
  "é",
  "\0",
  "+",
  "-",
);
const white = fc.constantFrom("", "", " ", "\t\n", "\v");
/** Refreshes as they are meant, with something odd in any place: chance alone hardly ever gets to the quotes. */
const shaped = fc
  .tuple(
    white,
    fc.constantFrom("0", "5", "1.5", ".5", "", "1..2"),
    fc.constantFrom(";", ",", "", " ", ";;"),
    white,
    fc.constantFrom("url", "URL", "ur", "u", "", "urlx"),
    white,
    fc.constantFrom("=", "", "=="),
    white,
    fc.constantFrom("'", '"', ""),
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join("")),
    fc.constantFrom("'", '"', "", "' x", '"x'),
  )
  .map((parts) => parts.join(""));
const content = fc.oneof(
  { weight: 4, arbitrary: shaped },
  fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);

/** meta refresh: what the standard's own steps give. */
export const refreshTarget = parserTarget(
  "refresh",
  content,
  (text) => assert.deepEqual(parseRefresh(text), referenceRefresh(text)),
  parseRefresh,
  500_000,
);
