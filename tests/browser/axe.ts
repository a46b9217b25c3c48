import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../support/conformance.ts";
import type { Page } from "./playwright.ts";

/** Wide and narrow, light and dark. */
export const LOOKS = [
  [1400, "light"],
  [1400, "dark"],
  [360, "light"],
  [360, "dark"],
] as const;

/** Loads axe into a page that was opened with `bypassCSP`. */
export async function loadAxe(page: Page): Promise<void> {
  const path = createRequire(join(root, "package.json")).resolve("axe-core/axe.min.js");
  await page.addScriptTag({ content: readFileSync(path, "utf8") });
}

/** Fails when axe finds a violation, or when something sticks out of the page. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: object[] }[] }>(
    "axe.run()",
  );
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0]).slice(0, 300)}`),
    [],
    what,
  );
  const overflow = await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assert.equal(overflow, 0, `${what}: nothing sticks out`);
}
