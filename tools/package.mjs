// Writes build/package, all that is published: what runs, and the types that its exports name. Run after tsc and before
// bundle.mjs, which changes modules. docs/decisions/0070-what-is-published.md tells what is where, and why.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { parse } from "acorn";
import { build, transformSync } from "esbuild";
import { bundle, bundleScripts, bundling, COMMAND_PARTS, root, SCRIPTS, src } from "./bundling.mjs";

const target = join(root, "build", "package");
/** Names stay as they are and lines stay short, so that a stack tells where something happened. */
const SMALLER = { minifyWhitespace: true, minifySyntax: true, lineLimit: 480 };
/** The folder of the code that entry points share. */
const CODE = "code";
const MAIN = "cli/main";

/** Threads and processes that a command starts by their file. */
const THREADS = [
  "crawl/builder/debug-worker",
  "lab/blocking/blocking-worker",
  "lab/blocking/io-worker",
  "lab/queues/slice-worker",
  "lab/rounds/round-process",
  "lab/rounds/round-worker",
  "lab/workload/slice-bench-worker",
  "text/text-worker",
  "verify/own/own-lock-worker",
  "verify/race/race-worker",
  "verify/replay/replay-worker",
];

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const EXPORTS = Object.values(manifest.exports)
  .filter((one) => typeof one === "object")
  .map(({ default: path }) => path.replace("./build/package/", "").replace(/\.js$/, ""));

const slashes = (path) => path.replaceAll(sep, "/");
const below = (file) => slashes(relative(src, file));
const filesOf = (folder) => readdirSync(join(src, folder)).map((file) => `${folder}/${file}`);

rmSync(target, { recursive: true, force: true });
const imported = [
  ...(await bundle([MAIN], target, SMALLER)),
  ...(await bundleScripts(target, SMALLER)),
];
chmodSync(join(target, `${MAIN}.js`), 0o755);

// The explorer reads the text of the code it explores, so that stays single modules; `verify` itself runs the same ones.
const explored = filesOf("verify/configurations").filter((path) => path.endsWith("-checks.js"));
const bundled = new Set(
  [MAIN, ...SCRIPTS, ...Object.keys(COMMAND_PARTS)].map((one) => `${one}.js`),
);
const isOutside = (file) => explored.includes(below(file)) || bundled.has(below(file));
for (const file of reached(explored, codeImports)) publish(file, withoutMap);
publish(join(src, "errors.js"), withoutMap);

// All other code is split into files that its entry points share.
const entries = [
  ...new Set([
    ...imported
      .filter((path) => !isOutside(join(src, path)))
      .map((path) => path.replace(/\.js$/, "")),
    ...THREADS,
    ...EXPORTS,
  ]),
];
const nameOf = (entry) => entry.replaceAll("/", "-");
await build({
  // All of it lies in one folder, so that an address is the same in each of the files.
  ...bundling(join(src, CODE), { outside: isOutside, isSplit: true }),
  ...SMALLER,
  entryPoints: Object.fromEntries(
    entries.map((entry) => [nameOf(entry), join(src, `${entry}.js`)]),
  ),
  outdir: join(target, CODE),
  splitting: true,
  chunkNames: "[name]-[hash]",
});
for (const entry of entries) {
  const path = slashes(relative(dirname(entry), join(CODE, nameOf(entry))));
  write(`${entry}.js`, `export * from "${path.startsWith(".") ? "" : "./"}${path}.js";\n`);
}

const types = EXPORTS.map((entry) => `${entry}.d.ts`);
for (const file of reached(types, typeImports)) publish(file);

// Read at run time beside the code.
const all = readdirSync(src, { recursive: true, encoding: "utf8" });
for (const path of all.filter((path) => path.endsWith(".wasm"))) publish(join(src, path));
for (const path of ["dashboard/public", "urlfrontier/urlfrontier.proto"])
  cpSync(join(src, path), join(target, path), { recursive: true });
for (const path of readdirSync(join(target, "dashboard/public"), {
  recursive: true,
  encoding: "utf8",
})) {
  const file = join(target, "dashboard/public", path);
  // The names in a library of others tell nobody here anything.
  const minifyIdentifiers = path.startsWith("vendor");
  if (path.endsWith(".js"))
    writeFileSync(
      file,
      transformSync(readFileSync(file, "utf8"), {
        ...SMALLER,
        minifyIdentifiers,
        legalComments: "inline",
      }).code,
    );
}

/** Copies a file, changed if need be, unless a bundle has its place. */
function publish(file, change = (text) => text) {
  if (!existsSync(join(target, below(file)))) write(below(file), change(readFileSync(file)));
}

function write(path, text) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

/** Files and all that they import from here. */
function reached(paths, importsOf) {
  const found = new Set();
  const follow = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const specifier of importsOf(readFileSync(file, "utf8")))
      if (specifier.startsWith(".")) follow(resolve(dirname(file), specifier));
  };
  for (const path of paths) follow(join(src, path));
  return found;
}

function codeImports(text) {
  const { body } = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  return body.flatMap(({ source }) => (source ? [source.value] : []));
}

function typeImports(text) {
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)\.[jt]s"/g);
  return [...found].map(([, path]) => `${path}.d.ts`);
}

/** Source maps name files that are not published. */
function withoutMap(bytes) {
  return bytes.toString().replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
}
