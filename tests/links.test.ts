import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import * as errors from "../src/errors.ts";
import * as library from "../src/index.ts";
import { root } from "./support/conformance.ts";

/** Markdown that people read, without that of packages and builds. */
const pages = ["README.md", "docs", "src", "bench", "models", "tests"].flatMap((path) =>
  statSync(join(root, path)).isFile()
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
        // The rivals of bench/ may be installed there.
        .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
        .map((file) => join(path, file)),
);

const textOf = (page: string) => readFileSync(join(root, page), "utf8");

/** Headings as a link names them. */
function anchorsOf(page: string): Set<string> {
  const headings = textOf(page).matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links of a page to files of this repository; code is not looked at. */
function linksOf(page: string): string[] {
  const text = textOf(page)
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link));
}

test("every link between our pages leads somewhere", () => {
  const broken: string[] = [];
  let count = 0;
  for (const page of pages)
    for (const link of linksOf(page)) {
      count++;
      const [path, anchor] = link.split("#") as [string, string | undefined];
      const target = path === "" ? page : relative(root, join(root, dirname(page), path));
      const isThere = existsSync(join(root, target));
      if (!isThere || (anchor !== undefined && !anchorsOf(target).has(anchor)))
        broken.push(`${page}: ${link}`);
    }
  assert.ok(count > 100, String(count));
  assert.deepEqual(broken, []);
});

test("the index leads to every page of docs/", () => {
  const linked = new Set(linksOf("docs/README.md").map((link) => link.split("#")[0]!));
  const all = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  assert.deepEqual(
    all.filter((file) => file !== "README.md" && !linked.has(file)),
    [],
  );
});

test("docs/library.md has every export, with an example that exists", () => {
  const text = textOf("docs/library.md");
  const { exports } = JSON.parse(textOf("package.json")) as { exports: Record<string, unknown> };
  const paths = Object.keys(exports).filter((path) => path !== "." && path !== "./package.json");
  for (const path of paths) assert.ok(text.includes(`orbweaver${path.slice(1)}`), path);
  const functions = Object.keys(library).filter((name) => !(name in errors));
  assert.deepEqual(
    functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)),
    [],
  );
  for (const file of readdirSync(join(root, "examples")))
    assert.ok(text.includes(`../examples/${file}`), file);
});

test("docs/documents.md names options and commands that exist", async () => {
  const { COMMANDS } = await import("../src/cli/command-table.ts");
  const options = new Set<string>();
  for (const { load } of Object.values(COMMANDS))
    for (const { flag } of (await load()).command.options) options.add(flag);
  // Right of the bar is what is ours.
  for (const page of [
    "docs/documents.md",
    "docs/faq.md",
    "docs/politeness.md",
    "docs/recipes.md",
  ]) {
    const ours = textOf(page)
      .replace(/^\| (?!There|Towards)[^|]*\|/gm, "")
      .replace(/^## From Scrapy[\s\S]*?(?=^## )/gm, "");
    for (const [, flag] of ours.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g))
      assert.ok(options.has(flag!) || options.has(flag!.replace(/^no-/, "")), `${page}: --${flag}`);
    for (const [, name] of ours.matchAll(/`(?:npx )?orbweaver ([a-z]+)/g))
      assert.ok(name! in COMMANDS, `${page}: ${name}`);
  }
});
