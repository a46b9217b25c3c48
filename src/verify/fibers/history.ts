import { Numbering } from "./numbering.ts";

/** What lengthens a history. */
export const STEP = { result: 0, enter: 1, leave: 2, head: 3, heap: 4 } as const;

/**
 * Histories as numbers: the same parent, kind and value always give the same number, so equal numbers mean equal
 * histories, without any chance of collision.
 */
export class Histories {
  readonly #known = new Numbering<string, undefined>();

  /** The history that continues another one; 0 is the empty one. */
  extend(parent: number, step: number, key: string): number {
    return 1 + this.#known.numberOf(`${parent}|${step}|${key}`, undefined);
  }
}

/** A text that two values share if and only if code cannot tell them apart; undefined for what has identity. */
export function valueKey(value: unknown): string | undefined {
  switch (typeof value) {
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "string":
      return JSON.stringify(value);
    case "boolean":
    case "undefined":
      return String(value);
    default:
      return value === null ? "null" : undefined;
  }
}
