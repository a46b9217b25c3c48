import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { casesMarkdown } from "./hostile-markdown.ts";

// Run by hand after a change of the cases: node build/src/web/hostile/write-hostile-docs.js
const root = dirname(createRequire(import.meta.url).resolve("orbweaver/package.json"));
const file = join(root, "docs", "hostile.md");
const text = readFileSync(file, "utf8");
const table = text.indexOf("| row |");
writeFileSync(file, (table < 0 ? text : text.slice(0, table)) + casesMarkdown());
