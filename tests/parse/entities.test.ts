import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as parse5 from "parse5";
import { decodeEntities } from "../../src/parse/entities.ts";
import { ENTITY_NAMES } from "../../src/parse/entity-names.ts";

const names = ENTITY_NAMES.flatMap((line) => line.split(" ").map((entry) => entry.split(",")[0]!));

/** What parse5 makes of references in an attribute and in text. */
function reference(written: string): [string, string] {
  const fragment = parse5.parseFragment(`<i title="${written}">${written}</i>`);
  const element = fragment.childNodes[0] as unknown as {
    attrs: { value: string }[];
    childNodes: { value: string }[];
  };
  return [element.attrs[0]!.value, element.childNodes.map((node) => node.value).join("")];
}

function assertAgrees(written: string): void {
  const [attribute, text] = reference(written);
  assert.equal(decodeEntities(written, true), attribute, `attribute ${written}`);
  assert.equal(decodeEntities(written, false), text, `text ${written}`);
}

test("every name, with and without semicolon, before every kind of character", () => {
  assert.equal(names.length, 2125);
  for (const name of names) {
    assertAgrees(`&${name};&${name}&${name}=&${name}x&${name} &${name.slice(0, -1)};`);
  }
});

test("numeric references", () => {
  const points = [0x1, 0x9, 0x7f, 0x80, 0x9f, 0xa0, 0xd800, 0xdfff, 0xfffe, 0x1f600, 0x10ffff];
  for (const point of [...points, 0x110000, 2 ** 40]) {
    assertAgrees(`&#${point};&#${point}x&#x${point.toString(16)};&#X${point.toString(16)}g`);
  }
  assertAgrees("&#;&#x;&#xg&#");
  assert.equal(decodeEntities("&#0;", true), "\ufffd");
});

test("any mixture", () => {
  const part = fc.constantFrom(
    "&",
    "#",
    "x",
    ";",
    "=",
    "1",
    "80",
    "amp",
    "not",
    "in",
    "it",
    "copy",
    " ",
    "é",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      if (!/&#[xX]?0*(?:;|[^0-9a-fA-F]|$)/.test(parts.join(""))) assertAgrees(parts.join(""));
    }),
    { numRuns: 2000 },
  );
});
