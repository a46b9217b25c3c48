// Puts everything that an entry point imports into the entry point itself, in place, behind tsc: a thread then loads
// two files instead of some 270. Why, and why the result is never stale: docs/decisions/0010-threads-load-one-file.md.
import { chmodSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const src = join(root, "build", "src");

/** What threads, processes and the commands of a crawl begin with, by folder. Nothing imports these but at run time. */
const ENTRIES = {
  "crawl/builder": ["build-worker", "debug-worker"],
  "crawl/crawler": ["crawl-worker"],
  "crawl/workers": ["compact-worker"],
  cli: ["main", "run-crawl", "run-demo"],
  "cli/commands": ["crawl-command", "demo-command", "resume-command", "web-command"],
  web: ["serve-command", "process-entry"],
};

/** One for all entry points of a thread, because `instanceof` asks for its classes. */
const ERRORS = join(src, "errors.js");

/** The only package that is put in: a fifth of its code is used, and it alone is 95 files. */
const ZOD = join(root, "node_modules", "zod");
const LICENCE = `/*! zod: ${readFileSync(join(ZOD, "LICENSE"), "utf8")}*/\n`;

/** Keeps apart what must stay apart, and keeps true what a module says of its own address. */
function inPlace(folder) {
  const fromHere = (file) => `./${relative(folder, file).replaceAll(sep, "/")}`;
  return {
    name: "in place",
    setup(on) {
      on.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const file = resolve(resolveDir, path);
        // What is imported at run time is a file of its own, and often not needed.
        if (file !== ERRORS && kind !== "dynamic-import") return undefined;
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
}

// npm makes a command executable once, when it links it: a build that comes later must do that itself.
chmodSync(join(src, "cli", "main.js"), 0o755);
