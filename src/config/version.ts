import { createRequire } from "node:module";

/** The version of this package; asked by its own name, so that src and build layouts both work. */
export function packageVersion(): string {
  const load = createRequire(import.meta.url);
  return (load("orbweaver/package.json") as { version: string }).version;
}
