import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configMarkdown } from "../../src/config/config-markdown.ts";
import { settings } from "../../src/config/schema.ts";
import { root } from "../support/conformance.ts";

test("docs/config.md is what the schema says (node build/src/config/write-config-docs.js renews it)", () => {
  assert.equal(readFileSync(join(root, "docs/config.md"), "utf8"), configMarkdown());
});

test("docs/config.md names every setting and no machine", () => {
  const text = configMarkdown();
  for (const [name, { flag }] of settings) {
    assert.ok(text.includes(`### \`${name}\``) && text.includes(flag), name);
  }
  assert.ok(!/undefined|NaN|\[object/.test(text));
});
