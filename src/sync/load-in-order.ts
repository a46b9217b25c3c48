import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const IMPORTED =
  /^(?:import|export)\b(?:[^"';=(]*\bfrom)?\s*["']([^"']+)["']|\bimport\("([^"]+)"\)/gm;

const MODULE = /^file:.*\.[cm]?js$/;

/**
 * Loads a module behind everything that it imports, also later, one file after the other. By itself the loader opens all files of
 * a module at the same time, which fails where few may be open.
 */
export async function loadInOrder(module: URL): Promise<void> {
  const met = new Set<string>();
  const load = async (url: string): Promise<void> => {
    if (met.has(url)) return;
    met.add(url);
    const text = readFileSync(fileURLToPath(url), "utf8");
    for (const [, name, later] of text.matchAll(IMPORTED)) {
      const imported = resolve((name ?? later)!, url);
      if (imported !== undefined && MODULE.test(imported)) await load(imported);
    }
    await import(url);
  };
  await load(module.href);
}

function resolve(name: string, from: string): string | undefined {
  try {
    return name.startsWith(".") ? new URL(name, from).href : import.meta.resolve(name);
  } catch {
    return undefined; // known only to the package that imports it: the loader will find it
  }
}
