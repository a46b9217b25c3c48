import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shippedRoot } from "../../../../src/verify/rewrite/modules.ts";
import { outsideSubset } from "../../../../src/verify/rewrite/subset.ts";

test("techniques and sets keep to what the explorer can run", () => {
  for (const folder of ["frontier/shared/techniques", "frontier/shared/sets"]) {
    const files = readdirSync(join(shippedRoot, folder)).filter((file) => file.endsWith(".js"));
    assert.ok(files.length > 0);
    for (const file of files) {
      const source = readFileSync(join(shippedRoot, folder, file), "utf8");
      assert.deepEqual(outsideSubset(source), [], `${folder}/${file}`);
    }
  }
});
