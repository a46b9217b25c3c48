import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { casesMarkdown } from "../../src/web/hostile/hostile-markdown.ts";
import { root } from "../support/conformance.ts";

test("docs/hostile.md lists every case as it is played", () => {
  const text = readFileSync(join(root, "docs/hostile.md"), "utf8");
  const table = text.slice(text.indexOf("| row |"));
  assert.equal(
    table,
    casesMarkdown(),
    "write the table anew: node build/src/web/hostile/write-hostile-docs.js",
  );
});
