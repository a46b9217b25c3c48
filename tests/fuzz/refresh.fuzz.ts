import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parseRefresh } from "../../src/parse/meta-refresh.ts";
import { referenceRefresh } from "./refresh-reference.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

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
const content = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);

/** meta refresh: what the standard's own steps give. */
export const refreshTarget: FuzzTarget = {
  name: "refresh",
  open: () => ({
    parts: [
      {
        name: "standard",
        property: claim(
          fc.property(content, (text) => {
            assert.deepEqual(parseRefresh(text), referenceRefresh(text));
          }),
        ),
      },
      {
        name: "linear",
        timed: true,
        property: linear(content, parseRefresh, { characters: 500_000, cpuMs: 2000 }),
      },
    ],
  }),
};
