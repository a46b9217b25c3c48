import { pathToFileURL } from "node:url";
import { printable } from "../../config/printable.ts";
import { isInline, type PagePriority } from "../../config/priority-module.ts";
import { UsageError } from "../../errors.ts";

/** Loads the module that `--priority` names; every crawler thread does, because functions do not cross threads. */
export async function loadPriority(file: string): Promise<PagePriority> {
  const shown = isInline(file) ? "(a function)" : printable(file);
  let module: { default?: unknown };
  try {
    module = await import(isInline(file) ? file : pathToFileURL(file).href);
  } catch (cause) {
    const reason = printable(cause instanceof Error ? cause.message : String(cause));
    throw new UsageError(`--priority ${shown} cannot be loaded: ${reason}`, cause);
  }
  if (typeof module.default === "function") return checked(module.default as PagePriority, shown);
  throw new UsageError(
    `--priority ${shown} has no default export that is a function; for example export default (url, depth) => (url.includes("/docs/") ? 1 : 0)`,
  );
}

/** What is no worth ends the crawl in a sentence, and can be resumed: a page that was quietly worth 0 would come last. */
function checked(priority: PagePriority, shown: string): PagePriority {
  return (url, depth) => {
    let worth: unknown;
    try {
      worth = priority(url, depth);
    } catch (cause) {
      const reason = printable(cause instanceof Error ? cause.message : String(cause));
      throw new UsageError(`--priority ${shown} failed for ${printable(url)}: ${reason}`, cause);
    }
    if (typeof worth === "number" && worth >= 0) return worth;
    const what =
      typeof worth === "number"
        ? String(worth)
        : worth instanceof Promise
          ? "a promise"
          : `a value of type ${typeof worth}`;
    throw new UsageError(
      `--priority ${shown} gave ${what} for ${printable(url)}; a page is worth a number from 0 on`,
    );
  };
}
