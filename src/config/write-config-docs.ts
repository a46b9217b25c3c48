import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { configMarkdown } from "./config-markdown.ts";

// Run by hand after a change of the schema: node build/src/config/write-config-docs.js
const root = dirname(createRequire(import.meta.url).resolve("orbweaver/package.json"));
writeFileSync(join(root, "docs", "config.md"), configMarkdown());
