import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";
import type { PagePriority } from "../frontier/opic/deal.ts";

/** Loads the module that `--priority` names; every crawler thread does, because functions do not cross threads. */
export async function loadPriority(file: string): Promise<PagePriority> {
  const shown = printable(file);
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    const reason = printable(cause instanceof Error ? cause.message : String(cause));
    throw new UsageError(`--priority ${shown} cannot be loaded: ${reason}`, cause);
  }
  if (typeof module.default === "function") return module.default as PagePriority;
  throw new UsageError(
    `--priority ${shown} has no default export that is a function; for example export default (url, depth) => (url.includes("/docs/") ? 1 : 0)`,
  );
}
