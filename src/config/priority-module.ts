import { resolve } from "node:path";
import { UsageError } from "../errors.ts";

/** What a page is worth beyond its links, in units of what a seed begins with: asked once, when the page is met; above 16 counts as 16. */
export type PagePriority = (url: string, depth: number) => number;

const MODULE = "data:text/javascript;charset=utf-8,";

/** Whether a setting is a function that was made a module, and not the name of one. */
export function isInline(priority: string): boolean {
  return priority.startsWith(MODULE);
}

/** The module that a setting names, wherever it is looked for from. */
export function moduleAt(priority: string): string {
  return isInline(priority) ? priority : resolve(priority);
}

/**
 * A function of a program as a module of its own, because functions do not cross threads: its text goes, what it uses
 * from around it stays behind.
 */
export function priorityModule(priority: PagePriority): string {
  const text = String(priority);
  // A function of an object may be written without the word for one.
  const [form = undefined] = [text, `{ ${text} }`].filter(isExpression);
  if (form === undefined) {
    throw new UsageError(
      "priority: only a function that is written in JavaScript can go to the threads; name a module instead",
    );
  }
  const module = `const value = ${form};\nexport default typeof value === "function" ? value : Object.values(value)[0];`;
  return MODULE + encodeURIComponent(module);
}

function isExpression(text: string): boolean {
  try {
    new Function(`return (${text})`);
    return true;
  } catch {
    return false;
  }
}
