import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseSrcset } from "../../src/parse/srcset.ts";
import { referenceSrcset } from "./srcset-reference.ts";
import { parserTarget } from "./target.ts";

const piece = fc.constantFrom(
  "a.png",
  "b",
  "data:,x",
  ",",
  ",,",
  " ",
  "\t",
  "\n",
  "\f",
  "\r",
  "\v",
  "\u00a0",
  "1x",
  "2w",
  "3h",
  "0w",
  "-1x",
  "1.5x",
  ".5x",
  "5.x",
  "1e3x",
  "1E-3x",
  "+1x",
  "1ex",
  "01w",
  "1.0w",
  "x",
  "w",
  "(",
  ")",
  "(a, b)",
  "1x(",
  "é",
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(" ")),
  fc.string({ unit: "binary" }),
);

/** srcset attributes: the candidates of the standard's own steps. */
export const srcsetTarget = parserTarget(
  "srcset",
  text,
  (srcset) => {
    const found = parseSrcset(srcset).map(({ link, density, widthPixels }) => {
      return { link, density, width: widthPixels };
    });
    assert.deepEqual(found, referenceSrcset(srcset));
  },
  parseSrcset,
  200_000,
);
