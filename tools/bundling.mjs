// What is bundled, and how: package.mjs does it for what is published, bundle.mjs in place.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { build } from "esbuild";
import { makeScript } from "./as-script.mjs";

export const root = resolve(import.meta.dirname, "..");
export const src = join(root, "build", "src");

/** Threads and processes that are started by their file and pay for every start. Each is one script. */
export const SCRIPTS = [
  "crawl/builder/build-worker",
  "crawl/crawler/crawl-worker",
  "crawl/workers/compact-worker",
  "web/process-entry",
];

/** Commands that share nearly all of their code, with their names in the one script that holds them. */
const COMMANDS = "cli/commands/crawl-commands";
export const COMMAND_PARTS = {
  "cli/commands/crawl-command": "crawl",
  "cli/commands/demo-command": "demo",
  "cli/commands/resume-command": "resume",
};

/** Imported at run time by every command that gets that far: a file of its own would hold the schema library once more. */
const INLINED = new Set([join(src, "cli", "run-crawl.js"), join(src, "cli", "run-demo.js")]);

/** Shared by all entry points of a thread: `instanceof` compares its classes. */
const ERRORS = join(src, "errors.js");

/** Bundles entry points into one file each, below `target`; returns the modules that they import at run time. */
export async function bundle(entries, target, options = {}) {
  const imported = new Set();
  for (const entry of entries) {
    const folder = join(src, entry, "..");
    const { metafile } = await build({
      ...bundling(folder, { inlined: INLINED }),
      entryPoints: [join(src, `${entry}.js`)],
      outfile: join(target, `${entry}.js`),
      allowOverwrite: true,
      ...options,
    });
    for (const path of importedBy(metafile, folder)) imported.add(path);
  }
  return imported;
}

function importedBy({ outputs }, folder) {
  return Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, kind }) => kind === "dynamic-import" && path.startsWith("."))
    .map(({ path }) => relative(src, join(folder, path)).replaceAll(sep, "/"));
}

/** Bundles what starts often, as scripts whose compiled code is kept (docs/decisions/0040-compiled-code-is-kept.md). Returns the same. */
export async function bundleScripts(target, options = {}) {
  const imported = await bundle(SCRIPTS, target, options);
  const parts = Object.entries(COMMAND_PARTS);
  const folder = join(src, COMMANDS, "..");
  const list = parts.map(
    ([path, name]) => `export { command as ${name} } from "./${basename(path)}.js";`,
  );
  const { metafile } = await build({
    ...bundling(folder, { inlined: INLINED }),
    stdin: { contents: list.join("\n"), resolveDir: folder },
    outfile: join(target, `${COMMANDS}.js`),
    ...options,
  });
  for (const [path, name] of parts)
    writeFileSync(
      join(target, `${path}.js`),
      `export { ${name} as command } from "./crawl-commands.js";\n`,
    );
  for (const entry of [...SCRIPTS, COMMANDS]) {
    const at = entry.lastIndexOf("/");
    makeScript(join(target, entry.slice(0, at)), entry.slice(at + 1), target, entry === COMMANDS);
  }
  return new Set([...imported, ...importedBy(metafile, folder)]);
}

/** Options of esbuild for files that lie, or could lie, in a folder below build/src. */
export function bundling(folder, rules) {
  const isCommand = folder.startsWith(join(src, "cli"));
  return {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    legalComments: "eof",
    metafile: true,
    inject: [join(root, "tools", isCommand ? "platform-main.mjs" : "platform.mjs")],
    plugins: [addresses(folder, rules)],
    logLevel: "warning",
  };
}

/**
 * Leaves out what must stay a file of its own, and keeps every module's import.meta.url right. A dynamic import stays a
 * file of its own, because it is often not needed, unless it is `inlined` or esbuild splits the code (`isSplit`);
 * `outside` says which files are not part of it.
 */
function addresses(folder, { inlined = new Set(), outside = () => false, isSplit = false }) {
  const fromHere = (file) => `./${relative(folder, file).replaceAll(sep, "/")}`;
  return {
    name: "addresses",
    setup(on) {
      on.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const file = resolve(resolveDir, path);
        const isInside = kind !== "dynamic-import" || isSplit || inlined.has(file);
        if (file !== ERRORS && isInside && !outside(file)) return undefined;
        return { path: fromHere(file), external: true };
      });
      on.onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, external: true }));
      on.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const address = `new URL(${JSON.stringify(fromHere(path))}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", address) };
      });
    },
  };
}
