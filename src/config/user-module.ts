import { resolve } from "node:path";
import { UsageError } from "../errors.ts";

const MODULE = "data:text/javascript;charset=utf-8,";

/** Stands for a handler that is a function of a program, which runs on the main thread. */
export const FUNCTION = "function:";

/** Whether a setting is a function that was made a module, and not the name of one. */
export function isInline(setting: string): boolean {
  return setting.startsWith(MODULE);
}

/** The module that a setting names, wherever `resume` is called from. */
export function moduleAt(setting: string | undefined): string | undefined {
  if (setting === undefined || setting === FUNCTION || isInline(setting)) return setting;
  return resolve(setting);
}

/**
 * What a program gives for a module: its name, or a function, which becomes a module because functions do not cross
 * threads. Only the text of the function is passed on, not the variables around it.
 */
export function moduleOf(
  setting: "priority" | "shouldVisit" | "beforeRequest",
  given: string | ((...args: never[]) => unknown) | undefined,
): string | undefined {
  if (typeof given !== "function") return given;
  const text = String(given);
  // A method of an object may be written without the word `function`.
  const form = [text, `{ ${text} }`].find(isExpression);
  if (form === undefined) {
    throw new UsageError(
      `${setting}: only a function that is written in JavaScript can go to the threads; name a module instead`,
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
