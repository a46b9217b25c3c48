// Turns a bundle from a module into a script, because Node 20 keeps compiled code of scripts only (vm.Script, cachedData).
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { parse } from "acorn";

const load = createRequire(import.meta.url);

/** Loads a bundle with its code cache. */
const LOADER = join(import.meta.dirname, "..", "build", "src", "runtime", "run-script.js");

/** The bundle as a function of `require`, its own address and `importModule`, which stands for `import()`; it returns what the module would have exported. */
function asScript(module, isCommand) {
  const { body } = parse(module, { ecmaVersion: "latest", sourceType: "module" });
  const hoisted = [];
  const exported = [];
  const cuts = [];
  for (const node of body) {
    if (node.type === "ImportDeclaration") {
      hoisted.push(asRequire(node, isCommand));
      cuts.push([node.start, node.end]);
    } else if (node.type === "ExportNamedDeclaration") {
      if (node.source !== null || node.declaration !== null)
        throw new Error("bundles end with one plain export list");
      for (const { local, exported: as } of node.specifiers) exported.push([as.name, local.name]);
      cuts.push([node.start, node.end]);
    } else if (node.type.startsWith("Export"))
      throw new Error(`not expected in a bundle: ${node.type}`);
  }
  let kept = "";
  let from = 0;
  for (const [start, end] of cuts) {
    // Lines stay where they are, for the source map.
    kept += module.slice(from, start) + module.slice(start, end).replace(/[^\n]/g, "");
    from = end;
  }
  kept += module.slice(from);
  // Node 20 forgets who imports when it takes code from a cache.
  for (const start of parseImports(kept).reverse())
    kept = `${kept.slice(0, start)}importModule${kept.slice(start + "import".length)}`;
  const code = kept.replaceAll(/import\s*\.\s*meta\s*\.\s*url/g, "bundleUrl");
  const results = exported.map(([as, local]) => `get ${as}() { return ${local}; }`).join(", ");
  const head = `function (require, bundleUrl, importModule) { "use strict"; ${hoisted.join(" ")}`;
  const map = code.lastIndexOf("\n//# sourceMappingURL=");
  const end = map < 0 ? code.length : map;
  const main = `${head}${code.slice(0, end)}\nreturn { ${results} };\n}`;
  const isAsync = body.some(awaits);
  const text = `(${isAsync ? "async " : ""}${main})${code.slice(end)}`;
  return { text, isAsync, exported: exported.map(([as]) => as) };
}

/** Where `import()` is called. */
function parseImports(code) {
  const starts = [];
  const look = (node) => {
    if (node === null || typeof node !== "object") return;
    if (node.type === "ImportExpression") starts.push(node.start);
    for (const part of Object.values(node)) look(part);
  };
  look(parse(code, { ecmaVersion: "latest", sourceType: "module" }));
  return starts.sort((a, b) => a - b);
}

/** Whether a statement of the module awaits something itself, not in a function. */
function awaits(node) {
  if (node === null || typeof node !== "object") return false;
  if (node.type === "AwaitExpression" || node.await === true) return true;
  if (/Function|MethodDefinition|PropertyDefinition/.test(node.type ?? "")) return false;
  return Object.values(node).some(awaits);
}

/** Modules of Node that are slow to load, of which commands hardly use anything. */
const LOADED_ON_USE = new Set(["node:crypto", "node:dns", "node:readline/promises"]);

function asRequire({ source, specifiers }, isCommand) {
  const { value } = source;
  if (!value.startsWith("node:") && !value.endsWith("/errors.js"))
    throw new Error(`a script can require modules of Node and errors.js, not ${value}`);
  if (isCommand && LOADED_ON_USE.has(value))
    return specifiers.map((specifier) => asLateFunction(specifier, value)).join(" ");
  const from = `require(${JSON.stringify(value)})`;
  const named = [];
  let text = "";
  for (const { type, local, imported } of specifiers) {
    const isNamed = type === "ImportSpecifier" && imported.name !== "default";
    // What `require` answers for a module of Node is its default export.
    if (!isNamed) text += `const ${local.name} = ${from}; `;
    else named.push(imported.name === local.name ? local.name : `${imported.name}: ${local.name}`);
  }
  return named.length > 0 ? `${text}const { ${named.join(", ")} } = ${from};` : text || `${from};`;
}

/** A function or class of a module that is loaded when it is called first. */
function asLateFunction({ type, local, imported }, module) {
  if (type !== "ImportSpecifier" || typeof load(module)[imported.name] !== "function")
    throw new Error(`what is loaded on use must be a function: ${local.name} of ${module}`);
  const late = `late_${local.name}`;
  const loaded = `${late} ??= require(${JSON.stringify(module)}).${imported.name};`;
  const call = `return new.target ? new ${late}(...args) : ${late}(...args);`;
  return `let ${late}; function ${local.name}(...args) { ${loaded} ${call} }`;
}

/** The module that takes the bundle's place. It holds the loader: another file would have to be found and read. */
function scriptEntry({ entry, exported, isAsync, errors, loader }) {
  const run = `${isAsync ? "await " : ""}runScript(new URL("./${entry}.script.js", import.meta.url), errors)`;
  const names = exported.length > 0 ? `const { ${exported.join(", ")} } = ` : "";
  const list = exported.length > 0 ? `export { ${exported.join(", ")} };\n` : "";
  return (
    `import * as errors from "${errors}";\n\n${withoutExports(loader)}\n` +
    `${names}${run};\n${list}`
  );
}

/** The text of a module that imports nothing, as a part of another one. */
function withoutExports(module) {
  const { body } = parse(module, { ecmaVersion: "latest", sourceType: "module" });
  if (body.some(({ type }) => type === "ImportDeclaration"))
    throw new Error("the loader of scripts imports nothing, so that it can be part of a file");
  const text = module.replaceAll(/^export (?=const |function )/gm, "");
  return text.replace(/^\/\/# sourceMappingURL=.*\n?/m, "");
}

/**
 * Turns the bundle of a file into a script beside it, and the file into the module that runs the script. Threads load
 * everything at once: later V8 takes no kept code of Node's modules, because flags have changed (`compile-less.ts`).
 */
export function makeScript(folder, entry, root, isCommand) {
  const file = join(folder, `${entry}.js`);
  const { text, ...shape } = asScript(readFileSync(file, "utf8"), isCommand);
  const fromHere = (path) => `./${relative(folder, join(root, path)).replaceAll(sep, "/")}`;
  const loader = readFileSync(LOADER, "utf8");
  writeFileSync(join(folder, `${entry}.script.js`), text);
  writeFileSync(file, scriptEntry({ entry, ...shape, errors: fromHere("errors.js"), loader }));
}
