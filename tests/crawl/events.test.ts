import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../support/conformance.ts";

test("docs/events.md lists exactly the declared events", () => {
  const source = readFileSync(join(root, "src/crawl/events.ts"), "utf8");
  const declaration = /interface CrawlEvents \{([^}]*)\}/.exec(source)![1]!;
  const declared = [...declaration.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name);
  const table = readFileSync(join(root, "docs/events.md"), "utf8");
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.ok(declared.length > 0);
  assert.deepEqual(documented, declared);
});
