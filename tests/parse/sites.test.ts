import assert from "node:assert/strict";
import { test } from "node:test";
import { charsetOf, decodeText } from "../../src/parse/charset/charset.ts";
import { scanLinks } from "../../src/parse/links.ts";
import { noConformance } from "../support/conformance.ts";
import { distinct, referenceLinks } from "./reference.ts";
import { Site } from "./site.ts";

test("reads a sample of real pages like parse5", { skip: noConformance }, () => {
  const site = new Site("sqlite3");
  try {
    for (const path of site.truth.pages_list.filter((_, index) => index % 25 === 0)) {
      const body = site.read(path);
      const { links } = scanLinks(body);
      assert.deepEqual(
        distinct(links.map((link) => `${link.element} ${link.value}`)),
        distinct(referenceLinks(decodeText(body, charsetOf(body)))),
        path,
      );
    }
  } finally {
    site.remove();
  }
});
