const NAME = "orbweaver";

/** Where the package is from build/src and build/package. */
const PACKAGE = "../../../package.json";

type Package = { readonly name?: string; readonly version: string };

/** The version of this package. Asking for it by name, which works in every layout, takes 2 ms. */
export function packageVersion(): string {
  return (nearPackage() ?? packageByName()).version;
}

// Not imported: an import of node:fs looks at all its properties, and so loads streams.
function nearPackage(): Package | undefined {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  try {
    const found = JSON.parse(readFileSync(new URL(PACKAGE, import.meta.url), "utf8")) as Package;
    return found.name === NAME ? found : undefined;
  } catch {
    return undefined;
  }
}

function packageByName(): Package {
  const { createRequire } = process.getBuiltinModule("node:module");
  return createRequire(import.meta.url)(`${NAME}/package.json`) as Package;
}
