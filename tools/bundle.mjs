// Bundles everything that an entry point imports into the entry point itself, in place, after tsc: a thread then loads
// a few files instead of some 270. Why, and why the result is never stale: docs/decisions/0010-threads-load-one-file.md.
import { chmodSync, copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { asScript, scriptEntry } from "./as-script.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const src = join(root, "build", "src");

/** Entry points of threads, processes and commands, by folder. They are only imported at run time. */
const ENTRIES = {
  "crawl/builder": ["build-worker", "debug-worker"],
  "crawl/crawler": ["crawl-worker"],
  "crawl/workers": ["compact-worker"],
  "lab/blocking": ["blocking-worker", "io-worker"],
  "lab/rounds": ["round-worker"],
  cli: ["main"],
  "cli/commands": ["crawl-command", "demo-command", "resume-command", "web-command"],
  web: ["serve-command", "process-entry"],
};

/** Too small to be worth a code cache, or (`main`) with an `await` that no script may have. */
const STAYS_MODULE = new Set(["main", "debug-worker", "web-command", "serve-command"]);

/** Imported at run time by every command that gets that far: a file of its own would hold the schema library once more. */
const INLINED = new Set([join(src, "cli", "run-crawl.js"), join(src, "cli", "run-demo.js")]);

/** Shared by all entry points of a thread: `instanceof` compares its classes. */
const ERRORS = join(src, "errors.js");

/** Loads a bundle with its code cache. */
const LOADER = join(src, "runtime", "run-script.js");

/** The only package that is bundled: a fifth of its code is used, and it alone is 95 files. */
const ZOD = join(root, "node_modules", "zod");
const LICENCE = `/*! zod: ${readFileSync(join(ZOD, "LICENSE"), "utf8")}*/\n`;

/** Leaves out what must stay a file of its own, and keeps every module's import.meta.url right. */
function inPlace(folder) {
  const fromHere = (file) => `./${relative(folder, file).replaceAll(sep, "/")}`;
  return {
    name: "in place",
    setup(on) {
      on.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const file = resolve(resolveDir, path);
        // A dynamic import stays a file of its own: it is often not needed.
        const isInside = kind !== "dynamic-import" || INLINED.has(file);
        if (file !== ERRORS && isInside) return undefined;
        return { path: fromHere(file), external: true };
      });
      on.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        path === "zod" || path.startsWith("zod/") ? undefined : { path, external: true },
      );
      on.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (path.startsWith(ZOD + sep)) return { contents: LICENCE + text };
        const address = `new URL(${JSON.stringify(fromHere(path))}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", address) };
      });
    },
  };
}

for (const [name, entries] of Object.entries(ENTRIES)) {
  const folder = join(src, name);
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => join(folder, `${entry}.js`)),
    outdir: folder,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    legalComments: "eof",
    sourcemap: true,
    sourcesContent: false,
    inject: [join(root, "tools", "platform.mjs")],
    plugins: [inPlace(folder)],
    logLevel: "warning",
  });
  for (const entry of entries.filter((entry) => !STAYS_MODULE.has(entry))) {
    const file = join(folder, `${entry}.js`);
    const { text, ...shape } = asScript(readFileSync(file, "utf8"));
    const errors = `./${relative(folder, ERRORS).replaceAll(sep, "/")}`;
    const loader = `./${relative(folder, LOADER).replaceAll(sep, "/")}`;
    writeFileSync(join(folder, `${entry}.script.js`), text);
    writeFileSync(file, scriptEntry({ entry, ...shape, errors, loader }));
  }
}

// npm makes a command executable once, when it links it: a later build must do that itself.
chmodSync(join(src, "cli", "main.js"), 0o755);

// The page of the dashboard: plain modules, and the chart library as its package has it.
const page = join("dashboard", "public");
cpSync(join(root, "src", page), join(src, page), { recursive: true });
for (const [from, to] of [
  ["dist/uPlot.esm.js", "uPlot.esm.js"],
  ["dist/uPlot.min.css", "uPlot.min.css"],
  ["LICENSE", "uPlot.LICENSE.txt"],
])
  cpSync(join(root, "node_modules", "uplot", from), join(src, page, "vendor", to));

// Read at run time, and not by tsc.
copyFileSync(
  join(root, "src", "urlfrontier", "urlfrontier.proto"),
  join(src, "urlfrontier", "urlfrontier.proto"),
);
