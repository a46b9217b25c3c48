// Bundles everything that an entry point imports into the entry point itself, in place, after tsc: a thread then loads
// a few files instead of some 270. Why, and why the result is never stale: docs/decisions/0010-threads-load-one-file.md.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleScripts, src } from "./bundling.mjs";

/** Threads and commands that gain by one file and are too small, or started too seldom, for a script. */
const MODULES = [
  "cli/commands/web-command",
  "cli/main",
  "crawl/builder/debug-worker",
  "lab/blocking/blocking-worker",
  "lab/blocking/io-worker",
  "lab/rounds/round-worker",
  "report/write-report",
  "web/serve-command",
];

const maps = { sourcemap: true, sourcesContent: false };
// The modules first: they read those that become scripts.
await bundle(MODULES, src, maps);
await bundleScripts(src, maps);
// npm makes a command executable once, when it links it: a later build must do that itself.
chmodSync(join(src, "cli", "main.js"), 0o755);
